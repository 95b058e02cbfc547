from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt

from knowledge.kinds import decode_text
from knowledge.parsing.base import Block, Headings, Limits, clean, paragraphs


def parse_markdown(content: bytes, limits: Limits) -> Iterator[Block]:
    """Yield Markdown unchanged, split into sections at its headings. A heading is part of its section."""
    text = clean(decode_text(content))
    lines = text.split("\n")
    # Inline markup is not parsed, as headings are kept unchanged too.
    tokens = MarkdownIt("commonmark").disable("inline").parse(text)
    headings, start = Headings(), 0
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            yield from paragraphs("\n".join(lines[start : token.map[0]]), heading=headings.path)
            headings.enter(int(token.tag[1]), tokens[place + 1].content)
            start = token.map[0]
    yield from paragraphs("\n".join(lines[start:]), heading=headings.path)


def parse_text(content: bytes, limits: Limits) -> Iterable[Block]:
    """Split plain text into paragraphs at empty lines."""
    return paragraphs(clean(decode_text(content)))

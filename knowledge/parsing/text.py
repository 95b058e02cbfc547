from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt

from knowledge.kinds import decode_text
from knowledge.parsing.base import Block, Headings, Limits, clean, paragraphs


def parse_markdown(content: bytes, limits: Limits) -> Iterator[Block]:
    """Markdown as it was written, in the sections that its headings make; a heading stands before its section."""
    text = clean(decode_text(content))
    lines = text.split("\n")
    # What stands within a line is not looked at: a heading is kept as it was written, too.
    tokens = MarkdownIt("commonmark").disable("inline").parse(text)
    headings, start = Headings(), 0
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            yield from paragraphs("\n".join(lines[start : token.map[0]]), heading=headings.path)
            headings.enter(int(token.tag[1]), tokens[place + 1].content)
            start = token.map[0]
    yield from paragraphs("\n".join(lines[start:]), heading=headings.path)


def parse_text(content: bytes, limits: Limits) -> Iterable[Block]:
    """Plain text: an empty line ends a paragraph."""
    return paragraphs(clean(decode_text(content)))

"""The fence around memory in a prompt: it marks the text inside as data, and lets it be found and cut out again.

Memory that is shown to a model is written with `fence`, each item through `escape_item`. Messages are read through
`cut_fenced`, so that nothing is learnt from our own text when it comes back.
"""

import re
from collections.abc import Iterable, Sequence

from relationships.text_names import as_read, escape_markup, is_plain, may_have_tag, one_line, seen

UNMARKED = ("user_memory",)  # fences whose tags have no prefix of ours, as others know the name
# Within one line and with little white space, so that no text can make the search slow.
_TAG = re.compile(
    r"<[ \t]{0,3}(/?)[ \t]{0,3}(?:rapport_[a-z]+|user_memory)(?:[ \t/][^<>\n]{0,200})?>",
    re.IGNORECASE | re.ASCII,
)

# Beginnings of lines that look like structure: a heading, an item, a quote, a table, a code fence, a role.
_BEGINNING = (
    r"(?:[#>*+=|~`\\_-]|\d{1,9}[.)](?!\d)"
    r"|(?:system|user|assistant|developer|human|ai|model|tool|function|instructions?)\s*[:：])"
)
_STRUCTURE = re.compile(_BEGINNING, re.IGNORECASE)
_JOINED = re.compile("[\u200c\u200d\ufe00-\ufe0f]")  # the usual ones that one_line leaves
_LINE_OF_STRUCTURE = re.compile(f"\n{_BEGINNING}", re.IGNORECASE)


def escape_item(text: str) -> str:
    """Write `text` as an item of a list: a single line that can't be mistaken for structure or for another role."""
    return _unstructured(one_line(text))


def escape_items(texts: Sequence[str]) -> list[str]:
    """`escape_item` for each. This runs before every reply, so plain texts are recognised all at once."""
    stripped = [text.strip() for text in texts]
    if not is_plain("".join(stripped)):
        return [escape_item(text) for text in texts]
    if _LINE_OF_STRUCTURE.search("\n" + "\n".join(stripped)):
        return [_unstructured(text) for text in stripped]
    return stripped


def _unstructured(line: str) -> str:
    read = seen(line) if _JOINED.search(line) else line.lstrip("\u2068")
    return f"\\{line}" if _STRUCTURE.match(read) else line


def fence(lines: Iterable[str], *, what: str = "memory") -> str:
    """The lines between `<rapport_memory>` and `</rapport_memory>` (`what`: lower-case letters, or a name of UNMARKED).

    No line can close the fence or open another. Make each line an item with `escape_item` first.
    """
    body = escape_markup("\n".join(lines))
    tag = what if what in UNMARKED else f"rapport_{what}"
    return f"<{tag}>\n{body}\n</{tag}>"


def cut_fenced(text: str) -> tuple[str, int]:
    """`text` without its complete fenced blocks, and how many characters they were.

    Tags count in upper or lower case, with white space or hidden characters in them, and in characters that look the
    same. A tag without its partner is left as it is, with everything around it: nothing that a person said is lost.
    """
    blocks = _blocks(text) if may_have_tag(text) else []
    if not blocks:
        return text, 0
    pieces, place = [], 0
    for start, end in [*blocks, (len(text), len(text))]:
        pieces.append(text[place:start].strip())
        place = end
    # Joined by a line break, which a tag can't contain, so that the parts never form a new tag.
    return "\n".join(piece for piece in pieces if piece), sum(end - start for start, end in blocks)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Start and end of the outermost complete blocks, in order."""
    read, places = as_read(text)
    opened: list[int] = []
    blocks: list[tuple[int, int]] = []
    for tag in _TAG.finditer(read):
        if not tag[1]:
            opened.append(places[tag.start()])
        elif opened:
            start = opened.pop()
            while blocks and blocks[-1][0] > start:
                blocks.pop()
            blocks.append((start, places[tag.end() - 1] + 1))
    return blocks

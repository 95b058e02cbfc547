"""The fence around memory in a prompt: what stands inside is data, and can be found and cut out again.

Whoever puts memory before a model writes it with `fence`, each item through `escape_item`. Whoever reads
messages takes what comes back with `cut_fenced`, so that nothing is learnt from our own echo.
"""

import re
from collections.abc import Iterable, Sequence

from relationships.text_names import escape_markup, is_plain, one_line

UNMARKED = ("user_memory",)  # fences that go by a name others know
# Within one line and with little white space, so that no text can make the search slow.
_TAG = re.compile(
    r"<[ \t]{0,3}(/?)[ \t]{0,3}(?:rapport_[a-z]+|user_memory)(?:[ \t/][^<>\n]{0,200})?>",
    re.IGNORECASE | re.ASCII,
)

# How a line begins that is read as structure: a heading, an item, a quote, a table, a code fence, a role.
_BEGINNING = (
    r"(?:[#>*+=|~`\\_-]|\d{1,9}[.)]"
    r"|(?:system|user|assistant|developer|human|ai|model|tool|function|instructions?)\s*[:：])"
)
_STRUCTURE = re.compile(_BEGINNING, re.IGNORECASE)
_LINE_OF_STRUCTURE = re.compile(f"\n{_BEGINNING}", re.IGNORECASE)


def escape_item(text: str) -> str:
    """`text` as one item of a list: a single line that passes for no structure and no role's words."""
    return _unstructured(one_line(text))


def escape_items(texts: Sequence[str]) -> list[str]:
    """Each as `escape_item` has it. They are read before every reply, so what is plain is seen of all at once."""
    stripped = [text.strip() for text in texts]
    if not is_plain("".join(stripped)):
        return [escape_item(text) for text in texts]
    if _LINE_OF_STRUCTURE.search("\n" + "\n".join(stripped)):
        return [_unstructured(text) for text in stripped]
    return stripped


def _unstructured(line: str) -> str:
    return f"\\{line}" if _STRUCTURE.match(line.lstrip("\u2068")) else line


def fence(lines: Iterable[str], *, what: str = "memory") -> str:
    """The lines between `<rapport_memory>` and `</rapport_memory>` (`what`: lower-case letters, or a name of UNMARKED).

    Whatever the lines are, they close no fence and open none. That each is one item is `escape_item`'s part.
    """
    body = escape_markup("\n".join(lines))
    tag = what if what in UNMARKED else f"rapport_{what}"
    return f"<{tag}>\n{body}\n</{tag}>"


def cut_fenced(text: str) -> tuple[str, int]:
    """`text` without its complete fenced blocks, and how many characters they were.

    Tags count in any case and with white space in them. A tag without its partner is left as it stands, with
    all that is around it: nothing a person said is lost.
    """
    blocks = _blocks(text) if "<" in text else []
    if not blocks:
        return text, 0
    pieces, place = [], 0
    for start, end in [*blocks, (len(text), len(text))]:
        pieces.append(text[place:start].strip())
        place = end
    # Joined by a line break, which no tag can hold: the rests of two lines never make a new tag.
    return "\n".join(piece for piece in pieces if piece), sum(end - start for start, end in blocks)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Where the outermost complete blocks stand: start and end, in order."""
    opened: list[int] = []
    blocks: list[tuple[int, int]] = []
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened.append(tag.start())
        elif opened:
            start = opened.pop()
            while blocks and blocks[-1][0] > start:
                blocks.pop()
            blocks.append((start, tag.end()))
    return blocks

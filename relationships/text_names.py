"""Prepare text and names that other people wrote for one line of a prompt.

A name or a remembered sentence is data. On one line, without hidden characters and without markup, it can't
start a line of its own, hide an instruction from a human reader, or open a tag.
"""

import re
from collections.abc import Sequence
from unicodedata import normalize

from providers.normal_form import normal_form

NAME_LENGTH = 80
NOBODY = "the user"
NAMELESS = ("user", NOBODY)  # whoever is called so is the person

# Invisible characters that change what is read: controls, soft hyphens and zero-width spaces, bidi marks and
# overrides (isolates are added below), fillers, and the tag and selector planes, which can spell whole hidden
# sentences. The joiners U+200C and U+200D stay: Persian, Hindi and many emoji need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
_PLAIN = bytes(set(range(0x20, 0x7F)) - {ord("<")})
# A `<` that could begin a tag or a chat template's marker; not that of "I <3 you" and "1 < 2".
_MARKUP = re.compile(r"<(?=\s{0,9}(?:[^\W\d]|[/|!?<]))")
_OUR_TAG = re.compile(r"<\s{0,9}/?\s{0,9}(?:rapport_|user_memory)", re.IGNORECASE | re.ASCII)

# All that a reader may not see: also the joiners, the selectors, and formatting signs of single scripts (category Cf).
_UNSEEN = re.compile(
    f"{_HIDDEN.pattern[:-1]}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180f\u200c\u200d\u2066-\u2069"
    "\ufe00-\ufe0f\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]+"
)
# What looks like ASCII: full-width and mathematical characters, brackets, strokes, a blank; letters of Cyrillic.
_ANGLES, _SQUARES = "<＜﹤‹〈〈⟨❬❮❰⟪《", "[［【〔⟦⁅❲〖〚"
_ALIKE = {
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{chr(code): normalize("NFKC", chr(code)) for code in range(0x1D400, 0x1D800)},
    **dict.fromkeys(_ANGLES, "<"),
    **dict.fromkeys("＞﹥›〉〉⟩❭❯❱⟫》", ">"),
    **dict.fromkeys(_SQUARES, "["),
    **dict.fromkeys("］】〕⟧⁆❳〗〛", "]"),
    "⁄": "/",
    "∕": "/",
    "ˍ": "_",
    "⠀": " ",
}
# In two, as the search for a class of characters of both sorts is ten times slower.
_LOOK_ALIKE = (
    re.compile(f"[{re.escape(''.join(other for other in _ALIKE if '~' < other < chr(0xFFFF)))}]"),
    re.compile("[\U0001d400-\U0001d7ff]"),
)
_CYRILLIC = tuple(zip("аеорсухѕіјԁ", "aeopcyxsijd", strict=True))
_BEGINS_TAG, _BEGINS_NOTE = re.compile(f"[{_ANGLES}]"), re.compile(f"[{re.escape(_SQUARES)}]")


def one_line(text: str) -> str:
    """Return `text` on one line, with white space folded, hidden characters removed and the `<` of tags escaped.

    Text with right-to-left letters is wrapped in an isolate, so that it doesn't change the direction around it.
    """
    if is_plain(text):
        return text.strip()
    line = escape_markup(folded(text))
    if _RIGHT_TO_LEFT.search(line):
        return f"{_ISOLATE}{line}{_END_ISOLATE}"
    return line


def folded(text: str) -> str:
    """Return `text` on one line, with white space folded and hidden characters removed."""
    return " ".join(_HIDDEN.sub("", text).split())


def means_person(speaker: str, name: str) -> bool:
    """Return whether it is the person's name in any spelling, or the role's, which some clients give every message."""
    return _spelt(speaker) in NAMELESS or same_name(speaker, name)


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same in any spelling."""
    return _spelt(one) == _spelt(other)


def _spelt(name: str) -> str:
    return folded(normal_form("NFKC", name)).casefold()


def is_plain(text: str) -> bool:
    """Return whether one_line would only strip white space at the ends, of the text and of any part of it."""
    # As bytes, as a context asks of thousands of characters: a fifth of what str.isprintable() takes.
    return text.isascii() and not text.encode().translate(None, _PLAIN) and "  " not in text


def escape_markup(text: str) -> str:
    """Write every `<` that could begin a tag as `&lt;`; what only looks like one, where a tag of ours would begin."""
    if not may_have_tag(text):
        return text
    read, places = as_read(text)
    characters = list(text)
    for found in _MARKUP.finditer(read):
        place = places[found.start()]
        if text[place] == "<" or _OUR_TAG.match(read, found.start()):
            characters[place] = "&lt;"
    return "".join(characters)


def may_have_tag(text: str) -> bool:
    """Whether it has a `<`, or what looks like one. A text in ASCII is searched eighty times faster."""
    return "<" in text if text.isascii() else bool(_BEGINS_TAG.search(text))


def may_have_note(text: str) -> bool:
    """Whether it has a `[`, or what looks like one."""
    return "[" in text if text.isascii() else bool(_BEGINS_NOTE.search(text))


def as_read(text: str) -> tuple[str, Sequence[int]]:
    """The text as somebody may read it: without what is not seen, and with ASCII for what looks like it. The second
    value is the place in `text` of each of its characters, and of its end.
    """
    read: str = text
    places: Sequence[int] = range(len(text) + 1)
    if unseen := list(_UNSEEN.finditer(text)):
        ends = [0, *(found.end() for found in unseen)]
        starts = [*(found.start() for found in unseen), len(text) + 1]
        places = [place for end, start in zip(ends, starts, strict=True) for place in range(end, start)]
        read = seen(text)
    if not read.isascii():
        for some in _LOOK_ALIKE:
            read = some.sub(lambda found: _ALIKE[found[0]], read)
        for letter, alike in _CYRILLIC:
            read = read.replace(letter, alike)
    return read, places


def seen(text: str) -> str:
    """The text without what is not seen."""
    return _UNSEEN.sub("", text)


def name_in_text(*names: str) -> str:
    """The first name that isn't blank, prepared for a prompt: one line of about 80 characters at most."""
    for name in map(folded, names):
        if name:
            return one_line(name if len(name) <= NAME_LENGTH else f"{name[:NAME_LENGTH].rstrip()}…")
    return NOBODY

"""Which names, numbers and dates of an entry's old text are missing in the new one. Pure, and linear in the texts.

Names are told by their capitals, so in scripts without them only numbers are seen, and names that are known; of German,
which writes every noun with one, not the nouns behind an article or the like. A word that opens a sentence counts only
where it is known to be a name, a weekday not beside its date. A name may come in another case: Юлия, Юлию; Ankara'da.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from memory.retrieval.dates import AMBIGUOUS, MONTHS, plain_digits
from memory.words import MARKS, declined, fold

_LETTERS = rf"[^\W\d_]+(?:[{MARKS}]+[^\W\d_]*)*"
_TOKEN = re.compile(rf"\d+(?:[.,:/-]\d+)*|{_LETTERS}(?:['’]{_LETTERS})*")
_ENDS_SENTENCE = re.compile(r"[.!?。！？]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|$))", re.ASCII)
_PARTS = re.compile(r"[/-]")
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?", re.ASCII)
_ENDED = re.compile(r"(\w{3,})['’]\w{1,6}")  # Anna's, Ankara'da
_WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday"
    " montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag".split()
)
# German words before a noun, "mit der neuen Wohnung". Before a name there is rarely one.
_BEFORE_A_NOUN = re.compile(
    r"\b(?:der|die|das|de[mns]|(?:k?ein|mein|dein|sein|unser|euer|eur|ihr|jed|dies|welch)(?:e[mnrs]?)?"
    r"|[ai]m|zu[mr]|beim|vom|ins|ans) (?:[a-zäöüß]{2,}e[mnrs]? )?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Detail:
    """`parts`: all have to be said for the detail to be kept. `beside`: the words before and after it."""

    kind: str
    said: str
    parts: tuple[str, ...]
    beside: tuple[tuple[str, str], ...]


def lost_details(
    old: str, new: str, *, names: Collection[str] = (), own: Collection[str] = ()
) -> tuple[str, ...]:
    """The names, numbers and dates of `old` that `new` neither says nor contradicts, as they stand in `old`.

    One is contradicted where another of its kind has its place: the same word before or after it, and each other
    contradicts one. `names`: words that are names wherever they stand. `own`: of the two who talk, which need not be
    said.
    """
    unsaid = {("name", (word,)) for word in _words_of(own)}
    before = [detail for detail in _read(old, names) if (detail.kind, detail.parts) not in unsaid]
    after = _read(new, names)
    said, known = _said(new), {(detail.kind, detail.parts) for detail in before}
    lost = [detail for detail in before if not _is_said(detail, said)]
    instead: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for place, detail in reversed(list(enumerate(after))):
        if (detail.kind, detail.parts) not in known:
            for beside in detail.beside:
                instead[(detail.kind, *beside)].append(place)
    taken: set[int] = set()
    eroded = [detail for detail in lost if not _contradicted(detail, instead, taken)]
    return tuple(dict.fromkeys(detail.said for detail in eroded))


def _is_said(detail: _Detail, said: Collection[str]) -> bool:
    if all(part in said for part in detail.parts):
        return True
    return detail.kind == "name" and any(declined(detail.parts[0], word) for word in said)


def _contradicted(detail: _Detail, instead: dict[tuple[str, str, str], list[int]], taken: set[int]) -> bool:
    for beside in detail.beside:
        places = instead.get((detail.kind, *beside), [])
        while places:
            place = places.pop()
            if place not in taken:
                taken.add(place)
                return True
    return False


def _tokens(text: str) -> list[re.Match[str]]:
    return list(_TOKEN.finditer(text))


def _words_of(names: Collection[str]) -> set[str]:
    return {
        word for name in names for word in map(_word, _TOKEN.findall(unicodedata.normalize("NFKC", name)))
    }


def _read(text: str, names: Collection[str]) -> list[_Detail]:
    """The details of a text, in order."""
    text = unicodedata.normalize("NFKC", text)
    called = _words_of(names)
    tokens = _tokens(text)
    words = [_word(token[0]) for token in tokens]
    found: list[_Detail] = []
    for place, token in enumerate(tokens):
        opens = place == 0 or bool(_ENDS_SENTENCE.search(text, tokens[place - 1].end(), token.start()))
        near = (*tokens[max(place - 1, 0) : place], *tokens[place + 1 : place + 2])
        beside_number = any(other[0][0].isdecimal() for other in near)
        plain = opens or bool(_BEFORE_A_NOUN.search(text[max(token.start() - 40, 0) : token.start()]))
        kind, parts = _kind(token[0], plain=plain, called=called, beside_number=beside_number)
        if kind:
            before = (("before", words[place - 1]),) if place else ()
            following = (("after", words[place + 1]),) if place + 1 < len(tokens) else ()
            found.append(_Detail(kind, token[0], parts, (*before, *following)))
    return found


def _kind(
    token: str, *, plain: bool, called: Collection[str], beside_number: bool
) -> tuple[str, tuple[str, ...]]:
    """What sort of detail it is, and what says it; "" for a word that is none. `plain`: its capital tells nothing."""
    if token[0].isdecimal():
        number = _number(token)
        if _DATE.fullmatch(number):
            return "date", tuple(_plain(part) for part in number.split("-"))
        return "number", tuple(_plain(part) for part in _PARTS.split(number))
    word = _word(token)
    if word in MONTHS and (beside_number or (word not in AMBIGUOUS and token[0].isupper())):
        return "date", (str(MONTHS[word]),)
    if word in _WEEKDAYS and beside_number:
        return "", ()
    is_name = word in called or token[1:] != token[1:].lower() or (token[0].isupper() and not plain)
    return ("name", (word,)) if is_name and len(token) > 1 else ("", ())


def _said(text: str) -> set[str]:
    """Every word and number of a text, and the number of every month it names."""
    said: set[str] = set()
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text)):
        if token[0].isdecimal():
            said.update(_plain(part) for part in _PARTS.split(_number(token)))
        else:
            word = _word(token)
            said.add(word)
            said.update([str(MONTHS[word])] if word in MONTHS else [])
    return said


def _number(token: str) -> str:
    """In ASCII digits, without commas between thousands."""
    return _THOUSANDS.sub("", plain_digits(token))


def _plain(number: str) -> str:
    return number.lstrip("0") or "0"


def _word(token: str) -> str:
    """Without case, accents, and what is added to a name: the ending of a possessive, plural or case."""
    ended = _ENDED.fullmatch(token)
    word = fold(ended[1] if ended else token)
    return word.removesuffix("s") if len(word) > 3 else word

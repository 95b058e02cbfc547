"""Find names, numbers and dates of an entry's old text that are missing in the new one. Pure, and linear in the texts.

Names are recognised by their capitals; in scripts without them, known names are, with the particles on them, and those
with a title of address behind them.
German writes every noun with a capital, so nouns after an article or the like don't count. A word at the beginning of a
sentence counts only if it is a known name, and a weekday not beside its date. A name may be in another case: Юлия,
Юлию; Ankara'da.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from memory.dates import AMBIGUOUS, MONTHS, WEEKDAYS, Period, dates_in
from memory.names import WITHOUT_SPACES, declensions, stands_within, titled_names, undeclined
from memory.words import MARKS, fold
from providers.normal_form import normal_form, plain_digits

_LETTERS = rf"[^\W\d_]+(?:[{MARKS}]+[^\W\d_]*)*"
_TOKEN = re.compile(rf"\d+(?:[.,:/\u066b\u066c-]\d+)*|{_LETTERS}(?:['’]{_LETTERS})*")
_ENDS_SENTENCE = re.compile(r"[.!?。！？]")
# 1,000, 1.000, 1 000 and 1'000 are one number.
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?:\D|$))", re.ASCII)
_SPACED = re.compile(r"(?<![\d.,])(?<!\d[ '’])[1-9]\d{0,2}(?:[ '’]\d{3})+(?![ '’]?\d)", re.ASCII)
_SPACES = re.compile("[ '’]")
_PARTS = re.compile(r"[/-]")
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?", re.ASCII)
_ENDED = re.compile(r"(\w{3,})['’]\w{1,6}")  # Anna's, Ankara'da
_WEEKDAYS = frozenset(day.removesuffix("s") for day in WEEKDAYS)
_GONE = "9" * 12  # in the place of a date that may be lost, so that a weekday beside it is no name
# German words before a noun, "mit der neuen Wohnung". Before a name there is rarely one.
_BEFORE_A_NOUN = re.compile(
    r"\b(?:der|die|das|de[mns]|(?:k?ein|mein|dein|sein|unser|euer|eur|ihr|jed|dies|welch)(?:e[mnrs]?)?"
    r"|[ai]m|zu[mr]|beim|vom|ins|ans) (?:[a-zäöüß]{2,}e[mnrs]? )?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Detail:
    """A detail of a text. It is kept if all its `parts` are said. `beside`: the words before and after it."""

    kind: str
    said: str
    parts: tuple[str, ...]
    beside: tuple[tuple[str, str], ...]


def lost_details(
    old: str,
    new: str,
    *,
    names: Collection[str] = (),
    own: Collection[str] = (),
    may_go: Callable[[Period], bool] | None = None,
) -> tuple[str, ...]:
    """The names, numbers and dates of `old` that `new` neither says nor contradicts, as written in `old`.

    A detail is contradicted if another of its kind takes its place, with the same word before or after it; each can
    contradict one. A number that `new` says more often is another one, too. `names`: words that are always names.
    `own`: names of the two who talk, which need not be said; `may_go`: which dates need not, in digits or by name
    ("2026-08-03", "August 2026", "3 août").
    """
    unsaid = {("number", (_GONE,)), *(("name", (word,)) for word in _words_of(own))}
    needed = old if may_go is None else _without_dates(old, may_go)
    before = [detail for detail in _read(needed, names) if (detail.kind, detail.parts) not in unsaid]
    after = _read(new, names)
    said = _said(new)
    known, told = (
        Counter((one.kind, one.parts) for one in details) for details in (_read(old, names), after)
    )
    lost = [detail for detail in before if not _is_said(detail, said)]
    instead: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for place, detail in reversed(list(enumerate(after))):
        one = (detail.kind, detail.parts)
        if one not in known or (detail.kind == "number" and told[one] > known[one]):
            for beside in detail.beside:
                instead[(detail.kind, *beside)].append(place)
    taken: set[int] = set()
    eroded = [detail for detail in lost if not _contradicted(detail, instead, taken)]
    return tuple(dict.fromkeys(detail.said for detail in eroded))


def details_of(text: str, names: Collection[str]) -> set[str]:
    """The names, numbers and dates of a text, as written."""
    return {detail.said for detail in _read(text, names)}


class Said:
    """The words of a text, in which names are looked up with the endings and particles on them."""

    def __init__(self, words: set[str]) -> None:
        self._words = words

    def __contains__(self, part: str) -> bool:
        return part in self._words

    def names(self, name: str) -> bool:
        """Return whether a folded name, not in ASCII, is said in another case or with particles."""
        return undeclined(name) in self._declined or self.attached(name)

    def attached(self, name: str) -> bool:
        """Return whether particles are attached to it, in a script without capitals: 蓮は, マイケルさんが, وخالد."""
        if WITHOUT_SPACES.match(name):
            return stands_within(name, self._dense)
        return name in self._ends and unicodedata.category(name[0]) == "Lo"

    @cached_property
    def _declined(self) -> set[tuple[str, int]]:
        return {name for word in self._words for name in declensions(word)}

    @cached_property
    def _ends(self) -> set[str]:
        return {word[attached:] for word in self._words for attached in range(3)}

    @cached_property
    def _dense(self) -> str:
        return " ".join(filter(WITHOUT_SPACES.search, self._words))


def says_name_of(texts: Iterable[Said], other: str, known: Collection[str] = ()) -> bool:
    """Return whether any of the texts, as `names_in` reads them, says a name of the other one; of names in a row
    (Kansas City), the first. `known`: words that are always names.
    """
    names: list[_Detail] = []
    last = ""
    for detail in (detail for detail in _read(other, known) if detail.kind == "name"):
        follows, last = ("before", last) in detail.beside, detail.parts[0]
        if not follows:
            names.append(detail)
    return any(_is_said(name, said) for said in texts for name in names)


def names_in(text: str) -> Said:
    """The words of a text that have a capital; all of them if none has."""
    cased = text != text.lower()
    return Said({_word(token) for token in _TOKEN.findall(_normal(text)) if not cased or token[0].isupper()})


def _without_dates(text: str, may_go: Callable[[Period], bool]) -> str:
    text = normal_form("NFKC", text)
    letters = [fold(letter) for letter in text]
    places = [place for place, forms in enumerate(letters) for _ in forms] + [len(text)]
    folded, mentions = dates_in("".join(letters))
    if len(folded) + 1 != len(places):  # numbers in Han signs were rewritten
        return text
    for mention in sorted(mentions, key=lambda one: one.start, reverse=True):
        if may_go(mention.period):
            text = f"{text[: places[mention.start]]} {_GONE} {text[places[mention.end] :]}"
    return text


def _is_said(detail: _Detail, said: Said) -> bool:
    if all(part in said for part in detail.parts):
        return True
    name = detail.parts[0]
    return detail.kind == "name" and not name.isascii() and said.names(name)


def _contradicted(detail: _Detail, instead: dict[tuple[str, str, str], list[int]], taken: set[int]) -> bool:
    for beside in detail.beside:
        places = instead.get((detail.kind, *beside), [])
        while places:
            place = places.pop()
            if place not in taken:
                taken.add(place)
                return True
    return False


def _words_of(names: Collection[str]) -> set[str]:
    return {word for name in names for word in map(_word, _TOKEN.findall(normal_form("NFKC", name)))}


def _read(text: str, names: Collection[str]) -> list[_Detail]:
    """The details of a text, in order."""
    text = _normal(text)
    called = _words_of(names)
    tokens = list(_TOKEN.finditer(text))
    words = [_word(token[0]) for token in tokens]
    found: list[_Detail] = []
    for place, token in enumerate(tokens):
        opens = place == 0 or bool(_ENDS_SENTENCE.search(text, tokens[place - 1].end(), token.start()))
        near = (*tokens[max(place - 1, 0) : place], *tokens[place + 1 : place + 2])
        beside_number = any(other[0][0].isdecimal() for other in near)
        plain = opens or bool(_BEFORE_A_NOUN.search(text[max(token.start() - 40, 0) : token.start()]))
        kind, parts = _kind(token[0], plain=plain, called=called, beside_number=beside_number)
        before = (("before", words[place - 1]),) if place else ()
        following = (("after", words[place + 1]),) if place + 1 < len(tokens) else ()
        if kind == "date" and place > 1 and text[tokens[place - 1].end() : token.start()].endswith("("):
            amount, unit = tokens[place - 2][0], tokens[place - 1][0]
            if amount[0].isdecimal() and not unit[0].isdecimal():
                before = (*before, ("before", "("))  # "76 kg (2026-02-10)", "165 lb (2026-03-24)"
        if kind:
            found.append(_Detail(kind, token[0], parts, (*before, *following)))
        elif not token[0].isascii():
            within = Said({words[place]})
            called_here = {name for name in called if not name.isascii() and within.attached(name)}
            called_here |= titled_names(words[place])
            found += [_Detail("name", name, (name,), (*before, *following)) for name in sorted(called_here)]
    return found


def _kind(
    token: str, *, plain: bool, called: Collection[str], beside_number: bool
) -> tuple[str, tuple[str, ...]]:
    """The kind of a detail and its parts; "" for a word that is none. `plain`: its capital means nothing."""
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


def _said(text: str) -> Said:
    """All words and numbers of a text, and the numbers of the months it names."""
    said: set[str] = set()
    for token in _TOKEN.findall(_normal(text)):
        if token[0].isdecimal():
            said.update(_plain(part) for part in _PARTS.split(_number(token)))
        else:
            word = _word(token)
            said.add(word)
            said.update([str(MONTHS[word])] if word in MONTHS else [])
    return Said(said)


def _normal(text: str) -> str:
    """The text in normal form, with no spaces or apostrophes between thousands."""
    return _SPACED.sub(lambda number: _SPACES.sub("", number[0]), normal_form("NFKC", text))


def _number(token: str) -> str:
    """A number in ASCII digits, without points or commas between thousands."""
    return _THOUSANDS.sub("", plain_digits(token))


def _plain(number: str) -> str:
    return number.lstrip("0") or "0"


def _word(token: str) -> str:
    """A word without case, accents, and the endings that are added to names: possessive, plural or case."""
    ended = _ENDED.fullmatch(token)
    word = fold(ended[1] if ended else token)
    return word.removesuffix("s") if len(word) > 3 else word

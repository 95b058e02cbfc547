"""Split a text into words and identifiers that can be compared whatever their spelling. Pure, in linear time.

Case, accents, points, width and separators are folded: `020-7946-0018`, `02079460018` and `+44 20 7946 0018` share a
form. Identifiers are whole: ORD-17 is not in ORD-170, eva@firm.org not in eva@firm.org.br, Anne-Marie not in Anne.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from providers.normal_form import normal_form, plain_digits

Stems = Mapping[str, Collection[str]]  # by word; a stop word has none

LONGEST = 50_000  # characters of a text that are compared
LONGEST_KEPT = 40  # characters of a word whose forms are cached
_SPACED = re.compile(
    r"(?P<account>\b[A-Z]{2}\d{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?\b)"
    r"|(?P<card>(?<![\w.-])\d{4}(?:[ -]\d{4}){3}(?![\w-]))"
    r"|(?P<serial>\b[A-Z]{2,6} ?#? ?\d{1,12}\b(?![-.@_/]\w))"
    r"|(?P<phone>(?<![\w@.,/-])(?:\+ ?)?\(?\d[\d().\-/ \u2010\u2011\u2013]{5,24}\d(?![\w@]|[-./]\w))"
)
# Vowels and other marks on a letter, which belong to its word, though patterns don't count them as letters.
MARKS = "".join(
    chr(code) for code in range(0x0300, 0x1B00) if unicodedata.category(chr(code)) in {"Mn", "Mc"}
)
WORD = rf"[^\W_]+(?:[{MARKS}]+[^\W_]*)*"
_JOINED = re.compile(rf"{WORD}(?:(?:://|[-.@_'’/:+&=?%\u2010\u2011]+|(?<=\d),(?=\d)){WORD})*")
_PART = re.compile(WORD)
_JOINTS = re.compile(r"[\W_]+")
# Hebrew points, Arabic vowels and hamzas, the Arabic letter that only lengthens a word, and nukta: often left out.
POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c"
_ACCENTS = re.compile(f"[\u0300-\u036f{POINTS}]")
_DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}|\d{1,2}:\d\d|\d{4}[-/]\d{1,2}")
_DECIMAL = re.compile(r"(?P<whole>\d{1,3}(?:[.,'’]\d{3})+|\d+)(?:[.,](?P<part>\d{1,2}))?")
_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?].*)?")
_SCHEME = re.compile(r"^(?:[a-z]+://)?(?:www\.)?")
_NOT = re.compile(r"[a-z]+n['’]t", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’][sS]?$")
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ى": "ي", "ة": "ه"}
)
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
# Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, Kana, Han with its iteration marks.
DENSE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
DENSE += "\U00020000-\U0003ffff"
# They are compared by pairs of characters.
_NO_SPACES = re.compile(f"[{DENSE}]+")
_SHORTEST_PHONE = 7  # digits
_SERIAL = re.compile(r"[^\W\d_][-./#_]{1,2}\d|\d[-./#_]{1,2}[^\W\d_]|[A-Z] ?#? ?\d")
_SPELT_APART = re.compile(r"\d[.,'’]\d|://|\bwww\.|\w/(?!\w)", re.IGNORECASE)
_DIGITS = re.compile(r"\d(?:\D{0,3}\d){6}")  # as many digits, close to each other


class Word(NamedTuple):
    """A word and its place. `forms`: its spellings; two words that share one are the same. `identifier`: a number, an
    address, a ticket or the like, which has no other endings."""

    forms: frozenset[str]
    start: int
    end: int
    identifier: bool = False
    capital: bool = False

    @property
    def plain(self) -> str:
        return min(self.forms, key=lambda form: (len(form), form))

    @property
    def identifies(self) -> bool:
        """Whether it means one thing only: an address, a ticket, a long number."""
        form = self.plain if self.identifier else ""
        letters = any(letter.isalpha() for letter in form)
        return "@" in form or "/" in form or letters or sum(letter.isdecimal() for letter in form) >= 5


def normal(text: str) -> str:
    """The text to which the words' places refer: with width and digits folded, at most LONGEST characters."""
    return plain_digits(normal_form("NFKC", text[:LONGEST]).replace("\x00", " "))


def words_of(text: str) -> list[Word]:
    """The words of `normal(text)`, in order."""
    return list(_words(normal(text)))


def telephones(text: str) -> list[str]:
    """The text's telephone numbers in a common spelling: 020-7946-0018 and +44 20 7946 0018 share `tel2079460018`. As a
    country code has one to three digits, there is one for each length."""
    if not _DIGITS.search(text):
        return []
    forms = {form for word in words_of(text) if word.identifier for form in word.forms}
    return sorted(form.replace(":", "") for form in forms if form.startswith("tel:"))


def serials(text: str) -> list[str]:
    """The text's ticket numbers and the like, made of letters and digits with separators, in a common spelling: `ord17`
    for ORD-17 and ORD 17."""
    if not _SERIAL.search(text):
        return []
    return sorted(form for word in words_of(text) for form in word.forms if _is_serial(word, form))


def spelt_alike(text: str) -> list[str]:
    """The text's amounts and web addresses in a common spelling: `1200.50` for 1,200.50 and 1.200,50, `maya.dev` for
    https://www.maya.dev/."""
    if not _SPELT_APART.search(text):
        return []
    forms = {form for word in words_of(text) if word.identifier for form in word.forms}
    return sorted(form for form in forms if "/" in form or "." in form or form.isdecimal())


def serials_asked(text: str) -> list[str]:
    """The same, for a question, which may write them with a space and without capitals: ord 17."""
    pairs = pairwise(words_of(text)) if any(map(str.isdecimal, text)) else ()
    met = [(one, two) for one, two in pairs if two.identifier and not one.identifier and joins(one, two)]
    return sorted({f"{one.plain}{two.plain}" for one, two in met if two.plain.isalnum()})


def _is_serial(word: Word, form: str) -> bool:
    return word.identifier and form.isalnum() and not form.isdecimal()


def fold(word: str) -> str:
    """Remove case and accents, and replace letters of single languages by similar ones."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    plain = _ACCENTS.sub("", plain_digits(normal_form("NFKD", folded)))
    return normal_form("NFC", plain).translate(_LETTERS)


def folds(text: str) -> str:
    """The text in all ways in which its words may be folded: for a first look, before splitting it."""
    text = normal(text)
    return text.lower() if text.isascii() else " ".join(_forms(text))


def spelt(words: Iterable[Word], stems: Stems) -> set[str]:
    """All spellings of these words: their forms, the stems of plain ones, and joined neighbours."""
    found: set[str] = set()
    listed = list(words)
    for word in listed:
        found |= word.forms
        if not word.identifier:
            found.update(f"~{stem}" for form in word.forms for stem in stems.get(form, ()))
    for first, second in pairwise(listed):
        if joins(first, second):
            found.update(one + two for one in first.forms for two in second.forms)
    return found


def one_word(first: Word, second: Word, there: Collection[str]) -> bool:
    """Return whether two neighbours of a question are one word in the text: anne marie, Anne-Marie."""
    near = 0 <= second.start - first.end <= 2
    return near and any(one + two in there for one in first.forms for two in second.forms)


def joins(first: Word, second: Word) -> bool:
    """Return whether two neighbours may be one word with a separator: Anne Marie, ord 17."""
    if not 0 <= second.start - first.end <= 2:
        return False
    serial = second.identifier and not first.identifier and len(first.plain) <= 6
    return serial or (first.capital and second.capital)


def is_in(word: Word, spellings: Collection[str], stems: Stems) -> bool:
    """Return whether a text with these spellings contains the word, with any ending."""
    if any(form in spellings for form in word.forms):
        return True
    if word.identifier:
        return False
    return any(f"~{stem}" in spellings for form in word.forms for stem in stems.get(form, ()))


def _words(text: str) -> Iterator[Word]:
    place = 0
    for match in _SPACED.finditer(text):
        forms = _spaced_forms(match)
        if not forms:
            continue
        yield from _between(text, place, match.start())
        yield Word(forms, *match.span(), identifier=True)
        place = match.end()
    yield from _between(text, place, len(text))


def _between(text: str, start: int, end: int) -> Iterator[Word]:
    for match in _JOINED.finditer(text, start, end):
        place = match.start()
        # Long words rarely repeat, and would displace the others in the cache.
        classified = _classified if len(match[0]) <= LONGEST_KEPT else _classified.__wrapped__
        for word in classified(match[0]):
            yield Word(word.forms, place + word.start, place + word.end, word.identifier, word.capital)


def _spaced_forms(match: re.Match[str]) -> frozenset[str]:
    """The forms of a number that is written in groups; none if it isn't a single number."""
    written = match[0]
    if match.lastgroup != "phone":
        return frozenset([_bare(written)])
    if _DATE.fullmatch(written) or _DECIMAL.fullmatch(written):
        return frozenset()
    digits = _bare(written)
    groups = re.findall(r"\d+", written)
    marked = written[0] in "+(" or digits[0] == "0"
    if not marked and " " in written and not (len(groups) >= 3 and len(digits) in (9, 10, 11)):
        return frozenset()
    if not _SHORTEST_PHONE <= len(digits) <= 15 or _DATE.match(written):
        return frozenset()
    return telephone(written)


def telephone(written: str) -> frozenset[str]:
    """The forms of a telephone number: its digits, and those without a country code or the leading 0 (E.164: a code has
    one to three digits)."""
    digits = _bare(written)
    abroad = written.startswith("+") or digits.startswith("00")
    if abroad:
        digits = digits.removeprefix("00")
        return frozenset(
            [
                digits,
                *(f"tel:{digits[code:].removeprefix('0')}" for code in (1, 2, 3) if len(digits) - code >= 7),
            ]
        )
    return frozenset([digits, f"tel:{digits.removeprefix('0')}"])


@lru_cache(maxsize=16_384)
def _classified(written: str) -> tuple[Word, ...]:
    """The words of a run of characters, with their places in it."""
    end = len(written)
    if written.isascii() and written.isalpha():  # most words; what follows would have the same result
        return (Word(frozenset([written.lower()]), 0, end, capital=written[0].isupper()),)
    folded = fold(written)
    if "@" in written or "://" in written or (_HOST.fullmatch(folded) and ("/" in written or "." in written)):
        address = _SCHEME.sub("", folded).rstrip("/")
        return (Word(frozenset([address]), 0, end, identifier=True),)
    if any(letter.isdigit() for letter in written) and not _NO_SPACES.search(written):
        return (Word(_number_forms(folded), 0, end, identifier=True),)
    return tuple(_spoken(written))


def _number_forms(folded: str) -> frozenset[str]:
    if _DATE.fullmatch(folded):
        return frozenset([folded])
    if decimal := _DECIMAL.fullmatch(folded):
        whole, part = _bare(decimal["whole"]), decimal["part"]
        cents = "" if part is None or int(part) == 0 else "." + part.ljust(2, "0")
        forms = {whole + cents}
        return frozenset(forms) | (telephone(whole) if not cents and len(whole) >= 9 else frozenset())
    digits = _bare(folded)
    return frozenset([digits]) | (
        telephone(digits) if digits.isdecimal() and len(digits) >= 7 else frozenset()
    )


def _bare(written: str) -> str:
    return _JOINTS.sub("", fold(written))


def _spoken(written: str) -> Iterator[Word]:
    """Plain words: a hyphenated name is one, other joined words are separate."""
    if _NOT.fullmatch(written):
        yield Word(frozenset(["not"]), 0, len(written))
        return
    owned = _POSSESSIVE.sub("", written)
    parts = list(_PART.finditer(owned))
    if len(parts) > 1 and "-" in owned and all(part[0][0].isupper() for part in parts):
        yield Word(_forms("".join(part[0] for part in parts)), 0, len(owned), capital=True)
        return
    for part in parts:
        capital = part[0][0].isupper()
        for run, offset in _runs(part[0]):
            place = part.start() + offset
            yield Word(_forms(run), place, place + len(run), capital=capital)


def _runs(word: str) -> Iterator[tuple[str, int]]:
    """Split a script without spaces into pairs of characters; leave the rest unchanged."""
    place = 0
    for match in _NO_SPACES.finditer(word):
        if match.start() > place:
            yield word[place : match.start()], place
        signs = match[0]
        for offset in range(max(1, len(signs) - 1)):
            yield signs[offset : offset + 2], match.start() + offset
        place = match.end()
    if place < len(word):
        yield word[place:], place


def _forms(word: str) -> frozenset[str]:
    folded = normal_form("NFC", word).casefold()
    return frozenset([fold(word), fold(folded.translate(UMLAUTS))])

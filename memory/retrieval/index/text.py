"""Prepares texts for the index. Pure: the same text gives the same words on every machine and PostgreSQL.

PostgreSQL's parser separates words at white space. In scripts without it, overlapping pairs of characters take the
place of words, which needs no dictionary (as in Lucene's CJKAnalyzer), and each Han character is added by itself, as
many are words. A question is split in the same way.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from memory.words import MARKS, POINTS, UMLAUTS, WORD, serials, spelt_alike, telephones
from providers.normal_form import normal_form

LONGEST = 65_536  # characters that are indexed; more might not fit in PostgreSQL's 1 MB of lexemes for a row

# Han with its iteration marks, kana, Hangul (spaces, but particles glued on), Thai, Lao, Khmer, Myanmar.
_RANGES = (
    (0x3005, 0x3007),
    (0x3041, 0x309F),
    (0x30A1, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
    (0x0E01, 0x0E4E),
    (0x0E81, 0x0EDF),
    (0x1000, 0x109F),
    (0x1780, 0x17DD),
)
_DENSE = "".join(f"{chr(first)}-{chr(last)}" for first, last in _RANGES)
_RUN = re.compile(f"[{_DENSE}]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
# Signs that sit on the letter before them: they are no letters of their own.
_MARKS = "".join(
    chr(code)
    for first, last in _RANGES
    if last < 0x20000
    for code in range(first, last + 1)
    if unicodedata.category(chr(code)) in {"Mn", "Mc"}
)
_LETTER = re.compile(f".[{_MARKS}]*", re.DOTALL)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
# PostgreSQL's parser looks for addresses, paths and comments to the end of a run, from each `_` and `~` in it anew.
LONGEST_RUN = 250  # signs without white space
_LONG_RUN = re.compile(rf"(\S{{{LONGEST_RUN}}})(?=\S)")
_FIRST_EMOJI = 0x2190  # symbols from the arrows on; below are such as © and °
_WORD = re.compile(WORD)
_ACCENTS = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ß": "ss", "ı": "i"}
)
_POINTS = re.compile(f"[{POINTS}]")
# "And", "to", "with" and the like are written as the first letters of an Arabic word.
_ARABIC = re.compile("(?P<joined>[وف]?[بلك]?)(?P<word>[\u0621-\u064a]{3,})")
_SPACE_BEFORE_SIGN = re.compile(r" ([,.;:!?])")


def words_for_index(text: str, *, longest: int = LONGEST) -> str:
    """`text` as `to_tsvector` is to read it: words with spaces between them, in lower case.

    Runs of a script without spaces become overlapping pairs, a sign by itself stays one. An emoji becomes a word of
    its own, 😀 `u1f600`, as the parser would drop it. Then what else its words are found by: Han signs, words without
    their accents or what is joined to them, and telephone numbers, tickets, amounts and web addresses by what their
    spellings share. At most `longest` characters of the text are read, and what goes on without white space is cut
    after LONGEST_RUN.
    """
    composed = normal_form("NFKC", text[:longest])
    folded = composed.lower().replace("\x00", " ")[:longest]
    whole = telephones(folded)
    if others := [*serials(composed), *spelt_alike(folded)]:
        there = {*_WORD.findall(folded), *folded.split()}
        whole += [other for other in others if other not in there]
    words = _spelt_out(folded)
    if not words.isascii():
        whole = [*_other_spellings(words), *_HAN.findall(words), *whole]
        words = _RUN.sub(_pairs, words)
    return " ".join([words, *whole]) if whole else words


def count_words(text: str) -> int:
    """How many there are, each in one spelling; of a script without spaces, its pairs."""
    words = _RUN.sub(_pairs, _spelt_out(normal_form("NFKC", text).lower()))
    return sum(any(map(str.isalnum, word)) for word in words.split())


def _spelt_out(folded: str) -> str:
    folded = _LONG_RUN.sub(r"\1 ", folded.replace("<!--", " "))
    return folded if folded.isascii() else _BEYOND_ASCII.sub(lambda match: _spelt(match[0]), folded)


def _other_spellings(words: str) -> Iterable[str]:
    """Words of Latin letters without their accents, so that "renee muller" and "renee mueller" find Renée Müller, and
    Arabic ones without what is joined to them, or with the ending that is often written so. Both stay: endings are told
    by accents in some languages."""
    found: dict[str, None] = {}
    for word in dict.fromkeys(_WORD.findall(words)):
        for spelling in (word, word.translate(UMLAUTS)):
            bare = _ACCENTS.sub("", normal_form("NFKD", spelling)).translate(_LETTERS)
            if bare != word and bare.isascii():
                found[bare] = None
        if match := _ARABIC.fullmatch(word):
            found |= dict.fromkeys([match["word"]] if match["joined"] else [])
            found |= dict.fromkeys([f"{match['word'][:-1]}ة"] if word.endswith("ه") else [])
    return found


def first_words(words: str, most: int) -> str:
    """`words` up to its `most`-th different word, however they are parted: what PostgreSQL makes of it is bounded."""
    if len(words) < 2 * most:
        return words  # too short to hold more
    seen: set[str] = set()
    for match in _WORD.finditer(words):
        seen.add(match[0])
        if len(seen) > most:
            return words[: match.start()]
    return words


def text_hash(text: str) -> bytes:
    """SHA-256 of the text, 32 bytes: a vector of another one is stale."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def without_names(text: str, names: Iterable[str]) -> str:
    """`text` as a small embedding model is to read it: without the names people call each other.

    Such models match names rather than what is said (measured: 44 to 59 recall@10 without them). Whole words in any
    case, with a following 's; each part of a name counts. A text of nothing but names stays as it is.
    """
    pattern = _names_pattern(tuple(sorted({name for name in names if name.strip()})))
    if pattern is None:
        return text
    cut = " ".join(pattern.sub(" ", text).split())
    return _SPACE_BEFORE_SIGN.sub(r"\1", cut).strip(" ,") if _WORD.search(cut) else text


@lru_cache(maxsize=1024)
def _names_pattern(names: tuple[str, ...]) -> re.Pattern[str] | None:
    parts = {part for name in names for part in (name, *_WORD.findall(name))}
    if not parts:
        return None
    longest_first = sorted(map(re.escape, parts), key=lambda part: (-len(part), part))
    names_or = "|".join(longest_first)
    return re.compile(rf"(?<![\w{MARKS}])(?:{names_or})(?:['’]s)?(?![\w{MARKS}])", re.IGNORECASE)


def _pairs(run: re.Match[str]) -> str:
    letters = _LETTER.findall(run[0])
    pairs = [first + second for first, second in pairwise(letters)] or letters
    return f" {' '.join(pairs)} "


@lru_cache(maxsize=16_384)
def _spelt(sign: str) -> str:
    """A character beyond ASCII as the parser is to see it. Which of them are letters, servers judge differently."""
    category = unicodedata.category(sign)
    if sign in "’ʼ＇":
        return "'"
    if sign == "ё":
        return "е"
    if category == "So" and ord(sign) >= _FIRST_EMOJI:
        return f" u{ord(sign):x} "
    # Joiners, skin tones, variation selectors, and the dot of an İ in lower case.
    if category in {"Cf", "Sk"} or 0xFE00 <= ord(sign) <= 0xFE0F or sign == "\u0307" or _POINTS.match(sign):
        return ""
    return " " if category[0] in "PSZC" else sign

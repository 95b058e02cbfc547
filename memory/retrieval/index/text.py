"""Prepare texts for the index. Pure: the same text gives the same words on every machine and PostgreSQL.

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

from memory.retrieval.index.parts import parts_of
from memory.words import MARKS, POINTS, UMLAUTS, WORD, fold, serials, spelt_alike, telephones
from providers.normal_form import normal_form, plain_digits

LONGEST = 65_536  # characters that are indexed; more might not fit into a tsvector, which has up to 1 MB

# Han with its iteration marks, kana, Hangul (spaces, but particles glued on), Thai, Lao, Khmer, Myanmar.
_RANGES = (
    (0x3005, 0x3007), (0x3041, 0x309F), (0x30A1, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0x20000, 0x323AF), (0x0E01, 0x0E4E), (0x0E81, 0x0EDF), (0x1000, 0x109F),
    (0x1780, 0x17DD),
)  # fmt: skip
_DENSE = "".join(f"{chr(first)}-{chr(last)}" for first, last in _RANGES)
_RUN = re.compile(f"[{_DENSE}]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
# Marks on the letter before them, which are not letters.
_MARKS = "".join(
    chr(code)
    for first, last in _RANGES
    if last < 0x20000
    for code in range(first, last + 1)
    if unicodedata.category(chr(code)) in {"Mn", "Mc"}
)
_LETTER = re.compile(f".[{_MARKS}]*", re.DOTALL)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
# PostgreSQL's parser searches for URLs, paths and comments up to the end of a run, again from each `_` and `~` in it.
LONGEST_RUN = 250  # characters without white space
_LONG_RUN = re.compile(rf"(\S{{{LONGEST_RUN}}})(?=\S)")
_FIRST_EMOJI = 0x2190  # symbols from the arrows on; before them are such as © and °
_WORD = re.compile(WORD)

_POINTS = re.compile(f"[{POINTS}]")
# In Arabic, "and", "to", "with" and the like are the first letters of a word.
_ARABIC = re.compile("(?P<joined>[وف]?[بلك]?)(?P<word>[\u0621-\u064a]{3,})")
_SPACE_BEFORE_SIGN = re.compile(r" ([,.;:!?])")


def words_for_index(text: str, *, longest: int = LONGEST) -> str:
    """Prepare `text` for `to_tsvector`: words with spaces between them, in lower case.

    Runs of a script without spaces become overlapping pairs; a single character stays one. Digits become ASCII. An
    emoji becomes a word, 😀 `u1f600`, as the parser would drop it. Then other forms are added by which words are found:
    Han characters, words without their accents or prefixes, the common spelling of telephone numbers, tickets, amounts
    and web addresses, and the parts of paths and other names (parts.py). At most `longest` characters of the text are
    read, and runs without white space are cut after LONGEST_RUN.
    """
    composed = plain_digits(normal_form("NFKC", text[:longest]))
    folded = composed.lower().replace("\x00", " ")[:longest]
    whole = telephones(folded)
    if others := [*serials(composed), *spelt_alike(folded)]:
        there = {*_WORD.findall(folded), *folded.split()}
        whole += [other for other in others if other not in there]
    words = _spelt_out(folded)
    if parts := [part for part in parts_of(composed) if not _RUN.search(part)]:
        words = f"{words} {_spelt_out(' '.join(parts))}"
    if not words.isascii():
        whole = [*_other_spellings(words), *_HAN.findall(words), *whole]
        words = _RUN.sub(_pairs, words)
    return " ".join([words, *whole]) if whole else words


def count_words(text: str) -> int:
    """Count words, each in one spelling; in a script without spaces, count pairs."""
    words = _RUN.sub(_pairs, _spelt_out(normal_form("NFKC", text).lower()))
    return sum(any(map(str.isalnum, word)) for word in words.split())


def _spelt_out(folded: str) -> str:
    folded = _LONG_RUN.sub(r"\1 ", folded.replace("<!--", " "))
    return folded if folded.isascii() else _BEYOND_ASCII.sub(lambda match: _spelt(match[0]), folded)


def _other_spellings(words: str) -> Iterable[str]:
    """Words in Latin letters without accents, so that "renee muller" and "renee mueller" find Renée Müller, and Arabic
    ones without prefixes or with a frequent spelling of their ending. The original words are kept, too, as in some
    languages accents distinguish endings."""
    found: dict[str, None] = {}
    for word in dict.fromkeys(_WORD.findall(words)):
        for spelling in (word, word.translate(UMLAUTS)):
            bare = fold(spelling)
            if bare != word and bare.isascii():
                found[bare] = None
        if match := _ARABIC.fullmatch(word):
            found |= dict.fromkeys([match["word"]] if match["joined"] else [])
            found |= dict.fromkeys([f"{match['word'][:-1]}ة"] if word.endswith("ه") else [])
    return found


def first_words(words: str, most: int) -> str:
    """Cut `words` after the `most`-th different word, to limit what PostgreSQL makes of it."""
    if len(words) < 2 * most:
        return words  # too short to have more
    seen: set[str] = set()
    for match in _WORD.finditer(words):
        seen.add(match[0])
        if len(seen) > most:
            return words[: match.start()]
    return words


def text_hash(text: str) -> bytes:
    """SHA-256 of the text, 32 bytes. A vector with another hash is stale."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def without_names(text: str, names: Iterable[str]) -> str:
    """Prepare `text` for a small embedding model: without the names of the two who talk.

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
    """Write a non-ASCII character for the parser, as servers disagree on which of them are letters."""
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

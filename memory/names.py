"""Names and keywords in scripts without capitals or spaces, with what is attached to them, and names in cases. Pure."""

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

from memory.words import DENSE, Word, normal

WITHOUT_SPACES = re.compile(f"[{DENSE}]")  # there is no beginning of a word to match
_ALONE = "(?<![\u4e00-\u9fff]){}(?![\u4e00-\u9fff])"
_TITLE = re.compile("(?:さん|さま|様|ちゃん|くん|君|先生|씨|님|老师|老師)$")
_TITLED = re.compile(
    "([\u3005\u4e00-\u9fff]{2,6}|[\u30a1-\u30fa\u30fc]{2,12})(さん|さま|様|ちゃん|くん|君|氏|先生)"
)


def titled_names(text: str) -> set[str]:
    """The names before a Japanese title of address, in Han signs or katakana: 佐々木さん, ミナちゃん."""
    return set() if text.isascii() else {name for name, _ in _TITLED.findall(text)}


def without_titles(text: str) -> str:
    """The text with spaces in the place of the titles behind such names."""
    return text if text.isascii() else _TITLED.sub(lambda match: match[1] + " " * len(match[2]), text)


def is_name(word: Word, text: str) -> bool:
    """Return whether a word of a text has a capital letter although it is not at the beginning of a sentence, or a
    title behind it.
    """
    opens, titled = _places(text)
    return word.start in titled or (word.capital and not word.identifier and word.start > opens)


@lru_cache(maxsize=64)  # asked for each word of a sentence
def _places(text: str) -> tuple[int, frozenset[int]]:
    """Where the first word of a sentence begins, and where names stand that have a title behind them."""
    written = normal(text)
    titled = () if written.isascii() else _TITLED.finditer(written)
    opens = len(written) - len(written.lstrip(" \"'“”"))
    return opens, frozenset(place for match in titled for place in range(*match.span(1)))


def attaches(sign: str) -> bool:
    """Return whether it is a letter of a script without capitals, in which other words may be attached to a word."""
    return unicodedata.category(sign) in {"Lo", "Lm"}


def is_called(word: str, names: Collection[str]) -> bool:
    """Return whether a word is one of these names or, before a title of address (美香さん), how one of them begins or
    ends, as 佐藤美香 does."""
    name = _TITLE.sub("", word)
    return word in names or (
        name not in ("", word) and any(full.startswith(name) or full.endswith(name) for full in names)
    )


def stands_within(name: str, text: str) -> bool:
    """Return whether a folded name in a script without capitals, to which particles are attached, is in a folded text;
    a name of one Han sign, in no longer word of them."""
    return name in text if len(name) > 1 else bool(re.search(_ALONE.format(re.escape(name)), text))


def declined(name: str, word: str) -> bool:
    """Return whether a word may be the name in another case, like Юлию for Юлия: both (folded) begin alike. Not in
    Latin letters, where it is mostly another word."""
    return not name.isascii() and undeclined(name) in declensions(word)


def undeclined(name: str) -> tuple[str, int]:
    """What its cases have in common: how it begins, and its length, from which theirs differ by up to two letters."""
    return name[: max(3, len(name) - 2)], len(name)


def declensions(word: str) -> set[tuple[str, int]]:
    """What is common to the names of which it may be a case."""
    lengths = range(max(1, len(word) - 2), len(word) + 3)
    return {(word[: min(length, max(3, length - 2))], length) for length in lengths}

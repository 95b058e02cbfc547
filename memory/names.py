"""Names and keywords in scripts without capitals, which have no spaces or attach particles and titles. Pure."""

import re
import unicodedata
from collections.abc import Collection

# Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, Kana, Han. There is no beginning of a word to match.
WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)
_ALONE = "(?<![\u4e00-\u9fff]){}(?![\u4e00-\u9fff])"
_TITLE = re.compile("(?:さん|さま|様|ちゃん|くん|君|先生|씨|님|老师|老師)$")


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

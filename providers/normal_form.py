"""Unicode normalisation in linear time, and plain digits."""

import re
import unicodedata
from typing import Literal

# Python sorts a run of combining marks in quadratic time.
PIECE = 1000  # characters that are normalised together
# A piece ends before an ASCII character, which never combines with what precedes it; without one in reach, anywhere.
_PIECES = re.compile(rf".{{1,{PIECE}}}(?=[\x00-\x7f]|\Z)|.{{1,{PIECE}}}", re.DOTALL)
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_ARABIC_POINT, _ARABIC_COMMA = "\u066b", "\u066c"


def normal_form(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Normalise a text. In a run of more than PIECE non-ASCII characters, nothing is composed across a cut."""
    if len(text) <= PIECE:
        return unicodedata.normalize(form, text)
    return "".join(unicodedata.normalize(form, piece) for piece in _PIECES.findall(text))


def plain_digits(text: str) -> str:
    """Replace the digits of all scripts by ASCII digits, with Arabic decimal points and separators of thousands. The
    places in the text stay the same."""
    if text.isascii():
        return text
    plain = _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
    return plain.replace(_ARABIC_POINT, ".").replace(_ARABIC_COMMA, ",")

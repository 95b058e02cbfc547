"""Unicode's normal forms, in time that grows with the text."""

import re
import unicodedata
from typing import Literal

# Marks in a row are put in order by exchanging neighbours, which takes the square of their number.
PIECE = 1000  # characters that are looked at together
# It ends before an ASCII character, which joins nothing that stands before it; without one in reach, anywhere.
_PIECES = re.compile(rf".{{1,{PIECE}}}(?=[\x00-\x7f]|\Z)|.{{1,{PIECE}}}", re.DOTALL)


def normal_form(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """`text` in that form; past PIECE characters without one of ASCII, what is cut is not composed."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize(form, piece) for piece in _PIECES.findall(text))

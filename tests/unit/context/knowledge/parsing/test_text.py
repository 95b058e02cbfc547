import pytest

from context.knowledge.parsing.base import Limits
from context.knowledge.parsing.text import parse_text

LIMITS = Limits(pages=1, characters=100)
CASES = {
    "UTF-8": ("Grüße\n\nשלום".encode(), ["Grüße", "שלום"]),
    "UTF-8 with its mark": ("\ufeffHi".encode(), ["Hi"]),
    "UTF-16": ("Grüße".encode("utf-16"), ["Grüße"]),
    "Windows": ("Grüße €5".encode("cp1252"), ["Grüße €5"]),
    "with a NUL byte": (b"one\x00two", ["one\ufffdtwo"]),
    "white space": (b" \n\n \t", []),
}


@pytest.mark.parametrize(("content", "texts"), CASES.values(), ids=CASES)
def test_text_is_read_in_its_encoding(content: bytes, texts: list[str]) -> None:
    assert [block.text for block in parse_text(content, LIMITS)] == texts

import pytest

from knowledge.parsing.base import Limits
from knowledge.parsing.text import parse_markdown, parse_text

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


LIMITS = Limits(pages=1, characters=10_000)
TEXT = """Before all.

# Prices

A coffee is *two* euros.

## Cakes
- Carrot
- Apple

```sh
# no heading, a comment
```

Setext
======
The end.
"""


def test_sections_stand_under_their_headings_and_the_text_stays_as_written() -> None:
    blocks = [(block.heading, block.text) for block in parse_markdown(TEXT.encode(), LIMITS)]

    assert blocks == [
        ("", "Before all."),
        ("Prices", "# Prices"),
        ("Prices", "A coffee is *two* euros."),
        ("Prices > Cakes", "## Cakes\n- Carrot\n- Apple"),
        ("Prices > Cakes", "```sh\n# no heading, a comment\n```"),
        ("Setext", "Setext\n======\nThe end."),
    ]


def test_quotations_nested_without_end_are_text() -> None:
    blocks = list(parse_markdown((">" * 5000 + " deep").encode(), LIMITS))

    assert blocks[0].text.endswith("deep")

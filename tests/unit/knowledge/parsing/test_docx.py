import io
import zipfile

import pytest

from knowledge.parsing.base import Limits, Unreadable
from knowledge.parsing.docx import parse_docx
from tests.fixtures.documents import docx_of, zip_of

LIMITS = Limits(pages=1, characters=10_000)


def read(content: bytes) -> list[tuple[str, str]]:
    return [(block.heading, block.text) for block in parse_docx(content, LIMITS)]


def reason(content: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        read(content)
    return caught.value.code


def with_document(xml: bytes) -> bytes:
    """A Word document whose main part is this."""
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(docx_of(("Normal", "x")))) as before,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for member in before.infolist():
            after.writestr(member, xml if member.filename == "word/document.xml" else before.read(member))
    return written.getvalue()


def test_paragraphs_and_tables_stand_under_their_headings() -> None:
    content = docx_of(
        ("Title", "Menu"),
        ("Normal", "Welcome."),
        ("Heading 1", "Prices"),
        ("Normal", "In euros. שלום 日本"),
        table=[["Tea", "1.50"], ["Coffee", "2"]],
    )

    assert read(content) == [
        ("Menu", "Menu"),
        ("Menu", "Welcome."),
        ("Prices", "Prices"),
        ("Prices", "In euros. שלום 日本"),
        ("Prices", "Tea | 1.50\nCoffee | 2"),
    ]


BROKEN = {
    "no ZIP": b"PK\x03\x04 and then nothing",
    "another ZIP": zip_of(**{"word/document.xml": b"<a/>", "[Content_Types].xml": b"<Types/>"}),
    "XML that ends early": with_document(b"<w:document"),
    "cut in the middle": docx_of(("Normal", "Words"))[:3000],
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_broken_and_no_crash(content: bytes) -> None:
    assert reason(content) == "broken"


def test_a_zip_bomb_is_not_read() -> None:
    assert reason(with_document(b" " * 300_000_000)) == "too_large_unpacked"


def test_entities_that_multiply_are_not_followed() -> None:
    entities = b"".join(b'<!ENTITY e%d "%b">' % (n + 1, b"&e%d;" % n * 10) for n in range(9))
    bomb = b'<!DOCTYPE x [<!ENTITY e0 "lol">%b]><x>&e9;</x>' % entities

    assert reason(with_document(bomb)) == "broken"

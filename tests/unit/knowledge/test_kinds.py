import pytest

from knowledge.errors import UnknownKind
from knowledge.kinds import KNOWN, decode_text, kind_of
from tests.fixtures.documents import docx_of, pdf_of, zip_of
from tests.growth import MOST, growth

CASES: dict[str, tuple[bytes, str, str]] = {
    "a PDF": (pdf_of("x"), "a.pdf", "pdf"),
    "a PDF called text": (pdf_of("x"), "a.txt", "pdf"),
    "a PDF behind some bytes": (b"\r\n\r\n" + pdf_of("x"), "a", "pdf"),
    "a Word document": (docx_of(("Normal", "x")), "a.docx", "docx"),
    "a page": (b"<!DOCTYPE html><p>x", "a.html", "html"),
    "a page called nothing": (b"\n <!-- hi --> <html><p>x", "a", "html"),
    "a chunk of a page": (b"Hi <p>there", "a.htm", "html"),
    "tags in a text": (b"Hi <p>there", "a.txt", "text"),
    "Markdown": (b"# Hi", "README.MD", "markdown"),
    "Markdown called text": (b"# Hi", "a.txt", "text"),
    "a text in Hebrew": ("שלום".encode(), "a", "text"),
    "a text in UTF-16": ("שלום".encode("utf-16"), "a.txt", "text"),
    "a text in Windows' encoding": ("Grüße".encode("cp1252"), "a.csv", "text"),
    "a text with a NUL byte": (b"one two three\x00four", "a.txt", "text"),
}
REFUSED: dict[str, tuple[bytes, str]] = {
    "a ZIP called PDF": (zip_of(a=b"b"), "a.pdf"),
    "a ZIP": (zip_of(a=b"b"), "a.zip"),
    "a broken ZIP called Word": (b"PK\x03\x04" + bytes(90), "a.docx"),
    "a text called Word": (b"Hi", "a.docx"),
    "a picture": (b"\xff\xd8\xff\xe0" + bytes(90), "a.jpg"),
    "RTF": (b"{\\rtf1 Hi}", "a.rtf"),
    "a program": (b"\x7fELF" + bytes(90), "a"),
    "bytes of any sort": (bytes(range(256)) * 20, "a.txt"),
    "NUL bytes": (bytes(100), "a.txt"),
}


@pytest.mark.parametrize(("content", "name", "kind"), CASES.values(), ids=CASES)
def test_the_kind_is_detected_from_the_bytes(content: bytes, name: str, kind: str) -> None:
    assert kind_of(content, name=name) == kind


@pytest.mark.parametrize(("content", "name"), REFUSED.values(), ids=REFUSED)
def test_other_files_are_refused_with_the_supported_kinds(content: bytes, name: str) -> None:
    with pytest.raises(UnknownKind, match=KNOWN):
        kind_of(content, name=name)


def test_a_text_cut_in_mid_character_is_still_utf_8() -> None:
    content = ("a" + "ש" * 5000).encode()

    assert kind_of(content, name="a.txt") == "text"
    assert decode_text(content[:4096]).endswith("ש")


def test_a_file_of_nothing_but_comments_is_soon_told_from_html() -> None:
    assert (
        growth(lambda content: kind_of(content, name="a.html"), lambda size: b"<!---->" * size, size=5) < MOST
    )

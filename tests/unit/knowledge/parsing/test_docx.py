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


def with_part(content: bytes, kind: str, xml: bytes) -> bytes:
    """This Word document with one more part, which its main part refers to."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(written, "w") as after:
        for member in before.infolist():
            data = before.read(member)
            if member.filename == "word/_rels/document.xml.rels":
                address = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
                told = (
                    f'<Relationship Id="rId99" Type="{address}/{kind}" Target="{kind}.xml"/></Relationships>'
                )
                data = data.replace(b"</Relationships>", told.encode())
            after.writestr(member, data)
        after.writestr(f"word/{kind}.xml", xml)
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


_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
WRAPPED = {
    "tracked changes": (
        "<w:p><w:r><w:t>Due in </w:t></w:r><w:del><w:r><w:delText>ten</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>five</w:t></w:r></w:ins><w:r><w:t> days.</w:t></w:r></w:p>",
        ["Due in five days."],
    ),
    "a form's field": (
        "<w:p><w:r><w:t>Name: </w:t></w:r><w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>Ada</w:t></w:r></w:sdtContent>"
        "</w:sdt></w:p>",
        ["Name: Ada"],
    ),
    "a content control around paragraphs": (
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>One.</w:t></w:r></w:p><w:p><w:r><w:t>Two.</w:t></w:r></w:p>"
        "</w:sdtContent></w:sdt>",
        ["One.", "Two."],
    ),
    "a cell that is a form's field": (
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Tea</w:t></w:r></w:p></w:tc><w:sdt><w:sdtContent><w:tc><w:p><w:r>"
        "<w:t>1.50</w:t></w:r></w:p></w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>",
        ["Tea | 1.50"],
    ),
    "a text box": (
        "<w:p><w:r><w:t>Before.</w:t><w:pict><w:txbxContent><w:p><w:r><w:t>In the box.</w:t></w:r></w:p><w:p><w:r>"
        "<w:t>Still.</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p><w:p><w:r><w:t>After.</w:t></w:r></w:p>",
        ["Before.", "In the box.", "Still.", "After."],
    ),
}


@pytest.mark.parametrize(("body", "blocks"), WRAPPED.values(), ids=WRAPPED)
def test_words_inside_other_elements_are_read(body: str, blocks: list[str]) -> None:
    document = f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'

    assert [text for _, text in read(with_document(document.encode()))] == blocks


@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_a_note_stands_where_it_is_referred_to(kind: str) -> None:
    words = (
        f'<w:document xmlns:w="{_W}"><w:body><w:p><w:r><w:t>Refunds take 14 days</w:t></w:r><w:r>'
        f'<w:{kind}Reference w:id="2"/></w:r><w:r><w:t>, by mail.</w:t></w:r></w:p></w:body></w:document>'
    )
    note = (
        f'<w:{kind}s xmlns:w="{_W}"><w:{kind} w:id="2"><w:p><w:r><w:t>60 in </w:t></w:r><w:r><w:t>Svalbard</w:t>'
        f"</w:r></w:p></w:{kind}></w:{kind}s>"
    )

    content = with_part(with_document(words.encode()), f"{kind}s", note.encode())

    assert read(content) == [("", "Refunds take 14 days [60 in Svalbard], by mail.")]


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

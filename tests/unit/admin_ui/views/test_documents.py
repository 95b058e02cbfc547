import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from knowledge.models import Document, DocumentChunk, DocumentState
from knowledge.pipeline import process_document
from relationships.models import Companion
from tests.fixtures.documents import PICTURE, pdf_of


@pytest.fixture
def page(companion: Companion) -> str:
    return f"/admin-ui/companions/{companion.id}/documents/"


def upload(
    client: Client, page: str, content: bytes = b"# Stove\n\nClean the stove weekly.", name: str = "a.md"
) -> str:
    return client.post(page, {"file": SimpleUploadedFile(name, content)}, follow=True).content.decode()


def read(document: Document) -> None:
    process_document(document_id=document.id, worker="test")


def test_the_same_file_again_changes_nothing(editor: Client, page: str) -> None:
    upload(editor, page)

    assert "This file already exists as a.md." in upload(editor, page, name="b.md")
    assert Document.objects.count() == 1


def test_its_pieces_are_shown_and_it_is_deleted_with_them(editor: Client, page: str) -> None:
    upload(editor, page)
    document = Document.objects.get()
    read(document)
    assert "Clean the stove weekly." in editor.get(f"{page}{document.id}/").content.decode()

    editor.post(f"{page}{document.id}/", {"do": "delete"})

    assert not DocumentChunk.objects.exists()


def test_pages_of_pictures_are_not_passed_over_in_silence(editor: Client, page: str) -> None:
    upload(editor, page, pdf_of("One", PICTURE), "b.pdf")
    document = Document.objects.get()
    read(document)

    assert (
        "1 of its 2 pages have pictures and no text" in editor.get(f"{page}{document.id}/").content.decode()
    )


def test_one_that_failed_says_why_and_is_read_again(editor: Client, page: str) -> None:
    upload(editor, page, b"%PDF-1.7 broken", "b.pdf")
    document = Document.objects.get()
    read(document)
    document.refresh_from_db()
    assert document.state == DocumentState.FAILED
    assert document.error in editor.get(page).content.decode().replace("&#x27;", "'").replace("&quot;", '"')

    editor.post(f"{page}{document.id}/", {"do": "reread"})

    document.refresh_from_db()
    assert document.state == DocumentState.PENDING


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.exe", b"MZ\x90\x00\x03\x00\x00", 'role="alert"'),
        ("a.txt", b"x" * 2000, "bytes; the limit is"),
        ("a.txt", b"", "empty"),
    ],
)
def test_a_file_that_is_not_taken_is_refused_in_words(
    editor: Client, page: str, settings: Settings, name: str, content: bytes, says: str
) -> None:
    settings.MAX_DOCUMENT_BYTES = 1000

    assert says in upload(editor, page, content, name)
    assert not Document.objects.exists()

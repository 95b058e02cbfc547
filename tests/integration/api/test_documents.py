"""A companion's documents over REST: uploaded, read, searched, read again, deleted."""

from typing import Any

import pytest
from django_q.models import OrmQ

from knowledge.models import ChunkEmbedding, Document, DocumentChunk, DocumentFile
from relationships.models import AuditEvent, Companion, Project
from tests.fixtures.api import Api
from tests.fixtures.documents import (
    PICTURE,
    again,
    configure,
    learn,
    multipart,
    pdf_of,
    process,
    send_file,
    upload,
    zip_of,
)

HANDBOOK = pdf_of("Refunds take five days.", "Parcels are sent on Mondays.", "We open at nine.", PICTURE)


def path_of(companion: Companion, *more: object) -> str:
    return "/".join(["/companions", str(companion.id), "documents", *map(str, more)])


def test_an_upload_is_read_by_a_worker_and_then_found(api: Api, companion: Companion) -> None:
    sent = send_file(api, companion, HANDBOOK, "Handbook.pdf")

    assert (sent.status, sent.body["state"], sent.body["media_type"]) == (201, "pending", "application/pdf")
    assert OrmQ.objects.count() == 1, "a worker was told, in the transaction of the upload"
    process(Document.objects.get())
    read = api.get(path_of(companion, sent.body["id"]))
    assert (read.body["state"], read.body["pages"], read.body["chunks"]) == ("ready", 4, 1)
    assert read.body["picture_pages"] == 1
    found = api.post(path_of(companion, "search"), {"query": "how long do refunds take", "explain": True})
    hit = found.body["items"][0]
    assert hit["citation"] == "Handbook.pdf, pages 1-3"
    assert set(hit["parts"]) == {"text", "vector", "bm25", "coverage"}
    assert hit["score"] == pytest.approx(1 / 61)  # by its words alone
    assert found.body["considered"] == 1 and found.body["notes"] == []


def test_the_same_bytes_again_change_nothing(api: Api, companion: Companion) -> None:
    first = send_file(api, companion, HANDBOOK, "Handbook.pdf")
    second = send_file(api, companion, HANDBOOK, "Copy of the handbook.pdf")

    assert (first.status, second.status) == (201, 200)
    assert second.body == first.body
    assert OrmQ.objects.count() == 1 and DocumentFile.objects.count() == 1


def test_two_companions_have_a_document_each(api: Api, companion: Companion, project: Project) -> None:
    other = Companion.objects.create(project=project, slug="bo", name="Bo")

    statuses = [send_file(api, one, HANDBOOK, "Handbook.pdf").status for one in (companion, other)]

    assert statuses == [201, 201]
    learn(other, "Only Bo knows that dragons sleep.")
    assert api.post(path_of(companion, "search"), {"query": "dragons"}).body["items"] == []


REFUSED: dict[str, tuple[bytes, str, int, str]] = {
    "a ZIP renamed to PDF": (zip_of(a=b"b"), "report.pdf", 415, "unknown_document_kind"),
    "text renamed to PDF": (b"just text", "report.pdf", 415, "unknown_document_kind"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(50), "photo.png", 415, "unknown_document_kind"),
    "an old Word document": (b"\xd0\xcf\x11\xe0" + bytes(50), "old.doc", 415, "unknown_document_kind"),
    "an empty file": (b"", "empty.txt", 422, "empty_document"),
}


@pytest.mark.parametrize(("content", "name", "status", "code"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_document_is_refused(
    api: Api, companion: Companion, content: bytes, name: str, status: int, code: str
) -> None:
    sent = send_file(api, companion, content, name)

    assert (sent.status, sent.body["type"]) == (status, f"urn:rapport:problem:{code}")
    assert status != 415 or "PDF, DOCX, HTML, Markdown and plain text" in sent.body["detail"]
    assert not Document.objects.exists() and not OrmQ.objects.exists()


def test_more_documents_than_the_configuration_allows_are_refused(api: Api, companion: Companion) -> None:
    configure(companion, max_documents=1)
    upload(companion, "One.")

    sent = send_file(api, companion, b"Two.", "two.txt")

    assert (sent.status, sent.body["type"]) == (409, "urn:rapport:problem:too_many_documents")
    assert (sent.body["limit"], sent.body["count"]) == (1, 1)


ODD: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no file": ({"name": "x"}, ["file"]),
    "an empty name": ({"file": ("a.txt", b"a"), "name": ""}, ["name"]),
    "a name of white space": ({"file": ("a.txt", b"a"), "name": "  "}, ["name"]),
    "a name that is too long": ({"file": ("a.txt", b"a"), "name": "x" * 201}, ["name"]),
}


@pytest.mark.parametrize(("parts", "fields"), ODD.values(), ids=ODD)
def test_an_odd_upload_names_the_field(
    api: Api, companion: Companion, parts: dict[str, Any], fields: list[str]
) -> None:
    sent = api.send("POST", path_of(companion), *multipart(**parts))

    assert (sent.status, sent.fields) == (422, fields)
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("file_name", "name"),
    [("Handbook.md", "Handbook"), ("blob", "Handbook.md"), ("upload.tmp", "Handbook.md")],
    ids=["its own", "its name", "its own says nothing"],
)
def test_what_it_is_cited_as_leaves_what_the_file_is(
    api: Api, companion: Companion, file_name: str, name: str
) -> None:
    sent = send_file(api, companion, b"# Refunds\n\nThey take five days.", file_name, name=name)

    process(Document.objects.get())
    found = api.post(path_of(companion, "search"), {"query": "how long do refunds take"})
    assert (sent.body["name"], sent.body["media_type"]) == (name, "text/markdown")
    assert found.body["items"][0]["heading"] == "Refunds"


def test_lists_are_pages_and_can_be_filtered_by_state(api: Api, companion: Companion) -> None:
    ready = learn(companion, "First.")
    waiting = [upload(companion, f"Waiting {number}.") for number in range(2)]

    page = api.get(path_of(companion) + "?limit=2")
    rest = api.get(path_of(companion) + f"?limit=2&cursor={page.body['next_cursor']}")
    pending = api.get(path_of(companion) + "?state=pending")

    shown = [document["id"] for document in [*page.body["items"], *rest.body["items"]]]
    assert shown == [str(document.id) for document in (waiting[1], waiting[0], ready)]
    assert len(pending.body["items"]) == 2


def test_pieces_are_listed_in_their_order(api: Api, companion: Companion) -> None:
    configure(companion, chunk_tokens=50, overlap_tokens=20)
    document = learn(companion, "A sentence of some words goes here. " * 40)

    first = api.get(path_of(companion, document.id, "chunks") + "?limit=3")
    second = api.get(path_of(companion, document.id, f"chunks?limit=200&cursor={first.body['next_cursor']}"))

    places = [chunk["place"] for chunk in [*first.body["items"], *second.body["items"]]]
    assert places == list(range(document.chunk_count)) and len(places) > 5
    assert first.body["items"][0]["repeats"] == 0 < first.body["items"][1]["repeats"]


def test_deleting_a_document_leaves_no_piece(api: Api, companion: Companion) -> None:
    document = learn(companion, HANDBOOK, "Handbook.pdf")

    gone = api.delete(path_of(companion, document.id))

    assert gone.status == 204
    assert api.get(path_of(companion, document.id)).status == 404
    assert api.post(path_of(companion, "search"), {"query": "refunds"}).body["items"] == []
    for model in (Document, DocumentFile, DocumentChunk, ChunkEmbedding):
        assert not model._default_manager.exists()
    assert AuditEvent.objects.filter(action="document.deleted", target_id=document.id).exists()


def test_erasing_the_companion_erases_its_documents(api: Api, companion: Companion) -> None:
    learn(companion, HANDBOOK, "Handbook.pdf")

    erased = api.delete(f"/companions/{companion.id}")

    assert {
        name: erased.body["erased"][name] for name in ("document", "document_file", "document_chunk")
    } == {
        "document": 1,
        "document_file": 1,
        "document_chunk": 1,
    }
    for model in (Document, DocumentFile, DocumentChunk, ChunkEmbedding):
        assert not model._default_manager.exists()


def test_a_failed_document_says_why_and_can_be_tried_again(api: Api, companion: Companion) -> None:
    document = learn(companion, HANDBOOK[:400], "Handbook.pdf")

    failed = api.get(path_of(companion, document.id))
    retried = api.post(path_of(companion, document.id, "retry"))

    assert (failed.body["state"], failed.body["error_code"]) == ("failed", "broken")
    assert "damaged" in failed.body["error"]
    assert (retried.status, retried.body["state"], retried.body["error"]) == (202, "pending", None)


def test_a_ready_document_is_read_again_under_the_present_configuration(
    api: Api, companion: Companion
) -> None:
    document = learn(companion, "A sentence of some words goes here. " * 40)
    configure(companion, chunk_tokens=50, overlap_tokens=20)

    api.post(path_of(companion, document.id, "retry"))

    assert again(document).chunk_count == 1, "found as it was until it has been read"
    assert process(document).chunk_count > 5


def test_a_document_in_hand_is_not_taken_from_the_worker(api: Api, companion: Companion) -> None:
    document = upload(companion, "Words.")
    Document.objects.filter(id=document.id).update(state="processing")

    assert api.post(path_of(companion, document.id, "retry")).status == 409

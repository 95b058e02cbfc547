"""Every field that can hold a text is filled with a word nobody else uses; after the erasure the whole database is
searched for it, byte by byte: UTF-8, JSON escapes, hexadecimal, and what django-q2 has packed up."""

import logging
from dataclasses import dataclass
from uuid import UUID

import pytest
from django.db import connection
from django_q.models import OrmQ
from django_q.signing import SignedPackage

from knowledge.documents import add_document
from knowledge.models import Document
from knowledge.pipeline import process_document
from memory.ingestion.replays import request_replay
from memory.models import EntryState, HeldDeletion, ScratchpadEntry
from memory.retrieval.index.embed import embed_owed
from providers.errors import RequestRefused
from relationships.models import Message, Relationship
from relationships.services.turns import NewMessage
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import PERSON, Conversation, add, answer, delete, update
from tests.fixtures.workspaces import keep_in_workspace
from tests.integration.copies import dump, tables_with

# Whose text each word is. Not ASCII, so that an escaped copy would look different.
ENTRY, RELATIONSHIP, USER = "quokkäentry", "quokkärelation", "quokkäuser"
COMPANION, PROJECT = "quokkäcompanion", "quokkäproject"

GONE = {
    "entry": {ENTRY},
    "relationship": {ENTRY, RELATIONSHIP},
    "user": {ENTRY, RELATIONSHIP, USER},
    "companion": {ENTRY, RELATIONSHIP, COMPANION},
    "project": {ENTRY, RELATIONSHIP, USER, COMPANION, PROJECT},
}
OF_AGENTS = {f"workspace_{name}" for name in ("blob", "hotcontextversion", "agentsession", "agentstep")}
# Where each word must be found before, or its absence afterwards would show nothing.
OF_TURNS = {
    *OF_AGENTS,
    "relationships_message",
    "relationships_snapshot",
    "memory_scratchpadentry",
    "memory_entryrevision",
    "memory_operationresult",
    "memory_modelcall",
    "memory_replay",
    "memory_searchtext",
    "chat_toolcall",
}
WRITTEN_TO = {
    ENTRY: OF_TURNS,
    RELATIONSHIP: {
        *OF_TURNS,
        "relationships_relationship",
        "relationships_profile",
        "relationships_profilerevision",
        "relationships_sessionstate",
        "relationships_turn",
    },
    USER: {"relationships_enduser", "memory_modelcall"},
    COMPANION: {
        "workspace_tool",
        "relationships_companion",
        "memory_ingestionprompt",
        "memory_modelcall",
        "memory_replay",
        "context_document",
        "context_documentchunk",
        "context_documentfile",
    },
    PROJECT: {"relationships_project", "relationships_apikey"},
}


@dataclass(frozen=True)
class Filled:
    """A person whose every field says something."""

    relationship: Relationship
    entry: ScratchpadEntry


@pytest.fixture
def filled(api: Api, scripted_provider: ScriptedProvider) -> Filled:
    relationship = _people(api)
    at = f"/relationships/{relationship.id}"
    _what_the_developer_writes(api, at)
    _what_the_model_writes(api, at, Conversation(relationship), scripted_provider)
    _what_an_operator_tries_and_uploads(relationship)
    embed_owed(relationship_id=relationship.id)
    entry = ScratchpadEntry.objects.get(content__contains=ENTRY, state=EntryState.ACTIVE)
    assert HeldDeletion.objects.count() == 1
    keep_in_workspace(relationship, says=entry.content, also=RELATIONSHIP, tool=COMPANION)
    return Filled(relationship, entry)


def _people(api: Api) -> Relationship:
    api.patch("/project", {"name": PROJECT, "config": {"context": {"preamble": PROJECT}}})
    api.post("/api-keys", {"name": PROJECT, "scopes": ["read"]})
    made = api.post(
        "/companions",
        {
            "slug": "ada",
            "name": COMPANION,
            "config": {
                "context": {"core_prompt": COMPANION},
                "ingestion": {"provider": "scripted"},
                "retrieval": {"embedder": "offline", "embed_messages": True},
            },
        },
    )
    prompt = {"template": f"{COMPANION} keeps what {{{{ user }}}} says.", "note": COMPANION, "publish": True}
    api.post(f"/companions/{made.body['id']}/prompts", prompt)
    user = api.post("/users", {"external_id": USER, "display_name": USER, "metadata": {USER: [USER]}})
    pair = api.post(
        "/relationships",
        {
            "companion": "ada",
            "user": USER,
            "config": {
                "context": {"priorities": [RELATIONSHIP]},
                "ingestion": {"deletion_hold": {"share": 0, "count": 1}},
            },
        },
    )
    assert (made.status, user.status, pair.status) == (201, 201, 201)
    return Relationship.objects.get(id=pair.body["id"])


def _what_the_developer_writes(api: Api, at: str) -> None:
    api.put(f"{at}/profile", {RELATIONSHIP: {"name": RELATIONSHIP}})
    api.patch(f"{at}/profile", {"more": RELATIONSHIP})
    api.patch(f"{at}/sessions/{RELATIONSHIP}", {"state": {RELATIONSHIP: RELATIONSHIP}})
    api.post(f"{at}/tokens", {"scopes": ["read"]})
    for word in (ENTRY, RELATIONSHIP):
        assert api.post(f"{at}/tools/memory_search", {"query": f"What of {word}?"}).status == 200
    entry = {
        "content": f"Knows {RELATIONSHIP}",
        "type": "other",
        "subject": RELATIONSHIP,
        "tags": {"tag": RELATIONSHIP},
        "metadata": {RELATIONSHIP: [RELATIONSHIP]},
        "reason": RELATIONSHIP,
    }
    made = api.post(f"{at}/entries", entry, idempotency_key="quokka")
    changed = api.patch(
        f"{at}/entries/{made.body['id']}", {"content": f"Knew {RELATIONSHIP}", "reason": RELATIONSHIP}
    )
    assert (made.status, changed.status) == (201, 200)


def _what_the_model_writes(api: Api, at: str, conversation: Conversation, provider: ScriptedProvider) -> None:
    def hear(*texts: str, key: str = "") -> None:
        messages = [
            {"role": "user", "content": text, "speaker": RELATIONSHIP, "metadata": {"note": text}}
            for text in texts
        ]
        config = {"context": {"priorities": [RELATIONSHIP]}}
        turn = {"messages": messages, "session": RELATIONSHIP, "config": config}
        headers = {"idempotency_key": key} if key else {}
        assert api.post(f"{at}/turns", turn, **headers).status == 202
        conversation.drain()

    def place_of(word: str) -> int:
        return conversation.number_of(next(said for said in conversation.contents if word in said))

    provider.answer_with(
        f"{ENTRY} is no JSON",
        answer(
            add(f"Sang {ENTRY}", reason=ENTRY),
            add(f"Likes {RELATIONSHIP}", messages=[2], reason=RELATIONSHIP),
            add(f"Rests on nothing: {RELATIONSHIP}", messages=[]),
        ),
    )
    hear(f"I sang {ENTRY}.", f"I like {RELATIONSHIP}.", key="a key")
    provider.answer_with(lambda _: answer(update(place_of(ENTRY), f"Sang {ENTRY} twice", reason=ENTRY)))
    hear(f"Twice I sang {ENTRY}.")
    provider.answer_with(lambda _: answer(add(f"Sang {ENTRY} twice")))
    hear(f"Did I mention {ENTRY}?")
    provider.answer_with(
        lambda _: answer(
            delete(place_of(ENTRY), reason=f"no more {ENTRY}"),
            delete(place_of("Likes"), messages=[2], reason=f"no more {RELATIONSHIP}"),
        )
    )
    hear(f"Forget {ENTRY}.", f"Forget {RELATIONSHIP}.")
    provider.answer_with(RequestRefused(f"We do not like {RELATIONSHIP!r}"))
    hear(f"Read this, {RELATIONSHIP}.")


def _what_an_operator_tries_and_uploads(relationship: Relationship) -> None:
    said = [NewMessage("user", f"{ENTRY} and {RELATIONSHIP}")]
    request_replay(relationship=relationship, template=f"Keep {COMPANION}.", messages=said, by=PERSON)
    document, _ = add_document(
        project_id=relationship.project_id,
        companion_id=relationship.companion_id,
        name=f"{COMPANION}.txt",
        content=f"About {COMPANION}.".encode(),
        by=PERSON,
    )
    process_document(document_id=document.id, worker="test")


def erase(level: str, filled: Filled, api: Api) -> None:
    pair = filled.relationship
    path, body = {
        "entry": (f"/relationships/{pair.id}/entries/{filled.entry.id}?permanent=true", None),
        "relationship": (f"/relationships/{pair.id}", None),
        "user": (f"/users/{pair.user_id}", None),
        "companion": (f"/companions/{pair.companion_id}", None),
        "project": ("/project", {"confirm": PROJECT}),
    }[level]
    assert api.send("DELETE", path, body).status in {200, 204}


def vectors_of(word: str) -> set[str]:
    """The vectors of what says the word, as a copy of their table writes them."""
    entries = ScratchpadEntry.objects.filter(content__contains=word).values_list("id", flat=True)
    messages = Message.objects.filter(content__contains=word).values_list("id", flat=True)
    with connection.cursor() as cursor:
        owners = [*entries, *messages]
        cursor.execute("SELECT vector::text FROM memory_embedding WHERE owner_id = ANY(%s)", [owners])
        return {row[0] for row in cursor.fetchall()}


@pytest.mark.parametrize("level", list(GONE))
def test_no_copy_and_no_vector_is_left_no_log_tells_and_what_was_not_asked_for_stays(
    level: str, request: pytest.FixtureRequest, api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        filled: Filled = request.getfixturevalue("filled")
        before = dump()
        forgotten = {vector for word in GONE[level] for vector in vectors_of(word)}
        erase(level, filled, api)
    for word, tables in WRITTEN_TO.items():
        assert tables_with(word, before) >= tables, word
    assert len(forgotten) >= 3
    assert all(vector in before["memory_embedding"] for vector in forgotten)

    after = dump()
    assert {word: tables_with(word, after) for word in GONE[level]} == {word: set() for word in GONE[level]}
    left = after["memory_embedding"]
    assert not [vector for vector in forgotten if vector in left]
    assert bool(left) is (level == "entry")
    kept = {word for word in WRITTEN_TO if tables_with(word, after)}
    assert level == "project" or kept == WRITTEN_TO.keys() - GONE[level]

    said = "\n".join(str(vars(record)) for record in caplog.records)
    assert str(filled.relationship.id) in said
    for word in WRITTEN_TO:
        assert not tables_with(word, {"log": said}), word


def test_an_erased_entry_leaves_the_rest_of_the_memory_usable(filled: Filled, api: Api) -> None:
    at = f"/relationships/{filled.relationship.id}"
    erase("entry", filled, api)

    assert [entry["content"] for entry in api.get(f"{at}/entries").body["items"]] == [
        f"Likes {RELATIONSHIP}",
        f"Knew {RELATIONSHIP}",
    ]
    for turn in api.get(f"{at}/turns").body["items"]:
        assert api.get(f"{at}/turns/{turn['id']}").status == 200
    for path in ("/entries?state=any", "/history", "/messages", "/held-deletions"):
        assert api.get(f"{at}{path}").status == 200, path
    assert ENTRY not in api.post(f"{at}/context", {"message": "Hello"}).raw.decode()


def test_the_queue_holds_ids_only(filled: Filled) -> None:
    packed = [SignedPackage.loads(row.payload) for row in OrmQ.objects.all()]

    assert len(packed) >= 5
    for task in packed:
        assert task["args"][:1] in [(str(filled.relationship.id),), (str(Document.objects.get().id),)]
        assert [str(UUID(given)) for given in task["args"]] == list(task["args"])
        assert not tables_with("quokk", {"task": repr(task)})

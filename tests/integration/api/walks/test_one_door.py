"""An import is no second door: what the API would refuse is refused, by its path, and nothing of it is kept."""

import json
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings

from memory.entries.limits import MAX_CALL_BYTES, MAX_REASON
from memory.models import ScratchpadEntry
from relationships.models import Companion, Relationship, Snapshot, Turn
from tests.fixtures.api import Api, new_key
from tests.fixtures.archives import put
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation
from tests.integration.api.walks.conftest import Kept
from upkeep.erasure.relationships import owned_models

AHEAD = (datetime.now(UTC) + timedelta(days=1)).isoformat()


@pytest.fixture(scope="module")
def document(both: list[Kept]) -> Any:
    """A busy relationship, exported."""
    relationship = both[0].relationship
    conversation = Conversation(relationship)
    for text in (
        "I love rowing.",
        "My name is Zoë and I live in Porto.",
        "I moved to Lisbon.",
        "My name is Ada.",
    ):
        conversation.hear(text)
    conversation.say("I like tea.", session="web", ingestion={"trigger": {"mode": "explicit"}})
    api = Api(new_key(relationship.project, "admin"))
    document = api.get(f"/relationships/{relationship.id}/export?calls=true").body
    assert all(document[name] for name in ("sessions", "held_deletions", "model_calls", "profile_revisions"))
    return document


@pytest.fixture
def empty(relationship: Relationship) -> Relationship:
    return meet(relationship.companion)


def bent(document: Any, path: str, value: Any) -> Any:
    return put(deepcopy(document), path, value)


def nothing_is_kept(relationship: Relationship) -> bool:
    rows = [model for model in owned_models() if model is not Snapshot]
    return not any(model._base_manager.filter(relationship_id=relationship.id).exists() for model in rows)


LARGE = {"text": "x" * (settings.MAX_PROFILE_BYTES + 1)}
LONG = "x" * (MAX_REASON + 1)
CASES: list[tuple[str, Any]] = [
    ("format", "another"),
    ("version", 2),
    ("entrys", []),
    ("relationship.timezone", "Mars/Olympus"),
    ("profile.data", LARGE),
    ("profile.updated_at", AHEAD),
    ("profile_revisions.0.data", LARGE),
    ("sessions.0.state", LARGE),
    ("sessions.0.idle_at", "9999-12-29T00:00:00Z"),
    ("turns.0.due_at", "9999-12-30T00:00:00Z"),
    ("turns.0.attempts", 1_000_000),
    ("turns.0.recorded_at", AHEAD),
    ("turns.1.occurred_at", AHEAD),
    ("turns.0.messages.0.occurred_at", AHEAD),
    ("turns.0.lease_token", "018f0000-0000-7000-8000-000000000001"),
    ("turns.0.waits_for", "godot"),
    ("turns.0.error", LONG),
    ("turns.0.error_code", "a\nb"),
    ("turns.0.messages", []),
    ("turns.0.messages.0.content", ""),
    ("turns.0.messages.0.content", "x" * (settings.MAX_MESSAGE_BYTES + 1)),
    ("turns.0.messages.0.role", "robot"),
    ("turns.1.operations.0.operation", {"content": "x" * 200_000}),
    ("turns.1.operations.0.reason", LONG),
    ("entries.0.content", "x" * (settings.MAX_ENTRY_BYTES + 1)),
    ("entries.0.metadata", {"text": "x" * 1_000_000}),
    ("entries.0.tags", {f"t{number}": "" for number in range(13)}),
    ("entries.0.weight", 101),
    ("entries.0.key", "a\nb"),
    ("entries.0.key", "x" * 81),
    ("entries.0.modality", "a\x01b"),
    ("entries.0.recorded_at", AHEAD),
    ("entries.0.effective_at", AHEAD),
    ("entries.0.single_valued", True),
    ("revisions.0.after.effective_at", "garbage"),
    ("revisions.0.after.effective_at", None),
    ("revisions.0.after.expires_at", "soon"),
    ("revisions.0.after.happens_at", 5),
    ("revisions.0.after.importance", 7),
    ("revisions.0.after.confidence", "high"),
    ("revisions.0.after.weight", -1),
    ("revisions.0.after.pinned", "yes"),
    ("revisions.0.after.single_valued", 1),
    ("revisions.0.after.tags", {"a": 5}),
    ("revisions.0.after.metadata", {"text": "x" * 20_000}),
    ("revisions.0.after.source", "heaven"),
    ("revisions.0.after.source_message_ids", ["one"]),
    ("revisions.0.after.subject", "a\nb"),
    ("revisions.0.after.key", "x" * 81),
    ("revisions.0.after.type", "No Type"),
    ("revisions.0.after.content", "x" * (settings.MAX_MESSAGE_BYTES + 1)),
    ("revisions.0.after.colour", "green"),
    ("revisions.0.before", {"id": "018f0000-0000-7000-8000-000000000001"}),
    ("revisions.0.reason", LONG),
    ("revisions.0.recorded_at", AHEAD),
    ("revisions.0.effective_at", AHEAD),
    ("turns.1.operations.0.held_reason", LONG),
    ("held_deletions.0.decided_by_kind", "nobody"),
    ("model_calls.0.prompt", "x" * (MAX_CALL_BYTES + 1)),
    ("model_calls.0.answer", "x" * (MAX_CALL_BYTES + 1)),
    ("model_calls.0.error", LONG),
    ("model_calls.0.model", "a\nb"),
    ("relationship.last_turn_at", AHEAD),
    ("relationship.config", {"ingestion": {"max_batch": 0}}),
    ("turns.0.config", {"ingestion": {"max_batch": 0}}),
]


def test_what_the_api_would_refuse_is_refused_by_its_path(
    document: Any, empty: Relationship, api: Api
) -> None:
    wrong = []
    for path, value in CASES:
        answer = api.post(f"/relationships/{empty.id}/import", bent(document, path, value))

        named = any(field == path or field.startswith(f"{path}.") for field in answer.fields)
        if answer.status != 422 or not named or not nothing_is_kept(empty):
            wrong.append((path, str(value)[:30], answer.status, answer.fields))
    assert not wrong


@pytest.mark.parametrize(
    ("marked", "wordy"),
    [
        ("turns.0.messages.0.erased_at", "turns.0.messages.0.content"),
        ("revisions.0.redacted_at", "revisions.0.after"),
        ("model_calls.0.redacted_at", "model_calls.0.system"),
        ("sessions.1.ended_at", "sessions.1.state"),
    ],
)
def test_what_is_marked_as_erased_or_ended_holds_nothing(
    marked: str, wordy: str, document: Any, empty: Relationship, api: Api
) -> None:
    answer = api.post(f"/relationships/{empty.id}/import", bent(document, marked, "2026-01-01T00:00:00Z"))

    assert (answer.status, answer.fields) == (422, [wordy])


def test_a_profile_and_a_state_that_do_not_fit_the_schema_are_named(
    document: Any, empty: Relationship, api: Api
) -> None:
    shape = {"type": "object", "properties": {"plan": {"type": "string"}}}
    Companion.objects.filter(id=empty.companion_id).update(
        config={"profile": {"json_schema": shape}, "sessions": {"json_schema": shape}}
    )
    wrong = bent(bent(document, "profile.data", {"plan": 5}), "sessions.0.state", {"plan": 6})
    wrong["sessions"][0]["ended_at"] = None

    answer = api.post(f"/relationships/{empty.id}/import", wrong)

    assert (answer.status, answer.fields) == (422, ["profile.data.plan", "sessions.0.state.plan"])


def test_a_turn_that_waits_for_the_end_of_a_session_has_one(
    document: Any, empty: Relationship, api: Api
) -> None:
    wrong = deepcopy(document)
    waits = next(place for place, turn in enumerate(wrong["turns"]) if turn["state"] == "pending")
    wrong["turns"][waits] |= {"waits_for": "session_end", "due_at": None, "session": "nobody's"}

    answer = api.post(f"/relationships/{empty.id}/import", wrong)

    assert (answer.status, answer.fields) == (422, [f"turns.{waits}.session"])


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        (b'{"format": "rapport.relationship", "version": 1, "turns": [', 400, "in turns"),
        (b'{"format": "rapport.relationship", "version": 1} 5', 400, "Extra data"),
        (b'{"format": "rapport.relationship", "version": 1, "turns": [{"a": NaN}]}', 400, "NaN"),
        (b'{"turns": [], "turns": []}', 422, "twice"),
        (b'{"format": "rapport.relationship", "version": 1, "turns": [{"id": 1, "id": 2}]}', 422, "twice"),
        (b'{"format": "rapport.relationship", "version": 1, "turns": [3]}', 422, "turns.0"),
        (b'{"format": "rapport.relationship", "version": 1, "turns": {}}', 422, "turns: must be a list"),
        (b'{"turns": [' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"]}", 413, "nested"),
        (b'{"entries": [{"type": "other", "content": "\xff"}]}', 400, "UTF-8"),
        (b"{}", 422, "version"),
        (b"[]", 422, "body"),
        (b"5", 422, "body"),
        (b"{", 400, "Expecting"),
    ],
    ids=lambda case: "" if isinstance(case, bytes) else str(case),
)
def test_a_body_that_can_not_be_read_is_refused_where_it_breaks(
    body: bytes, status: int, told: str, empty: Relationship, api: Api
) -> None:
    answer = api.send("POST", f"/relationships/{empty.id}/import", body)

    assert answer.status == status and told in json.dumps(answer.body), answer
    assert nothing_is_kept(empty)


def test_what_was_taken_is_read_at_any_time(document: Any, empty: Relationship, api: Api) -> None:
    """However a time was written, it is kept in one form: known_at reads it from the history."""
    odd = deepcopy(document)
    sides = [revision[side] for revision in odd["revisions"] for side in ("before", "after")]
    for told in filter(None, [*sides, *odd["entries"]]):
        told["effective_at"] = "2026-01-02 09:00z"
        told["recorded_at"] = "2026-01-02t09:00:00+0100"
    path = f"/relationships/{empty.id}"
    assert api.post(f"{path}/import", odd).status == 200

    for query in (
        "known_at=2999-01-01T00:00:00Z",
        "known_at=2026-01-02T00:00:00Z",
        "as_of=2020-01-01T00:00:00Z",
    ):
        assert api.get(f"{path}/entries?state=any&{query}").status == 200, query
    known_at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    listed = api.get(f"{path}/entries?state=any&known_at={known_at}").body["items"]
    assert {entry["effective_at"] for entry in listed} == {"2026-01-02T09:00:00Z"}


def test_more_than_twenty_mistakes_are_not_all_told(empty: Relationship, api: Api) -> None:
    entries = [{"type": "other"} for _ in range(50)]
    document = {"format": "rapport.relationship", "version": 1, "entries": entries}

    answer = api.post(f"/relationships/{empty.id}/import", document)

    assert answer.status == 422 and answer.fields == [f"entries.{place}.content" for place in range(20)]
    assert not ScratchpadEntry.objects.for_relationship(empty.id).exists()
    assert not Turn.objects.for_relationship(empty.id).exists()

"""What must fit together in an archive; each mistake is named by its field."""

import json
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from relationships.configuration.schema import configuration_model
from tests.fixtures.archives import put
from upkeep.archive.checks import check_archive
from upkeep.archive.file import ArchiveFile
from web.errors import InvalidInput

NOON = "2026-03-02T12:00:00Z"
SOON = (datetime.now(UTC) + timedelta(minutes=4)).isoformat()  # by a clock that is a little ahead


def an_id(number: int) -> str:
    return str(UUID(int=number))


def a_turn(number: int, *, seq: int) -> dict[str, Any]:
    message = {
        "id": an_id(number + 1), "seq": seq + 1, "role": "user", "speaker": "", "content": "Hello",
        "occurred_at": NOON, "recorded_at": NOON, "erased_at": None,
    }  # fmt: skip
    return {
        "id": an_id(number), "seq": seq, "session": "s", "occurred_at": NOON, "recorded_at": NOON,
        "config": {}, "state": "applied", "due_at": None, "waits_for": "", "attempts": 1, "claimed_at": None,
        "settled_at": NOON, "error_code": "", "error": "", "prompt_version": None, "operations": [],
        "model_call_ids": [], "messages": [message],
    }  # fmt: skip


def an_entry(number: int, content: str, **fields: Any) -> dict[str, Any]:
    return {"id": an_id(number), "type": "other", "content": content, "effective_at": NOON, **fields}


def a_revision(number: int, *, seq: int, entry: int) -> dict[str, Any]:
    after = {
        "id": an_id(entry), "version": 1, "type": "other", "subject": "user", "content": "Likes tea",
        "content_hash": "0f" * 32, "state": "active", "tier": "scratchpad", "source_message_ids": [], "effective_at": NOON,
    }  # fmt: skip
    return {
        "id": an_id(number), "entry_id": an_id(entry), "entry_version": 1, "seq": seq, "event": "add",
        "before": None, "after": after, "actor_kind": "policy", "actor_id": "", "turn_id": None,
        "model_call_id": None, "prompt_version": None, "model": "", "reason": "", "recorded_at": NOON,
        "effective_at": NOON, "redacted_at": None,
    }  # fmt: skip


def a_call(number: int, *turns: int) -> dict[str, Any]:
    return {
        "id": an_id(number), "purpose": "ingestion", "turn_ids": [an_id(turn) for turn in turns], "provider": "openai",
        "model": "m", "prompt_version": None, "system": "", "prompt": "", "answer": "", "shown_entry_ids": [],
        "shown_message_ids": [], "reference_message_ids": [], "prompt_tokens": 1, "output_tokens": 1, "cost": None,
        "milliseconds": 1.0, "error_code": "", "error": "", "recorded_at": NOON, "redacted_at": None,
    }  # fmt: skip


GOOD: dict[str, Any] = {
    "format": "rapport.relationship",
    "version": 1,
    "turns": [a_turn(10, seq=5), a_turn(20, seq=7)],
    "entries": [an_entry(30, "Likes tea"), an_entry(31, "Has a cat", key="pet")],
    "revisions": [a_revision(40, seq=9, entry=30)],
    "model_calls": [a_call(50, 10, 20), a_call(51, 10, 99), a_call(52)],
}


def checked(document: dict[str, Any]) -> None:
    archive = ArchiveFile(json.dumps(document).encode(), depth=40)
    check_archive(archive, configuration=configuration_model()())


def changed(path: str, value: Any) -> dict[str, Any]:
    return dict(put(deepcopy(GOOD), path, value))


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("turns.1.id", an_id(10), "turns.1.id"),
        ("entries.1.id", an_id(11), "entries.1.id"),
        ("turns.1.seq", 6, "turns.1.seq"),
        ("turns.0.messages.0.seq", 5, "turns.0.messages.0.seq"),
        ("turns.0.messages.0.seq", 8, "turns.1.seq"),
        ("revisions.0.seq", 6, "revisions.0.seq"),
        ("entries.1.content", "likes  TEA.", "entries.1.content"),
        ("revisions.0.entry_id", an_id(31), "revisions.0.after.id"),
        ("entries.0.content", "Likes coffee", "entries.0.content"),
        ("entries.0.version", 7, "entries.0.version"),
        ("entries.0.source_message_ids", [an_id(99)], "entries.0.source_message_ids"),
        ("revisions.0.turn_id", an_id(99), "revisions.0.turn_id"),
        ("model_calls.0.turn_ids", [an_id(98), an_id(99)], "model_calls.0.turn_ids"),
    ],
    ids=[
        "a turn's ID twice",
        "an entry's ID is a message's",
        "a turn within another",
        "a message before its turn",
        "a message after the next turn",
        "a revision with a message's number",
        "two that say the same",
        "a revision of another entry",
        "an entry that its history does not tell",
        "a version that its history does not tell",
        "a message that nobody said",
        "a change of no turn",
        "a call of no turn",
    ],
)
def test_what_does_not_fit_is_named(path: str, value: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        checked(changed(path, value))

    assert field in [problem.field for problem in caught.value.problems]


def test_a_key_with_one_value_has_one_entry() -> None:
    document = {**GOOD, "revisions": [], "entries": [
        an_entry(30, "Lives in Porto", key="city", single_valued=True),
        an_entry(31, "Lives in Lisbon", key="city", single_valued=True),
    ]}  # fmt: skip

    with pytest.raises(InvalidInput, match=r"entries\.1\.key"):
        checked(document)

    document["entries"][0]["state"] = "superseded"
    checked(document)


PROFILE = {"id": an_id(60), "data": {"plan": "pro"}, "version": 2, "updated_at": NOON}
LAST = {
    "id": an_id(61), "data": {"plan": "pro"}, "version": 2,
    "actor_kind": "developer", "actor_id": "", "recorded_at": NOON,
}  # fmt: skip


@pytest.mark.parametrize(
    ("profile", "revisions"),
    [
        (PROFILE | {"data": {"plan": 1}}, [LAST]),
        (PROFILE | {"version": 3}, [LAST]),
        (PROFILE, []),
        (None, [LAST]),
    ],
    ids=["other data", "another version", "no version", "no profile"],
)
def test_a_profile_is_what_its_last_version_says(profile: Any, revisions: list[Any]) -> None:
    checked({**GOOD, "profile": PROFILE, "profile_revisions": [LAST | {"version": 1, "id": an_id(62)}, LAST]})

    with pytest.raises(InvalidInput) as refused:
        checked({**GOOD, "profile": profile, "profile_revisions": revisions})

    assert [problem.field for problem in refused.value.problems] == ["profile"]

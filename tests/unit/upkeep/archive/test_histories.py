"""The entries of an archive are what their histories say, and these what turns say; each difference is named by its field."""

import json
from typing import Any

import pytest

from memory.entries.history import FIELDS
from tests.fixtures.archives import put
from tests.unit.upkeep.archive.test_checks import GOOD, NOON, SOON, a_revision, an_id, checked
from web.errors import InvalidInput


def told() -> dict[str, Any]:
    """GOOD, whose first entry has two revisions that tell all of it."""
    kept: dict[str, Any] = {
        "key": "drink", "single_valued": False, "importance": 0.5, "confidence": 1, "weight": 1, "pinned": False,
        "read_only": False, "tags": {"a": "b"}, "category": "", "metadata": {}, "modality": "text", "source": "turn",
        "recorded_at": NOON, "happens_at": None, "valid_from": NOON, "valid_to": None, "expires_at": None,
    }  # fmt: skip
    first = a_revision(40, seq=9, entry=30)
    first["after"] |= kept
    last = {
        **first,
        "id": an_id(41),
        "seq": 10,
        "entry_version": 2,
        "event": "update",
        "before": first["after"],
    }
    last["after"] = {**first["after"], "version": 2, "valid_from": "2026-03-02T13:00:00+01:00"}
    document: Any = json.loads(json.dumps({**GOOD, "revisions": [first, last]}))  # nothing is shared
    document["entries"][0] |= {**kept, "version": 2}
    return dict(document)


OTHERWISE: dict[str, Any] = {
    "type": "interest", "tier": "archive", "state": "deleted", "subject": "Bo", "content": "Likes TEA", "key": "cup",
    "single_valued": True, "importance": 0.25, "confidence": 0.5, "weight": 2, "pinned": True, "read_only": True,
    "tags": {}, "category": "deadline", "metadata": {"a": 1}, "modality": "voice", "source": "api",
    "source_message_ids": [an_id(11)], "recorded_at": SOON, "effective_at": SOON, "happens_at": "2026",
    "valid_from": None, "valid_to": NOON, "expires_at": NOON, "version": 3,
}  # fmt: skip


def test_every_column_of_an_entry_but_its_own_is_tried_below() -> None:
    assert {*OTHERWISE, "id", "content_hash"} == set(FIELDS)


@pytest.mark.parametrize("name", OTHERWISE)
def test_an_entry_is_what_its_last_revision_says(name: str) -> None:
    checked(told())

    with pytest.raises(InvalidInput) as refused:
        checked(put(told(), f"entries.0.{name}", OTHERWISE[name]))

    (problem,) = refused.value.problems
    assert problem.field == f"entries.0.{name}"
    assert problem.detail == "is not what its last revision, revisions.1, says"


@pytest.mark.parametrize("name", [name for name in OTHERWISE if name != "version"])
def test_a_revision_begins_with_what_the_one_before_it_ended_with(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked(put(told(), f"revisions.1.before.{name}", OTHERWISE[name]))

    assert f"revisions.1.before.{name}" in [problem.field for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("turns.0.state", "failed", "revisions.0.turn_id"),
        ("revisions.1.recorded_at", SOON, "revisions.1.recorded_at"),
        ("turns.0.operations.0.entry_id", an_id(31), "turns.0.operations.0.entry_id"),
        ("turns.0.operations.1.entry_id", an_id(77), "turns.0.operations.1.entry_id"),
    ],
    ids=["not applied", "applied twice", "an operation that left nothing", "a held deletion of nothing"],
)
def test_what_a_turn_says_of_entries_is_in_their_histories(path: str, value: Any, field: str) -> None:
    document = told()
    for revision in document["revisions"]:
        revision |= {"turn_id": an_id(10), "actor_kind": "model"}
    done = {"operation": {"op": "add"}, "verdict": "applied", "reason": "", "entry_id": an_id(30)}
    held = {**done, "verdict": "held", "held_id": an_id(70), "entry_version": 2}
    document["turns"][0]["operations"] = [done, held]
    checked(document)

    with pytest.raises(InvalidInput) as refused:
        checked(put(document, path, value))

    assert field in [problem.field for problem in refused.value.problems]


GONE = {"before": None, "after": None, "event": "redact", "redacted_at": NOON}


@pytest.mark.parametrize(
    ("revisions", "field"),
    [
        ([{"before": a_revision(40, seq=9, entry=30)["after"]}], "revisions.0.before"),
        ([{}, {"before": None}], "revisions.1.before"),
        ([{}, {"entry_version": 3}], "revisions.1.entry_version"),
        ([{}, {"event": "none"}], "revisions.1.entry_version"),
        ([{}, GONE], "entries.0"),
        ([{"entry_id": an_id(77), "before": None, "after": None}], "revisions.0.entry_id"),
    ],
    ids=[
        "it begins with something",
        "it loses its beginning",
        "a version is left out",
        "a version for no change",
        "an erased one is there",
        "one is not there",
    ],
)
def test_a_history_is_whole(revisions: list[dict[str, Any]], field: str) -> None:
    document = told()
    document["revisions"] = [
        {**given, **own} for given, own in zip(document["revisions"], revisions, strict=False)
    ]

    with pytest.raises(InvalidInput) as refused:
        checked(document)

    assert field in [problem.field for problem in refused.value.problems]


def test_what_was_erased_of_a_history_is_no_gap() -> None:
    """An entry whose first revision was emptied, one that is gone, and a last revision that lost its words."""
    document = told()
    first, last = document["revisions"]
    emptied = {"before": None, "after": None, "redacted_at": NOON}
    checked({**document, "revisions": [{**first, **emptied}, last]})
    checked({**document, "revisions": [first, {**last, **emptied}]})
    checked({**document, "revisions": [first, {**last, **GONE}], "entries": document["entries"][1:]})

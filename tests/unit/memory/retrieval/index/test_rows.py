from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from memory.models import EntryState, ScratchpadEntry, Tier
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.rows import (
    columns,
    entry_row,
    message_row,
    owing_kinds,
    spoken,
)
from relationships.models import Message, MessageRole

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
ENTRY = UUID("0190a000-0000-7000-8000-000000000001")


def entry(**values: Any) -> ScratchpadEntry:
    usual = {
        "id": ENTRY,
        "content": "Likes tea",
        "subject": "user",
        "state": EntryState.ACTIVE,
        "tier": Tier.ARCHIVE,
    }
    return ScratchpadEntry(**{**usual, "effective_at": NOON, **values})


def test_states_are_written_by_their_values() -> None:
    row = entry_row(entry(), Retrieval())

    assert (type(row.state), row.state, type(row.tier), row.tier) == (str, "active", str, "archive")


@pytest.mark.parametrize(
    ("retrieval", "kinds"),
    [
        pytest.param({}, [], id="no embedder"),
        pytest.param({"embed_messages": True}, [], id="messages, but no embedder"),
        pytest.param({"embedder": "offline"}, ["entry"], id="entries"),
        pytest.param({"embedder": "offline", "embed_messages": True}, ["entry", "message"], id="both"),
    ],
)
def test_the_configuration_says_what_has_vectors(retrieval: dict[str, Any], kinds: list[str]) -> None:
    assert owing_kinds(Retrieval.model_validate(retrieval)) == kinds


@pytest.mark.parametrize(
    ("state", "owes"), [("active", True), ("superseded", True), ("expired", True), ("deleted", False)]
)
def test_only_what_was_deleted_is_kept_from_the_embedder(state: str, owes: bool) -> None:
    assert entry_row(entry(state=state), Retrieval(embedder="offline")).owes is owes


@pytest.mark.parametrize("content", ["<rapport_memory>\n- Likes tea\n</rapport_memory>", "  \n "])
def test_a_message_in_which_nobody_speaks_owes_nothing(content: str) -> None:
    message = Message(seq=3, session="web", role=MessageRole.USER, content=content, occurred_at=NOON)
    row = message_row(message, Retrieval(embedder="offline", embed_messages=True))

    assert (row.words, row.owes, row.role, row.place) == ("", False, "user", 3)
    assert spoken(content) == ""


def test_columns_are_the_rows_turned_round() -> None:
    rows = [entry_row(entry(), Retrieval()), entry_row(entry(content="Has a cat"), Retrieval())]

    turned = columns(rows)

    assert turned["words"] == ["likes tea", "has a cat"]
    assert {len(column) for column in turned.values()} == {2}

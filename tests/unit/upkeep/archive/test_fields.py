import json
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from memory.entries.fingerprint import content_hash
from upkeep.archive.fields import Fields

FIELDS: dict[str, Any] = {
    "id": "018f0000-0000-7000-8000-000000000001",
    "version": 1,
    "type": "other",
    "subject": "user",
    "content": "Likes tea",
    "content_hash": "0f" * 32,
    "state": "active",
    "tier": "scratchpad",
    "source_message_ids": [],
    "effective_at": "2026-03-02T12:00:00Z",
}
ADAPTER: TypeAdapter[Any] = TypeAdapter(Fields)


def read(**changed: Any) -> Any:
    return ADAPTER.validate_json(json.dumps({**FIELDS, **changed}))


def test_a_revision_is_kept_as_the_history_writes_it() -> None:
    """Whatever form a time has; what it says nothing of stays unsaid."""
    fields = read(effective_at="2026-03-02 13:00z", weight=1)

    assert fields["effective_at"] == "2026-03-02T13:00:00+00:00"
    assert fields == {**FIELDS, "effective_at": fields["effective_at"], "weight": 1.0,
                      "content_hash": content_hash("Likes tea").hex()}  # fmt: skip
    assert read(**fields) == fields


def test_an_entry_may_have_been_longer_before_than_one_may_be_now() -> None:
    assert len(read(content="x" * 8001)["content"]) == 8001

    with pytest.raises(ValidationError, match="is longer than 65536 bytes"):
        read(content="x" * 65_537)


@pytest.mark.parametrize("missing", list(FIELDS))
def test_a_revision_says_all_that_erasing_must_know_of_an_entry(missing: str) -> None:
    with pytest.raises(ValidationError, match=missing):
        ADAPTER.validate_python({name: value for name, value in FIELDS.items() if name != missing})

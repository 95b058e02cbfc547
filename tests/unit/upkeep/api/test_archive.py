import json
from typing import Any

import pytest
from pydantic import ValidationError

from upkeep.api.archive import ArchivedEntry, ArchivedMessage, ArchivedOperation
from upkeep.api.archive_fields import EntryFields

MESSAGE: dict[str, Any] = {
    "id": "018f0000-0000-7000-8000-000000000001",
    "seq": 1,
    "role": "user",
    "speaker": "",
    "content": "Hello",
    "occurred_at": "2026-03-02T12:00:00Z",
    "recorded_at": "2026-03-02T12:00:00Z",
    "erased_at": None,
}
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


def test_an_erased_message_may_be_empty() -> None:
    erased = {**MESSAGE, "content": "", "erased_at": "2026-03-03T12:00:00Z"}

    assert ArchivedMessage.model_validate(erased, strict=False).content == ""


def test_an_entry_needs_a_type_and_a_content_only() -> None:
    entry = ArchivedEntry.model_validate({"type": "other", "content": "Has a cat"})

    assert (entry.state, entry.source, entry.version, entry.recorded_at) == ("active", "import", 1, None)


@pytest.mark.parametrize("missing", list(FIELDS))
def test_a_revision_says_all_that_erasing_must_know_of_an_entry(missing: str) -> None:
    assert EntryFields.model_validate_json(json.dumps(FIELDS))

    with pytest.raises(ValidationError, match=missing):
        EntryFields.model_validate_json(
            json.dumps({name: value for name, value in FIELDS.items() if name != missing})
        )


@pytest.mark.parametrize("operation", [{"op": "add"}, "text", ["list"], 3, None], ids=repr)
def test_an_operation_may_be_whatever_a_model_wrote(operation: Any) -> None:
    judged = {"operation": operation, "verdict": "refused", "reason": "is not an object", "entry_id": None}

    assert ArchivedOperation.model_validate(judged, strict=False).operation == operation

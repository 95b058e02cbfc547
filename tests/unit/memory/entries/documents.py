"""Documents that an import accepts, for hypothesis, and how to compare two of them."""

from copy import deepcopy
from datetime import datetime
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from memory.entries.fingerprint import content_hash

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40)
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
AHEAD = st.datetimes(datetime(2, 1, 1), datetime(9999, 12, 29)).map(lambda moment: f"{moment.isoformat()}Z")
SAID = st.datetimes(datetime(2, 1, 1), datetime(2026, 1, 1)).map(lambda moment: f"{moment.isoformat()}Z")
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(WORDS, JSONS, max_size=3)
HAPPENS = st.sampled_from(
    [None, "2026", "2026-03", "2026-03-14", "2026-03-14T15:00", "2026-03-14/2026-03-20"]
)
MAYBE, MAYBE_AHEAD = st.none() | SAID, st.none() | AHEAD
IDS = st.uuids().map(str)


def as_history_has_it(entry: dict[str, Any]) -> dict[str, Any]:
    times = {
        name: datetime.fromisoformat(value).isoformat()
        for name, value in entry.items()
        if (name.endswith("_at") and name != "happens_at") or name.startswith("valid_")
        if value is not None
    }
    return {**entry, **times, "content_hash": content_hash(entry["content"]).hex()}


@st.composite
def said_or_erased(draw: st.DrawFn) -> dict[str, Any]:
    erased_at = draw(MAYBE)
    content = "" if erased_at else f"x{draw(WORDS)}"
    metadata = {} if erased_at else draw(st.dictionaries(NAMES, WORDS, max_size=1))
    return {"content": content, "metadata": metadata, "erased_at": erased_at, "hidden_at": None}


@st.composite
def turns(draw: st.DrawFn) -> list[Any]:
    seq, made = 0, []
    for _ in range(draw(st.integers(0, 3))):
        numbers = [seq := seq + draw(st.integers(1, 1000)) for _ in range(2 + draw(st.integers(0, 2)))]
        made.append(
            {
                "id": draw(IDS), "seq": numbers[0], "session": "s", "occurred_at": draw(SAID),
                "recorded_at": draw(SAID), "config": {}, "tags": {"client": "acme"}, "category": draw(st.sampled_from(["", "deadline"])),
                "modality": "voice", "interrupted": draw(st.booleans()), "due_at": draw(MAYBE), "waits_for": "explicit",
                "state": draw(st.sampled_from(["pending", "applied", "skipped", "failed"])),
                "attempts": draw(st.integers(0, 9)), "claimed_at": draw(MAYBE), "settled_at": draw(MAYBE),
                "error_code": "", "error": draw(WORDS), "prompt_version": draw(st.none() | st.integers(0, 9)),
                "operations": [
                    {
                        "operation": draw(JSONS), "verdict": "refused", "reason": draw(WORDS), "entry_id": entry_id,
                        "call_id": draw(st.none() | IDS), "entry_ids": [entry_id], "message_ids": draw(st.lists(IDS, max_size=2, unique=True)),
                        "held_id": None, "entry_version": draw(st.none() | st.integers(0, 9)), "held_reason": draw(WORDS),
                    }
                    for entry_id in draw(st.lists(IDS, max_size=2))
                ],
                "model_call_ids": draw(st.lists(IDS, max_size=2)),
                "messages": [
                    {
                        "id": draw(IDS), "seq": number, "role": "user", "speaker": draw(NAMES),
                        **draw(said_or_erased()), "occurred_at": draw(SAID), "recorded_at": draw(SAID),
                    }
                    for number in numbers[1:]
                ],
            }
        )  # fmt: skip
    return made


@st.composite
def histories(draw: st.DrawFn, said: list[str]) -> tuple[list[Any], list[Any]]:
    """Entries with their revisions, which cite messages in `said`. Contents differ, as active entries' must."""
    entries, revisions = [], []
    for place in range(draw(st.integers(0, 3))):
        content = f"{place} {draw(NAMES)}x"
        redacted_at = draw(MAYBE)
        entry = {
            "id": draw(IDS), "type": "other", "tier": "archive", "subject": draw(NAMES), "content": content,
            "state": draw(st.sampled_from(["active", "superseded", "expired", "deleted"])),
            "key": draw(st.none() | NAMES), "single_valued": False, "importance": draw(st.floats(0, 1)),
            "confidence": 1.0, "weight": draw(st.floats(0, 100)), "pinned": draw(st.booleans()),
            "read_only": False, "tags": {"a": "b"}, "category": "deadline", "metadata": draw(OBJECTS), "modality": "text",
            "source": "turn", "source_message_ids": said[: draw(st.integers(0, 2))],
            "recorded_at": draw(SAID), "effective_at": draw(SAID), "happens_at": draw(HAPPENS),
            "valid_from": draw(MAYBE_AHEAD), "valid_to": draw(MAYBE_AHEAD), "expires_at": draw(MAYBE_AHEAD),
            "last_accessed_at": draw(MAYBE), "access_count": 3, "version": 2,
        }  # fmt: skip
        entries.append(entry)
        revisions.append(
            {
                "id": draw(IDS), "entry_id": entry["id"], "entry_version": 2, "seq": 10_000 + 7 * place,
                "event": "update", "before": None, "after": None if redacted_at else as_history_has_it(entry),
                "actor_kind": "model", "actor_id": "", "turn_id": None, "model_call_id": draw(IDS),
                "prompt_version": None, "model": "m", "reason": "" if redacted_at else draw(WORDS), "recorded_at": draw(SAID),
                "effective_at": draw(SAID), "redacted_at": redacted_at,
            }
        )  # fmt: skip
    return sorted(entries, key=lambda entry: UUID(entry["id"]).bytes), revisions


@st.composite
def documents(draw: st.DrawFn) -> Any:
    talk = draw(turns())
    said = [message["id"] for turn in talk for message in turn["messages"]]
    entries, revisions = draw(histories(said))
    profile = {"data": draw(OBJECTS), "version": 3}
    by = {"actor_kind": "developer", "actor_id": "", "recorded_at": draw(SAID)}
    return {
        "format": "rapport.relationship",
        "version": 1,
        "relationship": {"timezone": "Asia/Tokyo", "config": {}, "last_turn_at": draw(MAYBE)},
        "profile": {"id": draw(IDS), **profile, "updated_at": draw(SAID)},
        "profile_revisions": [{"id": draw(IDS), **profile, **by}],
        "sessions": [],
        "turns": talk,
        "entries": entries,
        "revisions": revisions,
        "held_deletions": [],
        "summaries": [],
        "behaviour_runs": [],
        "outbox": [],
        "files": [],
        "model_calls": [],
    }


def comparable(document: Any) -> Any:
    """A document without its owners, and with each `seq` replaced by its rank."""
    plain = {
        name: value
        for name, value in deepcopy(document).items()
        if name not in {"exported_from", "companion", "user"}
    }
    numbered = [
        *plain["turns"],
        *plain["revisions"],
        *[m for turn in plain["turns"] for m in turn["messages"]],
    ]
    places = {seq: place for place, seq in enumerate(sorted(row["seq"] for row in numbered))}
    for row in numbered:
        row["seq"] = places[row["seq"]]
    return plain

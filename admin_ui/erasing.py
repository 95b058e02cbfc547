"""What an erasure takes, as the pages say it."""

from collections.abc import Mapping

from admin_ui.templatetags.facts import grouped

# One and many of each table's rows, in the order in which a reader wants to know.
_WORDS = {
    "end_user": ("person", "people"),
    "relationship": ("relationship", "relationships"),
    "message": ("message", "messages"),
    "turn": ("turn", "turns"),
    "scratchpad_entry": ("entry", "entries"),
    "entry_revision": ("history record", "history records"),
    "operation_result": ("proposed operation", "proposed operations"),
    "model_call": ("model call", "model calls"),
    "held_deletion": ("deletion awaiting review", "deletions awaiting review"),
    "profile": ("profile", "profiles"),
    "profile_revision": ("profile version", "profile versions"),
    "session_state": ("session", "sessions"),
    "replay": ("replay", "replays"),
    "snapshot": ("snapshot", "snapshots"),
    "search_text": ("search index row", "search index rows"),
    "embedding": ("vector", "vectors"),
    "relationship_token": ("token", "tokens"),
    "idempotency_key": ("idempotency key", "idempotency keys"),
}


def counts_in_words(counts: Mapping[str, int]) -> list[str]:
    """`1 person`, `84 messages`: every table that loses rows, also one without words of its own."""
    order = [*(table for table in _WORDS if table in counts), *sorted(counts.keys() - _WORDS.keys())]
    return [f"{grouped(counts[table])} {_name(table, counts[table])}" for table in order if counts[table]]


def _name(table: str, count: int) -> str:
    other = f"{table.replace('_', ' ')} rows"
    one, many = _WORDS.get(table, (other, other))
    return one if count == 1 else many

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
    "held_deletion": ("review of deletions", "reviews of deletions"),
    "profile": ("profile", "profiles"),
    "profile_revision": ("profile version", "profile versions"),
    "session_state": ("session", "sessions"),
}


def counts_in_words(counts: Mapping[str, int]) -> list[str]:
    """`1 person`, `84 messages`; the rows of tables without words of their own together."""
    told = [(counts[table], words) for table, words in _WORDS.items() if counts.get(table)]
    others = sum(count for table, count in counts.items() if table not in _WORDS)
    told += [(others, ("other record", "other records"))] * bool(others)
    return [f"{grouped(count)} {words[count != 1]}" for count, words in told]

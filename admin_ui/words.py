"""Texts for the pages: codes as words, errors as sentences, and formatted numbers and durations."""

from collections.abc import Mapping

from web.errors import RapportError

NARROW = "\u202f"  # the space that groups digits
WORDS = {
    # events of an entry
    "add": "added",
    "update": "updated",
    "delete": "deleted",
    "replace": "replaced",
    "supersede": "replaced",
    "restore": "restored",
    "expire": "expired",
    "archive": "archived",
    "merge": "merged",
    "redact": "erased",
    "none": "unchanged",
    # states of turns and runs
    "applied": "processed",
    "pending": "waiting",
    # states of agents' sessions
    "hydrating": "preparing",
    "curating": "writing its notes",
    "needs_review": "awaiting review",
    # errors
    "unauthorized": "API key refused",
    "certificate_refused": "certificate of the provider refused",
    "unavailable": "provider unavailable",
    "misconfigured": "provider misconfigured",
    "permanent": "refused by the provider",
    "transient": "provider failed",
    # actors
    "user": "person",
    "developer": "API key",
    "policy": "Rapport",
    # moments of behaviours
    "priority": "before the reply",
    "async": "after the turn",
}
# Singular and plural of each table's rows, in the order of display.
_ROWS = {
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


def in_words(code: str) -> str:
    """Return the words for a code: "rate limited" for `rate_limited`."""
    return WORDS.get(code) or (code.replace("_", " ") if code.isidentifier() else code)


def sentence_of(error: RapportError) -> str:
    """Return an error as a sentence: "Email is not an email address." for "email: is not an email address"."""
    field, _, detail = error.detail.partition(": ")
    if len(error.problems) != 1 or field != error.problems[0].field or not field.isidentifier():
        return error.detail
    sentence = f"{in_words(field).capitalize()} {detail}" if detail[:1].islower() else detail
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: "1 turn", "2 turns"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    """Format a duration: "0.52 s", "7 minutes", "3 hours", "2 days"."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length or (unit == "minute" and seconds >= 60):
            return counted(round(seconds / length), unit)
    return f"{seconds:.2f} s"


def codes_with(text: str) -> list[str]:
    """Return the codes whose words contain this text, in any case."""
    return [code for code, words in WORDS.items() if text.lower() in words.lower()]


def grouped(number: int) -> str:
    """Format a whole number with its digits in groups of three: 49 919."""
    return f"{number:,}".replace(",", NARROW)


def counts_in_words(counts: Mapping[str, int]) -> list[str]:
    """Return rows per table as "1 person", "84 messages". Tables that have no words here are added up."""
    found = [(counts[table], words) for table, words in _ROWS.items() if counts.get(table)]
    others = sum(count for table, count in counts.items() if table not in _ROWS)
    found += [(others, ("other record", "other records"))] * bool(others)
    return [f"{grouped(count)} {words[count != 1]}" for count, words in found]

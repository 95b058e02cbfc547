"""What codes are called on the pages: of changes, states and refusals; and numbers as a reader takes them in."""

from collections.abc import Mapping

from web.errors import RapportError

NARROW = "\u202f"  # the space between a number's thousands
WORDS = {
    # what became of an entry
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
    # how far a turn or a run has come
    "applied": "processed",
    "pending": "waiting",
    # how far an agent's session has come
    "hydrating": "preparing",
    "curating": "writing its notes",
    "needs_review": "awaiting review",
    # why
    "unauthorized": "API key refused",
    "unavailable": "provider unavailable",
    "misconfigured": "provider misconfigured",
    "permanent": "refused by the provider",
    "transient": "provider failed",
    # who
    "user": "person",
    "developer": "API key",
    "policy": "Rapport",
    # when a behaviour runs
    "priority": "before the reply",
    "async": "after the turn",
}
# One and many of each table's rows, in the order in which a reader wants to know.
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
    """A code as a page says it: `rate_limited` is "rate limited"."""
    return WORDS.get(code) or (code.replace("_", " ") if code.isidentifier() else code)


def sentence_of(error: RapportError) -> str:
    """Why something was refused: "Email is not an email address." in place of the API's "email: is not an email
    address".
    """
    field, _, detail = error.detail.partition(": ")
    if len(error.problems) != 1 or field != error.problems[0].field or not field.isidentifier():
        return error.detail
    said = f"{in_words(field).capitalize()} {detail}" if detail[:1].islower() else detail
    return said if said.endswith((".", "!", "?")) else f"{said}."


def lasting(seconds: float) -> str:
    """A time that something took: "0.52 s", "7 minutes", "3 hours", "2 days"."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length or (unit == "minute" and seconds >= 60):
            count = round(seconds / length)
            return f"{count} {unit}{'s' * (count != 1)}"
    return f"{seconds:.2f} s"


def codes_called(text: str) -> list[str]:
    """The codes whose words hold this text, in any case."""
    return [code for code, words in WORDS.items() if text.lower() in words.lower()]


def grouped(number: int) -> str:
    """A whole number as a reader takes it in: 49 919."""
    return f"{number:,}".replace(",", NARROW)


def counts_in_words(counts: Mapping[str, int]) -> list[str]:
    """`1 person`, `84 messages`; the rows of tables without words of their own together."""
    told = [(counts[table], words) for table, words in _ROWS.items() if counts.get(table)]
    others = sum(count for table, count in counts.items() if table not in _ROWS)
    told += [(others, ("other record", "other records"))] * bool(others)
    return [f"{grouped(count)} {words[count != 1]}" for count, words in told]

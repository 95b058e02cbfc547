"""What codes are called on the pages: of operations and changes, of turns' states, of why something was refused."""

from web.errors import RapportError

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

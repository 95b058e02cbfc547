"""What a model's server tells of itself and its answers, made fit to be kept: servers put anything there."""

LONGEST_NAME = 120  # characters, as wide as the columns
LONGEST_REASON = 60


def storable(text: str) -> str:
    """What PostgreSQL can hold: what a model or its server says may carry NUL or half a surrogate pair."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def name_of(told: object, *, most: int = LONGEST_NAME) -> str:
    """A name on one line, such as that of a model: it stands among the names of who changed an entry."""
    return "".join(letter for letter in storable(str(told)) if letter.isprintable())[:most]


def count_of(told: object) -> int | None:
    """None for what no count can be: some servers say -1 for unknown."""
    return told if type(told) is int and 0 <= told < 2**31 else None

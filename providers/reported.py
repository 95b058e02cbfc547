"""Cleans what model servers report before it is stored, as it may be anything."""

LONGEST_NAME = 120  # characters, as wide as the columns
LONGEST_REASON = 60


def storable(text: str) -> str:
    """Replace what PostgreSQL can't store: NULs and lone surrogates."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()


def name_of(told: object, *, most: int = LONGEST_NAME) -> str:
    """A printable name on one line. A model's name is shown as an actor's."""
    return "".join(letter for letter in storable(str(told)) if letter.isprintable())[:most]


def count_of(told: object) -> int | None:
    """A token count; None if it is invalid. Some servers report -1 for unknown."""
    return told if type(told) is int and 0 <= told < 2**31 else None

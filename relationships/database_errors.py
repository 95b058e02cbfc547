"""What the database's own errors mean: whether it went away, or was asked for something it can't do."""

from django.db import InterfaceError, OperationalError

_OVER_A_LIMIT = "54"  # SQLSTATE's class of statements that are too large or too complex


def sqlstate(error: BaseException) -> str:
    """The database's own five-letter code, or nothing."""
    return getattr(error.__cause__, "sqlstate", None) or ""


def database_went_away(error: BaseException) -> bool:
    """It can't be reached or could not go on, so that the same may do well later.

    A statement beyond its limits is of the same class in Python, but a mistake of ours: it never does well.
    """
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    return not sqlstate(error).startswith(_OVER_A_LIMIT)

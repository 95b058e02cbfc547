import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError, connection

from relationships.database_errors import database_went_away, sqlstate


def test_a_statement_beyond_the_databases_limits_does_not_mean_that_it_went_away(db: None) -> None:
    with pytest.raises(OperationalError) as raised, connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(['1'] * 1665)}")

    assert sqlstate(raised.value) == "54011"
    assert not database_went_away(raised.value)


@pytest.mark.parametrize(
    ("error", "went_away"),
    [
        (OperationalError("connection refused"), True),
        (InterfaceError("connection already closed"), True),
        (ProgrammingError("syntax error"), False),
        (RuntimeError("mistake"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_code_is_told_by_its_class(error: Exception, went_away: bool) -> None:
    assert database_went_away(error) is went_away
    assert sqlstate(error) == ""

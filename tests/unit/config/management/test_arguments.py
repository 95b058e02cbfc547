"""Numbers on a command line that nobody can mean."""

import pytest
from django.core.management import CommandError, call_command


@pytest.mark.parametrize(
    "words",
    [
        ("purge", "--yes", "--patience", "nan"),
        ("purge", "--yes", "--patience", "-1"),
        ("purge", "--yes", "--patience", "inf"),
        ("worker", "--grace", "-1"),
        ("distribute", "--dry-run", "--shards", "0"),
    ],
    ids=" ".join,
)
def test_it_is_refused_with_what_may_be(words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=f"argument {words[-2]}: '{words[-1]}' is not between"):
        call_command(*words)


def test_what_is_no_number_is_named() -> None:
    with pytest.raises(CommandError, match="'soon' is not a number"):
        call_command("purge", "--yes", "--patience", "soon")

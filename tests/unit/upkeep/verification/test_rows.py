"""How the invariants' statements are read."""

from uuid import UUID

import pytest
from django.db import connection

from upkeep.verification.invariant import Page, rows

_CURSORS = "SELECT name FROM pg_cursors"
_PAGE = Page((), UUID(int=0), UUID(int=0), None)


@pytest.mark.django_db
def test_rows_are_read_through_a_cursor_of_the_server() -> None:
    assert len(list(rows(_CURSORS, _PAGE))) == 1


@pytest.mark.django_db
def test_rows_are_read_at_once_through_a_pooler_which_would_lose_the_cursor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)

    assert list(rows(_CURSORS, _PAGE)) == []

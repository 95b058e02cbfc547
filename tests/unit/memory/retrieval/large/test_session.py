import pytest

from memory.retrieval.large.session import SESSION_NAME, upkeep_session

pytestmark = pytest.mark.django_db


def test_the_session_has_a_name_and_no_transaction() -> None:
    with upkeep_session() as session:
        assert session is not None
        row = session.execute("SELECT current_setting('application_name')").fetchone()
        assert row == (SESSION_NAME,)
        assert session.autocommit


def test_a_second_session_stands_back_until_the_first_has_ended() -> None:
    with upkeep_session() as first, upkeep_session() as second:
        assert first is not None
        assert second is None
    with upkeep_session() as third:
        assert third is not None

import pytest

from relationships.services.configuration import check_level
from web.errors import InvalidConfiguration


def test_a_problem_stands_below_the_member_that_held_the_level() -> None:
    with pytest.raises(InvalidConfiguration) as caught:
        check_level({"sessions": {"idle_minutes": -1}})
    assert [problem.field for problem in caught.value.problems] == ["config.sessions.idle_minutes"]

    with pytest.raises(InvalidConfiguration) as caught:
        check_level({"sessions": {"idle_minutes": -1}}, inside="")
    assert [problem.field for problem in caught.value.problems] == ["sessions.idle_minutes"]


def test_null_is_a_value_a_level_may_have() -> None:
    check_level({"sessions": None, "context": {"provider": None}})

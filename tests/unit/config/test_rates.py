import pytest

from config import environment
from config.rates import Rate, key_rates, parse_rate, token_rates


@pytest.mark.parametrize(
    ("written", "rate"),
    [
        ("600/minute", Rate(600, 60)),
        ("1/second", Rate(1, 1)),
        ("5/hour", Rate(5, 3600)),
        ("9/day", Rate(9, 86_400)),
    ],
)
def test_a_rate_is_written_as_it_is_shown(written: str, rate: Rate) -> None:
    assert parse_rate(written) == rate
    assert str(rate) == written


@pytest.mark.parametrize(
    "written", ["", "600", "0/minute", "-1/minute", "600/min", "600/ minute", "1e3/hour", "9999999999/day"]
)
def test_what_is_no_rate_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=written or "^$"):
        parse_rate(written)


def test_off_is_no_limit() -> None:
    assert parse_rate("off") is None


@pytest.mark.parametrize(
    ("rate", "other", "more"),
    [
        ("60/minute", "60/minute", False),
        ("1/second", "60/minute", False),
        ("61/minute", "60/minute", True),
        ("2/second", "60/minute", True),  # over time
        ("100/day", "60/minute", True),  # at once
        ("60/hour", "60/minute", False),
    ],
)
def test_a_rate_lets_more_through_at_once_or_over_time(rate: str, other: str, more: bool) -> None:
    one, two = parse_rate(rate), parse_rate(other)
    assert one is not None and two is not None
    assert one.exceeds(two) is more


def test_the_environment_says_the_limits_and_what_can_not_be_read_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(environment, "PROBLEMS", [])
    monkeypatch.setenv("RAPPORT_RATE_TURNS", "7/hour")
    monkeypatch.setenv("RAPPORT_RATE_SEARCHES", "off")
    monkeypatch.setenv("RAPPORT_TOKEN_RATE_REQUESTS", "many")

    assert key_rates()["turns"] == Rate(7, 3600)
    assert key_rates()["searches"] is None
    assert token_rates()["requests"] == Rate(600, 60)
    (problem,) = environment.PROBLEMS
    assert problem[0] == "RAPPORT_TOKEN_RATE_REQUESTS"
    assert "600/minute" in problem[2]

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from config import environment as env
from config.database import direct_url
from config.logging import LEVELS

NAME = "RAPPORT_SOME_AMOUNT"


@pytest.fixture(autouse=True)
def problems(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str, str]]]:
    """What was found wrong in this test; none of it stays."""
    found: list[tuple[str, str, str]] = []
    monkeypatch.setattr(env, "PROBLEMS", found)
    yield found


def test_an_amount_is_read_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.amount(NAME, "0") == 0

    monkeypatch.setenv(NAME, "0.10")
    assert env.amount(NAME, "0") == Decimal("0.10")


@pytest.mark.parametrize("written", ["ten", "-1", "NaN", "Infinity", "1e30"])
def test_what_is_no_amount_is_named_and_the_default_stands(
    written: str, problems: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, written)

    assert env.amount(NAME, "7") == 7
    assert [name for name, _, _ in problems] == [NAME]


def test_a_data_folder_that_takes_nothing_is_named_with_the_way_out(
    tmp_path: Path, problems: list[tuple[str, str, str]]
) -> None:
    (tmp_path / "file").write_text("in the place of a folder")

    env.kept_secret(tmp_path / "file" / "data" / "secret_key")

    ((name, what, how),) = problems
    assert name == "RAPPORT_SECRET_KEY"
    assert "(Not a directory)" in what and "RAPPORT_DATA_DIR" in how


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("rapport.example.com, .example.org,[::1],*", ["rapport.example.com", ".example.org", "[::1]", "*"]),
        ("https://rapport.example.com", []),
        ("rapport.example.com:8000", []),
        ("rapport.example.com/", []),
    ],
    ids=["names", "a scheme", "a port", "a path"],
)
def test_a_host_that_no_request_can_match_is_named(
    written: str, kept: list[str], problems: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, written)

    assert env.hosts(NAME, "localhost") == kept
    assert [(name, what) for name, what, _ in problems] == (
        [] if kept else [(NAME, f"{written!r} can't be read")]
    )


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://a.example:8443,capacitor://localhost,http://[::1]:3000,null", 4),
        ("https://*.a.example", 1),
        ("a.example", 0),
        ("https://a.example/", 0),
        ("https://A.example", 0),
        ("*", 0),
    ],
)
def test_an_origin_that_no_browser_sends_is_named(
    written: str, kept: int, problems: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, written)

    assert len(env.origins(NAME, subdomains=True)) == kept
    assert [name for name, _, _ in problems] == ([] if kept else [NAME])


def test_an_origin_for_all_subdomains_is_named_where_none_would_match(
    problems: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, "https://*.a.example")

    assert env.origins(NAME, subdomains=False) == []
    assert [name for name, _, _ in problems] == [NAME]


def test_a_word_is_one_of_those_that_are_known(
    problems: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, "debug")
    assert env.one_of(NAME, "INFO", LEVELS) == "DEBUG"

    monkeypatch.setenv(NAME, "verbose")
    assert env.one_of(NAME, "INFO", LEVELS) == "INFO"
    assert problems == [(NAME, "'verbose' can't be read", "write one of DEBUG, INFO, WARNING, ERROR")]


def test_what_a_length_of_time_is_counted_in_is_told(
    problems: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, "a day")
    env.seconds(NAME, 12, low=1, high=8760, unit="hours")
    assert problems == [(NAME, "'a day' can't be read", "write hours, 1 to 8760")]


def test_an_address_past_the_pooler_that_can_not_be_read_is_named_without_its_password(
    problems: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_DIRECT_URL", "mysql://rapport:secret@h/rapport")

    assert direct_url() == ""
    ((name, what, how),) = problems
    assert (name, what) == ("DATABASE_DIRECT_URL", "is not an address of PostgreSQL")
    assert "postgresql://" in how

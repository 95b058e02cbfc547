from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from config import environment as env

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

"""`rapport` says what is wrong with its line or its file, and asks the service nothing then."""

from pathlib import Path

import pytest
from rapport_client.cli import main

from tests.unit.clients.server import Server


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["entries_list"],
            "entries_list: missing a required argument: 'relationship_id'. Its arguments: relationship_id, [limit],",
        ),
        (
            ["entries_list", "r", "foo=1"],
            "entries_list: got an unexpected keyword argument 'foo'. Its arguments: ",
        ),
        (["entries_list", "r", "s"], "entries_list: too many positional arguments. Its arguments: "),
        (["close"], "'close' is not an operation; see /v1/docs of the service."),
    ],
    ids=["lacks", "unknown", "too many", "no operation"],
)
def test_a_call_that_does_not_fit_its_operation(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server() as server:
        assert main(["--url", server.url, "--key", "rk_x", "call", *words]) == 1
    assert capsys.readouterr().err.startswith(f"rapport: {told}")
    assert server.asked == []


@pytest.mark.parametrize(
    ("archive", "told"),
    [
        ("[1]", "is not an export of a relationship."),
        ('{"turns": []}', "is not an export of a relationship."),
        ('{"format": "rapport.relationship"}', "missing a required argument: 'version'."),
    ],
)
def test_a_file_that_is_no_export(
    archive: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "archive.json"
    file.write_text(archive)
    with Server() as server:
        assert main(["--url", server.url, "--key", "rk_x", "import", "r", str(file)]) == 1
    assert told in capsys.readouterr().err
    assert server.asked == []


def test_a_service_that_does_not_answer_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with Server() as server:
        address = server.url
    assert main(["--url", address, "--key", "rk_x", "call", "users_list"]) == 1
    assert capsys.readouterr().err.startswith(f"rapport: No response from {address}/v1/users: ConnectError")

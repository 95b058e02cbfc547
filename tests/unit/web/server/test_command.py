from pathlib import Path

import pytest

from web.server.command import web_command


def words(bind: str) -> list[str]:
    return list(web_command(bind, processes=3, grace=40.5, folder=Path("/srv")))


@pytest.mark.parametrize(
    ("bind", "where"),
    [
        ("127.0.0.1:8000", ["--host", "127.0.0.1", "--port", "8000"]),
        ("[::1]:80", ["--host", "::1", "--port", "80"]),
        (":8000", ["--host", "0.0.0.0", "--port", "8000"]),
        ("unix:/run/rapport.sock", ["--uds", "/run/rapport.sock"]),
    ],
)
def test_it_listens_where_it_is_told(bind: str, where: list[str]) -> None:
    command = words(bind)

    start = command.index(where[0])
    assert command[start : start + len(where)] == where
    assert command[command.index("--workers") + 1] == "3"
    assert command[command.index("--workers-kill-timeout") + 1] == "41"


@pytest.mark.parametrize("bind", ["localhost", "localhost:http", "localhost:70000", ""])
def test_an_address_without_a_port_is_refused_with_the_way_out(bind: str) -> None:
    with pytest.raises(ValueError, match="host:port"):
        words(bind)

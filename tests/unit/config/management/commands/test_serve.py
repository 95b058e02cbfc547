import socket
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings


def test_a_taken_port_is_refused_before_anything_starts(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]

        with pytest.raises(CommandError, match=f"Port {port} on 127.0.0.1 is taken"):
            call_command("serve", port=port, skip_checks=True)

    assert list(tmp_path.iterdir()) == []

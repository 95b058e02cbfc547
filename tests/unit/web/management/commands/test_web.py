import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command


def test_an_address_it_can_t_listen_at_is_refused_with_the_way_out() -> None:
    with pytest.raises(
        CommandError, match="--bind: 'localhost' names no port: write host:port, or unix:/path"
    ):
        call_command("web", bind="localhost")


def test_a_setting_that_can_t_be_read_is_named_and_nothing_starts() -> None:
    ended = subprocess.run(
        [sys.executable, "manage.py", "web"],
        cwd=settings.BASE_DIR,
        env={
            "PATH": "/usr/bin:/bin",
            "RAPPORT_WEB_THREADS": "many",
            "DATABASE_URL": "postgresql://nobody/none",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert ended.returncode == 1
    assert "RAPPORT_WEB_THREADS 'many' can't be read" in ended.stderr

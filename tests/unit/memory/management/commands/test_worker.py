import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings


def test_a_worker_does_not_start_with_a_connection_pool(settings: Settings) -> None:
    settings.PROCESS = "web"

    with pytest.raises(CommandError, match="RAPPORT_PROCESS is 'web'"):
        call_command("worker", skip_checks=True)

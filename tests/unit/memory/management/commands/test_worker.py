from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django.fixtures import Settings

from memory.queue.heartbeat import beat
from memory.queue.identity import worker_identity
from relationships.models import WorkerHeartbeat


def test_a_worker_does_not_start_with_a_connection_pool(settings: Settings) -> None:
    settings.PROCESS = "web"

    with pytest.raises(CommandError, match="RAPPORT_PROCESS is 'web'"):
        call_command("worker", skip_checks=True)


@pytest.mark.django_db
def test_check_says_whether_a_worker_of_this_machine_lives() -> None:
    beat(name="elsewhere/1c0ffee2:1:2", pool_restarts=0, counters={})
    with pytest.raises(CommandError, match="No worker of this machine has reported"):
        call_command("worker", "--check", skip_checks=True)

    beat(name=worker_identity(), pool_restarts=0, counters={})
    call_command("worker", "--check", skip_checks=True)

    WorkerHeartbeat.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
    with pytest.raises(CommandError, match="has reported for 15 s"):
        call_command("worker", "--check", skip_checks=True)

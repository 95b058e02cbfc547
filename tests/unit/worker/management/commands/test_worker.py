from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django.fixtures import Settings

from worker.heartbeat import beat
from worker.identity import worker_identity
from worker.models import WorkerHeartbeat


def test_a_worker_does_not_start_with_a_connection_pool(settings: Settings) -> None:
    settings.PROCESS = "web"

    with pytest.raises(CommandError, match="RAPPORT_PROCESS is 'web'"):
        call_command("worker", skip_checks=True)


@pytest.mark.django_db
def test_check_says_whether_a_worker_lives_here_and_starts_none() -> None:
    out = StringIO()
    beat(name=worker_identity(), pool_restarts=0, counters={})

    call_command("worker", "--check", skip_checks=True, stdout=out)
    assert out.getvalue() == "The worker is alive.\n"

    WorkerHeartbeat.objects.update(beat_at=timezone.now() - timedelta(seconds=16))
    with pytest.raises(CommandError, match="has reported for 15 s"):
        call_command("worker", "--check", skip_checks=True)

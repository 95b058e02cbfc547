from django.db import models


class WorkerHeartbeat(models.Model):
    """A worker machine that is alive: written every second or so by `manage.py worker`, read by /readyz/worker."""

    name = models.CharField(max_length=120, primary_key=True)  # host and process
    started_at = models.DateTimeField()
    beat_at = models.DateTimeField()
    pool_restarts = models.PositiveIntegerField(default=0)  # how often the watchdog restarted the pool
    counters = models.JSONField(default=dict)  # what its pool counted since it started, for /metrics

    class Meta:
        db_table = "relationships_workerheartbeat"

    def __str__(self) -> str:
        return self.name

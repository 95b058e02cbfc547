from django.db import models


class PeriodicRun(models.Model):
    """When a periodic task is due next: the worker machine that updates it does the task (worker.housekeeping)."""

    name = models.CharField(max_length=60, primary_key=True)
    next_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name

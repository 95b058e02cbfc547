from django.db import models


class PeriodicRun(models.Model):
    """When a periodic task is due next: whichever worker machine sets that does it (worker.housekeeping)."""

    name = models.CharField(max_length=60, primary_key=True)
    next_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name

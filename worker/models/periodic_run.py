from django.db import models


class PeriodicRun(models.Model):
    """When a periodic task is due next: the worker machine that updates it does the task (worker.housekeeping).

    `place`: how far a task has come that goes through a whole table in many runs, on whichever machine.
    """

    name = models.CharField(max_length=60, primary_key=True)
    next_at = models.DateTimeField()
    place = models.JSONField(null=True)

    def __str__(self) -> str:
        return self.name

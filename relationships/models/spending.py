from django.db import models

from relationships.models import Project


class ModelSpending(models.Model):
    """A project's use of language models on one day (UTC), counted in the transaction that stores the calls.

    It is per project, not per relationship, so that checking a budget reads only the project's rows of a day. They are
    several, and each connection uses one of them: with a single row, every transaction that counts would wait until the
    one before it is on the disk.
    """

    pk = models.CompositePrimaryKey("day", "project_id", "part")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="spending")
    day = models.DateField()
    part = models.PositiveSmallIntegerField(default=0)  # below relationships.services.model_budgets.PARTS
    calls = models.PositiveBigIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)  # prompt and answer
    cost = models.DecimalField(
        max_digits=16, decimal_places=8, default=0
    )  # USD, of the calls whose price is known
    unpriced = models.PositiveBigIntegerField(default=0)  # calls whose price is not known
    answered_at = models.DateTimeField(null=True)  # when a model last gave a usable answer

    class Meta:
        db_table = "memory_modelspending"

    def __str__(self) -> str:
        return f"{self.project_id} on {self.day}"

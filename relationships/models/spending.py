from django.db import models

from relationships.models import Project


class ModelSpending(models.Model):
    """What a project asked of language models on one day (UTC), counted by the transaction that keeps the calls.

    Not a relationship's, so that a budget is one look at a project's rows of a day. They are several, and a connection
    has one of them: else every transaction that counts would wait for the one before it to be on the disk.
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
    answered_at = models.DateTimeField(null=True)  # when a model last gave an answer of use

    class Meta:
        db_table = "memory_modelspending"

    def __str__(self) -> str:
        return f"{self.project_id} on {self.day}"

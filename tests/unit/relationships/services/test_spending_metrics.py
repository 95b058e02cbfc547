from decimal import Decimal
from uuid import uuid4

from relationships.services.model_budgets import Spent
from relationships.services.spending_metrics import metrics_of
from worker.api.metrics import NAMED

BUSY = uuid4()
SPENDING = [
    Spent(BUSY, tokens=9000, cost=Decimal("0.25")),
    *(Spent(uuid4(), tokens=100, cost=Decimal(0)) for _ in range(NAMED + 5)),
]


def test_what_projects_spent_today_is_told_by_project_in_few_series() -> None:
    tokens, cost = (
        {sample.labels["project"]: sample.value for sample in family.samples}
        for family in metrics_of(SPENDING)
    )

    assert tokens[str(BUSY)] == 9000
    assert len(tokens) == NAMED + 1
    assert sum(tokens.values()) == sum(row.tokens for row in SPENDING)
    assert cost[str(BUSY)] == 0.25

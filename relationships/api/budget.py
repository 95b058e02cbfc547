from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.services.model_budgets import ModelBudget, model_budget_of
from web.fields import Answer
from web.operations import operation

TAG = "Project"


class BudgetAnswer(Answer):
    """Since 00:00 UTC. A limit that is null does not apply."""

    daily_tokens: int | None
    daily_usd: str | None
    tokens: int
    """Of prompts and answers."""
    usd: str
    """Of the calls whose price is known."""
    calls: int
    unpriced_calls: int
    """Calls whose price is not known; they count as free here."""
    spent: bool
    """Turns wait until `renews_at`; previews and replays answer 429."""
    renews_at: datetime


def present_budget(budget: ModelBudget) -> dict[str, Any]:
    return BudgetAnswer.of(
        budget,
        daily_usd=None if budget.daily_usd is None else f"{budget.daily_usd:f}",
        usd=f"{budget.cost:f}",
        unpriced_calls=budget.unpriced,
        spent=bool(budget.spent),
    )


class BudgetView(ApiView):
    @operation(
        "project_budget",
        "Read your project's model budget, and what it has asked today",
        answers={200: BudgetAnswer},
    )
    def get(self, request: Request) -> Response:
        """The service's operator sets the budget with `manage.py budget`."""
        return self.answer(present_budget(model_budget_of(self.project_id)))

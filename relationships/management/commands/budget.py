from argparse import ArgumentParser
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.template.defaultfilters import pluralize

from config.management.arguments import between
from relationships.management.projects import find_project
from relationships.services.model_budgets import ModelBudget, model_budget_of, set_model_budget
from web.actor import Actor
from web.management.base import ServiceCommand

BY = Actor.policy("manage.py budget")
DEFAULT = "default"


class Command(ServiceCommand):
    help = "Show what a project may ask of language models in a day (UTC) and what it has asked, or change its limits."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--project", metavar="NAME_OR_ID", help="needed where there are several")
        hint = "a day; 0: no limit; default: the settings' limit for all projects"
        parser.add_argument("--tokens", type=_limit(int, 10**15), metavar="NUMBER", help=f"tokens {hint}")
        parser.add_argument("--usd", type=_limit(Decimal, 10**7), metavar="AMOUNT", help=f"US dollars {hint}")

    def handle(self, *, project: str | None, tokens: Any, usd: Any, **options: Any) -> None:
        found = find_project(project)
        budget = model_budget_of(found.id)
        if tokens is not None or usd is not None:
            budget = set_model_budget(
                project_id=found.id,
                by=BY,
                daily_tokens=_chosen(tokens, found.daily_tokens),
                daily_usd=_chosen(usd, found.daily_usd),
            )
        self._print(found.name, budget)

    def _print(self, name: str, budget: ModelBudget) -> None:
        tokens = "no limit" if budget.daily_tokens is None else f"at most {budget.daily_tokens}"
        usd = "no limit" if budget.daily_usd is None else f"at most {budget.daily_usd:.2f}"
        self.stdout.write(
            f"{name}, today (UTC): {budget.calls} call{pluralize(budget.calls)} of language models"
        )
        self.stdout.write(f"  tokens  {budget.tokens} ({tokens})")
        self.stdout.write(f"  USD     {budget.cost:.4f} ({usd})")
        if budget.unpriced:
            calls = f"{budget.unpriced} call{pluralize(budget.unpriced)}"
            self.stdout.write(f"  The price of {calls} is not known: set it in RAPPORT_PROVIDER_PRICES.")
        if budget.spent:
            self.stdout.write(f"  Spent: its turns wait until {budget.renews_at:%Y-%m-%d %H:%M} UTC.")


def _limit(number: Callable[[str], Any], most: int) -> Callable[[str], Any]:
    read = between(number, 0, most)
    return lambda text: DEFAULT if text == DEFAULT else read(text)


def _chosen(given: Any, present: Any) -> Any:
    """The new limit, where None stands for the settings' default; `present` if the option was not given."""
    return present if given is None else None if given == DEFAULT else given

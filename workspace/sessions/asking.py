"""Asks the companion's model on behalf of a session, and counts what it took."""

from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone

from memory.entries.happens import named_day_of
from providers.errors import ProviderError
from providers.llm.base import AgentData, Completion, CompletionRequest, PromptData
from providers.llm.registry import get_provider
from relationships.models import Relationship
from relationships.services.configuration import configuration_of
from relationships.services.model_budgets import count_spending, require_model_budget
from relationships.text_names import name_in_text
from workspace.configuration import Workspace


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    model: str
    tokens: int


def workspace_of(relationship: Relationship) -> Workspace:
    found: Workspace = configuration_of(relationship).values.workspace
    return found


def ask(relationship: Relationship, request: CompletionRequest) -> Asked:
    """No transaction is open. Raises ProviderError, BudgetSpent."""
    settled = workspace_of(relationship)
    provider = get_provider(settled.provider or settings.DEFAULT_LLM_PROVIDER)
    require_model_budget(relationship.project_id)
    completion: Completion | None = None
    try:
        completion = provider.complete(request)
    except ProviderError as error:
        completion = error.completion
        raise
    finally:
        if completion is not None:
            count_spending(relationship.project_id, [completion], answered=True, now=timezone.now())
    tokens = (completion.prompt_tokens or 0) + (completion.output_tokens or 0)
    return Asked(completion.text.replace("\x00", "\ufffd"), completion.model[:120], tokens)


def user_of(relationship: Relationship) -> str:
    return name_in_text(relationship.user.display_name, relationship.user.external_id)


def today_of(relationship: Relationship) -> str:
    return named_day_of(timezone.now().timestamp(), relationship.timezone)


def data_for(relationship: Relationship, agent: AgentData) -> PromptData:
    """What a provider that answers by rules reads."""
    return PromptData(
        entries=(),
        messages=(),
        timezone=relationship.timezone,
        types=(),
        user_name=user_of(relationship),
        task=agent.question,
        agent=agent,
    )

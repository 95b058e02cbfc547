"""Asks the companion's model on behalf of a session, and counts the tokens."""

from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone

from memory.entries.happens import named_day_of
from memory.model_calls import count_made_calls, make_call
from providers.llm.base import AgentData, CompletionRequest, PromptData
from providers.llm.registry import get_provider
from relationships.models import Relationship
from relationships.services.configuration import configuration_of
from relationships.services.model_budgets import require_model_budget
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
    """Ask the model. Call without an open transaction. Raises ProviderError, BudgetSpent."""
    settled = workspace_of(relationship)
    provider = get_provider(settled.provider or settings.DEFAULT_LLM_PROVIDER)
    require_model_budget(relationship.project_id)
    own = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    call = make_call(provider, request, **own, purpose="agent")  # counted but not stored: the step records it
    count_made_calls([call], now=timezone.now())
    if call.failure is not None:
        raise call.failure
    completion = call.completion
    assert completion is not None, "a call without a failure has an answer"
    tokens = (completion.prompt_tokens or 0) + (completion.output_tokens or 0)
    return Asked(completion.text, completion.model[:120], tokens)


def user_of(relationship: Relationship) -> str:
    return name_in_text(relationship.user.display_name, relationship.user.external_id)


def today_of(relationship: Relationship) -> str:
    return named_day_of(timezone.now().timestamp(), relationship.timezone)


def data_for(relationship: Relationship, agent: AgentData) -> PromptData:
    """The data that a rule-based provider reads instead of the prompt."""
    return PromptData(
        entries=(),
        messages=(),
        timezone=relationship.timezone,
        types=(),
        user_name=user_of(relationship),
        task=agent.question,
        agent=agent,
    )

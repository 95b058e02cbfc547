"""Asks the companion's model on behalf of a session, and counts the tokens. It is not shown again what was forgotten
since the session's steps were taken.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Max
from django.utils import timezone

from memory.entries.happens import named_day_of
from memory.model_calls import count_made_calls, make_call
from memory.models import EntryRevision, MendingPlan, RevisionEvent
from providers.llm.base import AgentData, Completion, CompletionRequest, PromptData
from providers.llm.registry import provider_of
from relationships.models import Relationship
from relationships.services.configuration import configuration_of
from relationships.services.model_budgets import require_model_budget
from relationships.text_names import name_in_text
from workspace.configuration import Workspace
from workspace.models import AgentSession, AgentStep
from workspace.redaction import TOLD_NEVER

PLACES = ("path", "old_path", "new_path", "view_range")  # arguments that say where, not what
WITHHELD = (
    "({state}; what it said is not shown again: something was forgotten since. Look again where you need it.)"
)


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    model: str
    tokens: int

    @classmethod
    def of(cls, completion: Completion) -> "Asked":
        tokens = (completion.prompt_tokens or 0) + (completion.output_tokens or 0)
        return cls(completion.text, completion.model[:120], tokens)


def workspace_of(relationship: Relationship) -> Workspace:
    found: Workspace = configuration_of(relationship).values.workspace
    return found


def ask(relationship: Relationship, request: CompletionRequest) -> Asked:
    """Ask the model. Call without an open transaction. Raises ProviderError, BudgetSpent."""
    settled = workspace_of(relationship)
    provider = provider_of(settled.provider)
    require_model_budget(relationship.project_id)
    # It is counted but not stored: the step records it.
    call = make_call(provider, request, **relationship.owner, purpose="agent")
    count_made_calls([call], now=timezone.now())
    return Asked.of(call.answer())


def user_of(relationship: Relationship) -> str:
    return name_in_text(relationship.user.display_name, relationship.user.external_id)


def today_of(relationship: Relationship) -> str:
    return named_day_of(timezone.now().timestamp(), relationship.timezone)


def data_for(relationship: Relationship, agent: AgentData) -> PromptData:
    """The data that a rule-based provider reads instead of the prompt."""
    user, zone = user_of(relationship), relationship.timezone
    return PromptData((), (), zone, (), user, task=agent.question, agent=agent)


def forgettings(relationship_id: UUID) -> int:
    """A number that grows when an entry is deleted or erased, a message is erased or hidden that an agent may have
    found, or a wish to forget or correct is carried out. 0: never happened.

    It does not rely on clocks, which differ between machines and can be set back, nor on the order of commits.
    """
    gone = (RevisionEvent.DELETE, RevisionEvent.REDACT)
    deleted = EntryRevision.objects.for_relationship(relationship_id).filter(event__in=gone)
    plans = MendingPlan.objects.for_relationship(relationship_id)
    last: int = deleted.aggregate(last=Max("seq"))["last"] or 0
    carried_out: int = plans.aggregate(count=Count("carried_out_at"))["count"]
    found = AgentStep.objects.for_relationship(relationship_id).filter(forgettings=TOLD_NEVER)
    return last + carried_out + found.count()


def _answered(step: AgentStep) -> str:
    """The result. An answer that is no success begins with its HTTP status, as its words need not say so."""
    if step.status is None or 200 <= step.status < 300:
        return step.result
    return f"[HTTP status {step.status}]\n{step.result}"


def as_told(
    session: AgentSession, steps: Iterable[AgentStep]
) -> Iterator[tuple[AgentStep, dict[str, Any], str]]:
    """Each step with its arguments and result, as a model may see them now."""
    forgotten = forgettings(session.relationship_id)
    for step in steps:
        if step.forgettings == forgotten:
            yield step, step.arguments, _answered(step)
        else:
            where = {name: step.arguments[name] for name in PLACES if name in step.arguments}
            yield step, where, WITHHELD.format(state=step.state)

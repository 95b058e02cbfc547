"""What an agent's questions to the model spend, and what holds them back."""

from datetime import UTC

from django.utils import timezone

from providers.errors import ProviderUnavailable
from relationships.models import ModelSpending, Relationship
from relationships.services.model_budgets import set_model_budget
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.workspaces import begin, work
from worker import worker_stats
from worker.worker_stats import WorkerStats


def test_a_session_that_waits_for_the_budget_goes_on_when_it_is_raised(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    today = timezone.now().astimezone(UTC).date()
    ModelSpending.objects.create(project_id=pair.project_id, day=today, calls=1, tokens=1)
    set_model_budget(project_id=pair.project_id, by=TESTER, daily_tokens=1, daily_usd=None)
    session = work(pair, begin(pair))
    assert session.due_at is not None and session.due_at > timezone.now()

    set_model_budget(project_id=pair.project_id, by=TESTER, daily_tokens=0, daily_usd=None)

    session.refresh_from_db()
    assert session.due_at <= timezone.now()


def test_a_question_of_an_agent_counts_as_any_other(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(ProviderUnavailable("away"))
    session, stats = begin(pair), WorkerStats()
    worker_stats.use(stats)
    try:
        stats.take_slot()
        work(pair, session)
    finally:
        worker_stats.use(None)
        stats.close()

    asked = {name: count for name, count in stats.totals().items() if name.startswith("model_")}
    assert asked == {"model_calls": 1, "model_errors": 1}
    spent = ModelSpending.objects.get()
    assert (spent.calls, spent.answered_at) == (1, None)

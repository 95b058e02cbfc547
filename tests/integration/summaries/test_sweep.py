"""What no worker finishes comes back, and what ends its workers is given up."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from behaviours.models import BehaviourRun
from behaviours.owed import TASK
from behaviours.tasks import drop_runs_of_contexts, run_owed
from summaries.models import Summary
from summaries.tasks import make_owed_summaries
from tests.fakes import ScriptedProvider
from tests.fixtures.behaviours import behave, outbox_of, runs_of, work
from tests.fixtures.queue import held_by
from tests.fixtures.summaries import chat, name_birds, ready, summarise
from tests.fixtures.turns import Conversation
from tests.wire import statements_sent
from worker.leases import GIVEN_UP
from worker.owed_rows import OwedRows

GONE = "nowhere:1:1:0"  # a process that is not there any more


def hold_as_if_dead(rows: object) -> None:
    """As a worker leaves them that dies."""
    held = {**held_by(GONE, seconds=-1), "state": "working"}
    held.pop("claimed_at")
    rows.update(**held)  # type: ignore[attr-defined]


def test_a_summary_whose_worker_died_is_made_by_the_next(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = name_birds
    chat(conversation, last=200)
    hold_as_if_dead(Summary.objects.all())
    assert summarise(conversation) == 0

    make_owed_summaries(timezone.now())

    assert summarise(conversation) == 1
    assert len(ready(conversation)[200].text.split()) == 200


def test_one_that_ends_its_workers_is_given_up(
    conversation: Conversation,
    settings: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.MAX_ATTEMPTS = 1
    chat(conversation, last=200)
    hold_as_if_dead(Summary.objects.all())

    with django_capture_on_commit_callbacks(execute=True):
        with statements_sent() as sent:
            make_owed_summaries(timezone.now())
        locks = [statement for statement in sent if "FROM relationships_relationship" in statement]
        assert locks == [], "who holds a relationship may wait for the rows that the sweep holds"

    summary = Summary.objects.get()
    assert (summary.state, summary.error) == ("failed", "Given up: it ended its workers.")


def test_a_run_whose_worker_died_is_done_by_the_next(conversation: Conversation) -> None:
    behave(conversation.relationship, greet={"message": "Hello"})
    conversation.say("Hi")
    hold_as_if_dead(BehaviourRun.objects.all())
    assert work(conversation) == 0

    run_owed(timezone.now())

    assert work(conversation) == 1
    assert outbox_of(conversation) == ["Hello"]


def test_a_run_that_ends_its_workers_is_given_up(conversation: Conversation, settings: Settings) -> None:
    settings.MAX_ATTEMPTS = 1
    behave(conversation.relationship, greet={"message": "Hello"})
    conversation.say("Hi")
    hold_as_if_dead(BehaviourRun.objects.all())

    run_owed(timezone.now())

    assert [(run.state, run.error_code) for run in runs_of(conversation)] == [("failed", "worker_died")]


def test_one_that_cannot_be_given_up_keeps_no_other_from_it(conversation: Conversation) -> None:
    behave(conversation.relationship, greet={"message": "Hello"})
    conversation.say("Hi")
    conversation.say("Hello?")
    hold_as_if_dead(BehaviourRun.objects.all())
    first = runs_of(conversation)[0]

    def give_up(run: BehaviourRun) -> None:
        BehaviourRun.objects.filter(pk=run.pk).update(error=GIVEN_UP)
        if run.pk == first.pk:
            BehaviourRun.objects.filter(pk=run.pk).update(session=None)  # which the database refuses

    OwedRows(model=BehaviourRun, task=TASK, give_up=give_up, most=10, tries=1)(timezone.now())

    assert [run.error for run in runs_of(conversation)] == ["", GIVEN_UP]
    assert [run.state for run in runs_of(conversation)] == ["pending", "pending"], "neither is held any more"


@pytest.mark.parametrize(("kind", "left"), [("priority", 0), ("async", 1)])
def test_only_what_was_done_for_contexts_is_dropped_after_a_month(
    kind: str, left: int, conversation: Conversation
) -> None:
    behave(conversation.relationship, greet={"message": "Hello"})
    conversation.say("Hi")
    long_ago = timezone.now() - timedelta(days=31)
    BehaviourRun.objects.update(kind=kind, recorded_at=long_ago)

    drop_runs_of_contexts(timezone.now())

    assert BehaviourRun.objects.count() == left

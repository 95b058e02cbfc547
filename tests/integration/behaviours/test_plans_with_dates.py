"""Behaviours that come back to a plan: by its date, once it is over, and never once it is erased or forgotten."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from behaviours.configuration import HappensCondition
from behaviours.dated_entries import entries_near, happening
from behaviours.models import BehaviourRun
from behaviours.runs import retry_run
from context.pipeline import build_context
from memory.models import ScratchpadEntry, Tier
from providers.errors import RateLimited
from providers.llm.base import CompletionRequest
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.archives import copied
from tests.fixtures.behaviours import behave, outbox_of, runs_of, work
from tests.fixtures.contexts import remember
from tests.fixtures.turns import Conversation
from tests.integration.copies import dump, tables_with
from tests.integration.mending.test_forget import number_of

ASK = {
    "message": "How did it go: {% for plan in dated %}{{ plan.content }}{% endfor %}?",
    "when": {"schedule": "0 18 * * *", "happens": {"days": -1}},
}
WORD = "quokkä"


def _plan(conversation: Conversation, content: str, day: date, **values: Any) -> ScratchpadEntry:
    told = datetime.now(UTC) - timedelta(days=30)
    values = {"type": "event", "effective_at": told, "happens_at": day.isoformat(), **values}
    return remember(conversation.relationship, content, **values)[0]


def _yesterday(conversation: Conversation) -> date:
    """Make what is owed due at an earlier time of its schedule, and return the day before that."""
    for run in runs_of(conversation):
        assert run.due_at is not None
        due = run.due_at - timedelta(days=2)
        BehaviourRun.objects.filter(id=run.id).update(due_at=due, occasion=f"at:{due.isoformat()}")
    return due.date() - timedelta(days=1)


@pytest.fixture
def asked(conversation: Conversation) -> Conversation:
    """The person was asked how it went with the plan."""
    behave(conversation.relationship, ask=ASK)
    conversation.say("Hi")
    _plan(conversation, f"Sees the {WORD}", _yesterday(conversation))
    work(conversation)
    assert outbox_of(conversation) == [f"How did it go: Sees the {WORD}?"]
    return conversation


def test_a_schedule_asks_about_the_plan_that_was_over_yesterday(conversation: Conversation) -> None:
    behave(conversation.relationship, ask=ASK)
    conversation.say("Hi")
    day = _yesterday(conversation)
    over = _plan(conversation, "Runs the marathon", day)
    _plan(conversation, "Moves house", day + timedelta(days=1))
    _plan(conversation, "Has told of the concert", day, effective_at=datetime.now(UTC))
    _plan(conversation, "Is no longer true", day, state="deleted")
    _plan(conversation, "Has ended", day, valid_to=datetime.now(UTC) - timedelta(days=9))

    work(conversation)

    assert outbox_of(conversation) == ["How did it go: Runs the marathon?"]
    [run] = [run for run in runs_of(conversation) if run.state == "done"]
    assert run.entry_ids == [over.id]


def test_it_comes_back_to_each_plan_once_a_day(conversation: Conversation) -> None:
    today = {"message": "Today: {{ dated[0].content }}", "when": {"happens": {}}}
    behave(conversation.relationship, today=today)
    for plan in ("Runs the marathon", "Sees the doctor"):
        _plan(conversation, plan, datetime.now(UTC).date())
        for said in ("Hi", "Hi again"):
            conversation.say(said)
            work(conversation)

    assert outbox_of(conversation) == ["Today: Runs the marathon", "Today: Sees the doctor"]


def test_without_a_plan_that_is_over_nobody_is_asked(conversation: Conversation) -> None:
    behave(conversation.relationship, ask=ASK)
    conversation.say("Hi")
    _plan(conversation, "Moves house", _yesterday(conversation) + timedelta(days=2))

    work(conversation)

    assert outbox_of(conversation) == []


def test_the_model_is_told_of_a_plan_on_its_day(conversation: Conversation) -> None:
    when = {"happens": {"types": ["event"]}}
    behave(conversation.relationship, luck={"text": "Today: {{ dated[0].content }}", "when": when})
    pair = conversation.relationship
    today = datetime.now(UTC).date()
    _plan(conversation, "Turns 40", today, type="fact")
    _plan(conversation, "Flies to Oslo", today + timedelta(days=1))

    def context() -> str:
        return build_context(project_id=pair.project_id, relationship_id=pair.id, message="Hi").system

    assert "Today:" not in context()
    plan = _plan(conversation, "Runs the marathon", today)
    assert "Today: Runs the marathon" in context()
    assert [run.entry_ids for run in runs_of(conversation)] == [[plan.id]]


def test_what_quotes_an_erased_entry_is_emptied(
    conversation: Conversation, scripted_provider: ScriptedProvider, api: Api
) -> None:
    scripted_provider.otherwise = json.dumps({"note": f"A {WORD}!"})
    told = {"prompt": {"prompt": "On {{ dated[0].content }}", "into": "session"}, "when": ASK["when"]}
    behave(
        conversation.relationship,
        ask=ASK,
        note=told,
        today={"text": "{{ dated[0].content }}", "when": {"happens": {}}},
    )
    conversation.say("Hi")
    plan = _plan(conversation, f"Sees the {WORD}", _yesterday(conversation))
    work(conversation)
    assert tables_with(WORD, dump()) >= {
        "behaviours_behaviourrun",
        "behaviours_outboxmessage",
        "memory_modelcall",
    }

    erased = api.delete(f"/relationships/{plan.relationship_id}/entries/{plan.id}?permanent=true")

    assert erased.status == 200, erased
    assert tables_with(WORD, dump()) <= {
        "relationships_sessionstate",
        "relationships_snapshot",
    }  # what a run wrote stays
    assert outbox_of(conversation) == [""]


def test_what_quotes_a_forgotten_entry_is_neither_delivered_nor_exported(
    asked: Conversation, api: Api, scripted_provider: ScriptedProvider
) -> None:
    at = f"/relationships/{asked.relationship.id}"
    assert len(api.get(f"{at}/outbox").body["items"]) == 1

    def says(request: CompletionRequest) -> dict[str, object]:
        return {"says": [{"number": number_of(f"Sees the {WORD}", request.prompt)}], "unsure": []}

    scripted_provider.wishes_answer = says
    api.post(f"{at}/forget", {"what": f"the {WORD}"})

    assert api.get(f"{at}/outbox").body["items"] == []
    assert len(api.get(f"{at}/outbox?hidden=true").body["items"]) == 1
    assert WORD not in api.get(f"{at}/behaviour-runs").raw.decode()
    assert WORD not in api.get(f"{at}/export?calls=true").raw.decode()


def test_who_told_meanwhile_how_it_went_is_not_asked_by_a_run_that_is_tried_again(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    ask = {"into": "message", "prompt": "Ask about:{% for plan in dated %} {{ plan.content }}{% endfor %}"}
    behave(conversation.relationship, ask={"prompt": ask, "when": ASK["when"]})
    scripted_provider.answer_with(RateLimited(retry_after=3), "How did it go?")
    conversation.say("Hi")
    plan = _plan(conversation, "Runs the marathon", _yesterday(conversation))
    work(conversation)
    [waiting] = [run for run in runs_of(conversation) if run.entry_ids]
    assert waiting.error_code == "rate_limited"

    ScratchpadEntry.objects.filter(id=plan.id).update(effective_at=datetime.now(UTC))
    retry_run(relationship_id=conversation.relationship.id, run_id=waiting.id)
    work(conversation)

    waiting.refresh_from_db()
    assert (waiting.state, waiting.error_code, outbox_of(conversation)) == ("failed", "gone", [])


def test_an_export_keeps_which_entries_a_run_may_quote(asked: Conversation) -> None:
    before = [run.entry_ids for run in runs_of(asked)]

    there = Conversation(copied(asked.relationship))

    assert [run.entry_ids for run in runs_of(there)] == before != [[]]


def test_a_plan_is_found_whatever_its_offset_and_however_many_lie_on_the_days_beside(
    conversation: Conversation,
) -> None:
    """At 01:00 UTC it is the same Wednesday in Kiritimati as at an airport at 23:30 on Monday, 26 hours behind."""
    pair, now = conversation.relationship, datetime(2026, 3, 4, 1, 0, tzinfo=UTC)
    told: dict[str, Any] = {"type": "event", "effective_at": now - timedelta(days=9)}
    remember(pair, *(f"Call {number}" for number in range(1001)), happens_at="2026-03-03", **told)
    flight = _plan(conversation, "Flies", now.date(), happens_at="2026-03-02T23:30-12:00", **told)

    moment: dict[str, Any] = {"now": now, "timezone": "Pacific/Kiritimati"}
    near = entries_near(pair.id, HappensCondition(), **moment)

    assert [plan.id for plan in happening(near, HappensCondition(), **moment)] == [flight.id]


def test_the_model_is_told_of_a_plan_in_the_archive_by_one_statement_more(conversation: Conversation) -> None:
    pair = conversation.relationship
    behave(pair, luck={"text": "Today: {{ dated[0].content }}", "when": {"happens": {}}})
    _plan(conversation, "Runs the marathon", datetime.now(UTC).date(), tier=Tier.ARCHIVE)

    with CaptureQueriesContext(connection) as asked:
        told = build_context(project_id=pair.project_id, relationship_id=pair.id, message="Hi")

    assert "Today: Runs the marathon" in told.system
    assert sum('"happens_at"::text LIKE' in str(query["sql"]) for query in asked) == 1


def test_a_dry_run_comes_back_to_each_plan_once_a_day(conversation: Conversation, api: Api) -> None:
    _plan(conversation, "Runs the marathon", datetime.now(UTC).date())
    for said in ("Hi", "Hi again"):
        conversation.say(said)
    draft = {"message": "{{ dated[0].content }}", "when": {"happens": {}}}

    tried = api.post(
        f"/relationships/{conversation.relationship.id}/behaviours/dry-run", {"behaviour": draft}
    )

    assert [turn["fires"] for turn in tried.body["turns"]] == [True, False]


def test_what_stays_of_a_plan_after_a_part_was_forgotten_is_delivered(
    conversation: Conversation, api: Api, scripted_provider: ScriptedProvider
) -> None:
    at = f"/relationships/{conversation.relationship.id}"
    again = {"message": "{{ turn }}: {{ dated[0].content }}", "when": {"happens": {}}}
    behave(conversation.relationship, one=again)
    _plan(conversation, f"Sees Bo and the {WORD}", datetime.now(UTC).date())
    conversation.say("Hi")
    work(conversation)
    scripted_provider.wishes_answer = {"says": [{"number": 1, "rest": "Sees Bo"}], "unsure": []}
    assert api.post(f"{at}/forget", {"what": WORD}).body["state"] == "carried_out"
    behave(conversation.relationship, other=again)
    conversation.say("Hi again")
    work(conversation)

    assert [message["content"] for message in api.get(f"{at}/outbox").body["items"]] == ["2: Sees Bo"]
    exported = api.get(f"{at}/export").body
    assert [message["content"] for message in exported["outbox"]] == ["", "2: Sees Bo"]
    assert [run["rendered"] for run in api.get(f"{at}/behaviour-runs").body["items"]] == ["2: Sees Bo", ""]


@pytest.mark.parametrize("into", ["message", "entry", "profile"])
def test_what_is_forgotten_while_a_model_answers_does_not_come_back(
    into: str, conversation: Conversation, api: Api, scripted_provider: ScriptedProvider
) -> None:
    at = f"/relationships/{conversation.relationship.id}"
    behave(
        conversation.relationship,
        note={"prompt": {"into": into, "prompt": "{{ dated[0].content }}"}, "when": {"happens": {}}},
    )
    _plan(conversation, f"Sees the {WORD}", datetime.now(UTC).date())
    conversation.say("Hi")
    scripted_provider.otherwise = json.dumps({"note": WORD}, ensure_ascii=False)
    scripted_provider.wishes_answer = {"says": [{"number": 1}], "unsure": []}

    def forget(request: CompletionRequest) -> None:
        scripted_provider.while_answering = None
        assert api.post(f"{at}/forget", {"what": WORD}).body["state"] == "carried_out"

    scripted_provider.while_answering = forget
    work(conversation)

    [run] = runs_of(conversation)
    assert (run.state, run.outcome[:20]) == ("done", "Nothing was written,")
    assert (outbox_of(conversation), conversation.contents) == ([], [])
    assert WORD not in api.get(f"{at}/profile").raw.decode()

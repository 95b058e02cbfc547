import re
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any
from uuid import UUID, uuid4

from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from admin_ui.other_work import KINDS, other_work_of, unfinished_of
from admin_ui.overview import Overview, Period, overview_of
from behaviours.models import BehaviourRun
from connect.events.owed import owe_delivery
from connect.models import EventDelivery
from knowledge.models import Document
from memory.models import ModelCall, Replay
from providers.errors import ModelNotFound, ProviderUnavailable, Unauthorized
from relationships.models import ApiKey, Companion, Project, Relationship, Turn
from relationships.services.model_budgets import set_model_budget
from summaries.models import Summary
from tests.fakes import ScriptedProvider
from tests.fixtures.documents import upload
from tests.fixtures.markup import squeezed
from tests.fixtures.people import meet, meet_elsewhere
from tests.fixtures.turns import PERSON, Conversation, add, answer
from worker.heartbeat import beat
from worker.models import WorkerHeartbeat
from worker.other_work import other_work
from workspace.models import AgentSession


def last_days(
    project_id: UUID, days: int, *, by: str = "recorded", companion: UUID | None = None
) -> Overview:
    return overview_of(project_id, Period(days, by, companion), now=timezone.now())


def test_each_day_counts_what_came_in_and_what_changed(
    conversation: Conversation, scripted_provider: ScriptedProvider, relationship: Relationship
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog"), add("Lives in Porto")))
    conversation.say("I have a dog and live in Porto.")
    conversation.drain()

    overview = last_days(relationship.project_id, 14)

    assert len(overview.turns.bars) == 14
    assert overview.turns.bars[-1].description.endswith(": 1 processed, 0 failed, 0 waiting or skipped")
    assert overview.changes.bars[-1].description.endswith(": 2 added, 0 updated, 0 deleted")
    assert overview.lag_p50 is not None and overview.lag_p50 >= 0
    assert [(row.name, row.calls) for row in overview.companions] == [("Ada", 1)]


def test_costs_are_summed_by_companion_and_an_unknown_price_stays_unknown(relationship: Relationship) -> None:
    for cost in (Decimal("0.5"), Decimal("0.25"), None):
        ModelCall(
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            purpose="ingestion",
            turn_ids=[],
            provider="x",
            prompt="",
            prompt_tokens=10,
            cost=cost,
            milliseconds=1,
        ).save(force_insert=True)

    overview = last_days(relationship.project_id, 2)

    (row,) = overview.companions
    assert (row.calls, row.prompt_tokens, row.cost) == (3, 30, Decimal("0.75"))
    assert overview.costs.bars[-1].description.endswith(": 0.75 Ada")
    assert overview.calls.bars[-1].description.endswith(": 3 succeeded, 0 failed")


def test_what_is_older_or_anothers_is_not_counted(
    conversation: Conversation, relationship: Relationship, db: None
) -> None:
    conversation.say("Old.")
    Turn.objects.for_relationship(relationship.id).update(recorded_at=timezone.now() - timedelta(days=20))
    other = Project.objects.create(name="Other")

    assert last_days(relationship.project_id, 14).turns.empty
    assert last_days(other.id, 14).lag_p50 is None


def test_an_import_counts_when_it_was_said_and_when_it_was_taken_in(
    conversation: Conversation, relationship: Relationship
) -> None:
    conversation.say("I have a dog.", at=timezone.now() - timedelta(days=5))

    received, said = last_days(relationship.project_id, 7), last_days(relationship.project_id, 7, by="said")

    assert [place for place, bar in enumerate(received.turns.bars) if bar.segments] == [6]
    assert [place for place, bar in enumerate(said.turns.bars) if bar.segments] == [1]
    assert (said.relationships, said.active_people, said.turns_in_all) == (1, 1, 1)


def test_a_quarter_is_shown_by_week(conversation: Conversation, relationship: Relationship) -> None:
    for days in (0, 6, 7, 89):
        conversation.say("I have a dog.", at=timezone.now() - timedelta(days=days))

    bars = last_days(relationship.project_id, 90, by="said").turns.bars

    counts = [bar.description.partition(" waiting")[0].rpartition(" ")[2] for bar in bars]
    assert counts == ["1", *["0"] * 10, "1", "2"]
    assert all(bar.description.startswith("week of ") for bar in bars)


def test_one_companion_can_be_looked_at(conversation: Conversation, relationship: Relationship) -> None:
    conversation.say("I have a dog.")
    another = meet(Companion.objects.create(project=relationship.project, slug="eve", name="Eve"))

    seen = [
        last_days(relationship.project_id, 7, companion=companion).turns_in_all
        for companion in (relationship.companion_id, another.companion_id)
    ]

    assert seen == [1, 0]


def test_an_empty_project_shows_three_steps_and_waits_for_the_first_turn(
    owner: Client, project: Project
) -> None:
    page = owner.get("/admin-ui/").content.decode()
    assert "Create key" in page
    assert "Waiting for your first turn" in page

    made = owner.post("/admin-ui/").content.decode()

    key = ApiKey.objects.get(project=project)
    assert key.prefix in made
    assert all(f'data-copy="#{name}"' in made for name in ("key", "curl", "python", "typescript"))
    assert made.count(f"Bearer {key.prefix}") == 4, "curl twice, Python, TypeScript"
    assert Companion.objects.get(project=project).slug == "assistant"


def test_turns_that_a_refused_key_holds_up_are_told_with_the_reason_and_since_when(
    editor: Client, conversation: Conversation, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.OLDEST_TURN_LIMIT_SECONDS = 300
    beat(name="here/1c0ffee2:1:2", pool_restarts=0, counters={"busy": 3, "calls_in_flight": 2})
    scripted_provider.answer_with(Unauthorized())
    conversation.hear("I like tea.")
    behind = conversation.say("And cake.")
    earlier = timezone.now() - timedelta(seconds=320)
    Turn.objects.filter(waiting_since__isnull=False).update(waiting_since=earlier)
    Turn.objects.filter(id=behind.id).update(due_at=earlier)

    page = unescape(editor.get("/admin-ui/status/").content.decode())

    assert "3 readers busy, 2 waiting for a model" in page
    assert "2 turns have been waiting since" in page
    assert "for scripted: The provider does not accept the API key" in page
    banner = unescape(squeezed(editor.get("/admin-ui/alarm/", headers={"HX-Request": "true"})))
    assert (
        "scripted does not accept the API key; check it in the settings. Turns have been waiting since"
        in banner
    )
    assert "2 turns of this project are waiting; nothing is lost. Next try" in re.sub(r"<[^>]+>", "", banner)


def test_a_model_that_the_project_named_wrongly_is_told_in_a_whole_sentence(
    editor: Client, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    beat(name="here/1:1:1", pool_restarts=0, counters={})
    scripted_provider.answer_with(ModelNotFound())
    Relationship.objects.update(config={"ingestion": {"model": "no-such-model"}})
    conversation.hear("I like tea.")

    banner = editor.get("/admin-ui/alarm/", headers={"HX-Request": "true"}).content.decode()

    assert (
        ">The provider knows no such model; check the model&#x27;s name and the base URL. Turns have"
        in banner
    )


def test_a_dead_worker_and_a_queue_that_nobody_takes_raise_the_banner(
    editor: Client, conversation: Conversation, settings: Settings
) -> None:
    settings.OLDEST_TURN_LIMIT_SECONDS = 300
    earlier = timezone.now() - timedelta(seconds=420)
    beat(name="here/1:1:1", pool_restarts=0, counters={})
    WorkerHeartbeat.objects.update(beat_at=earlier)
    conversation.say("I like tea.")
    Turn.objects.update(due_at=earlier, recorded_at=earlier)

    banner = squeezed(editor.get("/admin-ui/alarm/", headers={"HX-Request": "true"}))

    assert "No worker has reported for 7 minutes. Start one with manage.py worker." in banner
    assert "No worker takes the waiting turns, the oldest for 7 minutes." in banner
    assert "1 turn of this project is waiting; nothing is lost." in banner
    assert "/admin-ui/turns/?state=pending" in banner


def test_a_refused_key_raises_the_banner_at_once_and_a_slow_provider_does_not(
    editor: Client, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    beat(name="here/1:1:1", pool_restarts=0, counters={})
    banners = []
    for refusal in (ProviderUnavailable(), Unauthorized()):
        scripted_provider.answer_with(refusal)
        conversation.hear("I like tea.")
        Turn.objects.filter(error_code="unavailable").update(due_at=timezone.now())
        banners.append(editor.get("/admin-ui/alarm/", headers={"HX-Request": "true"}).content.decode())

    Turn.objects.exclude(error_code="").update(due_at=timezone.now())
    banners.append(editor.get("/admin-ui/alarm/", headers={"HX-Request": "true"}).content.decode())

    assert ["Next try" in banner for banner in banners] == [False, True, False]  # not where it has passed
    assert "notice" not in banners[0]
    assert "scripted does not accept the API key" in banners[1]


def test_the_budget_of_the_day_is_on_the_page(
    editor: Client, conversation: Conversation, scripted_provider: ScriptedProvider, project: Project
) -> None:
    set_model_budget(project_id=project.id, by=PERSON, daily_tokens=1, daily_usd=Decimal("2.50"))
    scripted_provider.answer_with(answer())
    conversation.hear("I like tea.")

    page = squeezed(editor.get("/admin-ui/status/"))

    assert "of 1 tokens used today; $0.00 of $2.50, plus 1 call with unknown price" in page
    assert "budget of this project is used up. Turns wait until 00:00 UTC" in unescape(page)


def test_documents_that_wait_or_failed_are_counted_for_their_own_project_only(
    editor: Client, companion: Companion
) -> None:
    assert "documents:" not in squeezed(editor.get("/admin-ui/status/"))
    waiting, retried, failed = (upload(companion, text) for text in ("one", "two", "three"))
    rows = Document.objects.filter
    rows(id=waiting.id).update(due_at=timezone.now() - timedelta(hours=1))
    rows(id=retried.id).release(due_at=timezone.now() + timedelta(seconds=9), counted=True, code="timeout")
    rows(id=failed.id).settle(state="failed", settled_at=timezone.now())
    assert "documents: 1 queued, 1 retrying, 1 failed" in squeezed(editor.get("/admin-ui/status/"))

    assert other_work_of(uuid4()) == []


def test_what_failed_is_listed_for_its_own_project_with_the_reason_and_the_page_where_it_is_mended(
    editor: Client, relationship: Relationship
) -> None:
    assert set(KINDS) == set(other_work()), "each kind has a page"
    here = {"project_id": relationship.project_id, "relationship_id": relationship.id}
    now = timezone.now()
    failed: dict[str, Any] = {**here, "state": "failed", "error": "It went <wrong>."}
    by = {"actor_kind": "operator"}
    session = AgentSession.objects.create(
        **failed, **by, worker="built_in", task="Plan", seen_at=now, ended_at=now
    )
    run = {"behaviour": "greet", "kind": "async", "action": "message", "settled_at": now}
    BehaviourRun.objects.create(**failed, **run)
    EventDelivery.objects.create(**failed, seq=0, at=now)
    replay = Replay.objects.create(**failed)
    Summary.objects.create(**failed, **by, messages=30, first_seq=1, last_seq=30)
    theirs = upload(meet_elsewhere().companion, "theirs")
    for document in (upload(relationship.companion, "one"), theirs):
        Document.objects.filter(id=document.id).release(due_at=now, counted=True, code="timeout")

    page = squeezed(editor.get("/admin-ui/other-work/"))

    assert "/admin-ui/other-work/" in squeezed(editor.get("/admin-ui/status/"))
    rows = unescape(page).split("<tbody>")[1].split("<tr>")[1:]
    assert len(rows) == len(KINDS) and str(theirs.id) not in page
    assert sum("It went <wrong>." in row for row in rows) == len(KINDS) - 1
    assert sum("retrying" in row and "timeout" in row for row in rows) == 1
    addresses = [unescape(address) for row in rows for address in re.findall('href="([^"]*)"', row)]
    assert any(str(session.id) in one for one in addresses) and any(
        str(replay.id) in one for one in addresses
    )
    assert {editor.get(one).status_code for one in addresses} == {200}
    assert unfinished_of(uuid4()) == []


def test_webhooks_that_stopped_continue_by_a_button(
    editor: Client, viewer: Client, relationship: Relationship
) -> None:
    owe_delivery(relationship.id, relationship.project_id, now=timezone.now())
    EventDelivery.objects.update(state="failed", due_at=None)
    page = "/admin-ui/other-work/"

    assert "Continue webhooks" in squeezed(editor.get(page))
    assert "Continue webhooks" not in squeezed(viewer.get(page))
    assert viewer.post(page).status_code == 403
    assert "Continuing 1 webhook." in squeezed(editor.post(page, follow=True))
    assert EventDelivery.objects.get().state == "waiting"

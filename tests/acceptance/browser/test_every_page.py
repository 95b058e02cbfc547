"""Every page as an operator sees it: wide and on a phone, light and dark, with whatever people may type."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.urls import resolve
from playwright.sync_api import expect

from admin_ui.views.playground import SESSION
from memory.ingestion.prompt_versions import create_prompt
from memory.ingestion.replays import request_replay
from memory.mending.candidates import scope_of
from memory.mending.plans import draft_plan, store_plan
from memory.models import MendingPlan, OperationResult, Replay, ScratchpadEntry
from relationships.models import Relationship, Turn
from relationships.services.api_keys import create_api_key
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.looks import look
from tests.acceptance.browser.stage import BY, NASTY, Stage
from tests.fixtures.page_names import page_names
from tests.guards.screen_words import old_words_in
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from workspace.files import change_files
from workspace.models import AgentSession, HeldChange, Worker
from workspace.models.agent_session import OPEN
from workspace.sessions.commands import start_session


@pytest.fixture
def pages(stage: Stage, model: OpenAIServer) -> dict[str, str]:
    """The address of each page, by a name for its pictures; every page has something to show."""
    maya, empty = stage.everything(), stage.relationship("Nobody yet")
    nasty = stage.relationship(NASTY[:180], stage.mole)
    model.push({"status": 400, "message": f"Refused: {NASTY}", "always": True})
    failed = stage.talk(nasty, f"I said {NASTY}")[0]
    model.clear()
    held = held_up(stage)
    limits = {"turns": "5/day"}
    create_prompt(companion=stage.ada, template="Keep allergies.\n", note=NASTY[:180], publish=False, by=BY)
    create_api_key(project_id=stage.project.id, name=NASTY[:180], scopes=["read"], rate_limits=limits, by=BY)
    ada = f"{stage.url}/companions/{stage.ada.id}/"
    return {
        "overview": f"{stage.url}/",
        "status": f"{stage.url}/status/",
        "project": f"{stage.url}/project/configuration/",
        "failed-work": f"{stage.url}/other-work/",
        "find": f"{stage.url}/find/?q=ma",
        "relationships": f"{stage.url}/relationships/",
        "relationships-none": f"{stage.url}/relationships/?text=nowhere",
        **pages_of(stage, maya),
        **pages_of_work(stage, maya),
        "relationship-empty": stage.page_of(empty),
        "relationship-held": stage.page_of(held),
        "relationship-nasty": stage.page_of(nasty),
        "conversation-held": stage.page_of(held, "conversation/"),
        "talk-held": f"{stage.url}/playground/{held.id}/",
        "trace-failed": stage.page_of(nasty, f"turns/{failed.id}/"),
        "behaviours": f"{ada}behaviours/?relationship={maya.id}&name=greet",
        "companions": f"{stage.url}/companions/",
        "companion": ada,
        "prompt": f"{ada}prompt/?relationship={maya.id}",
        "replay": f"{ada}replays/{maya.id}/{replayed(stage, maya)}/",
        "documents": f"{ada}documents/?question=parcel",
        "document": f"{ada}documents/{stage.document(stage.ada).id}/",
        "playground": f"{stage.url}/playground/",
        "talk": f"{stage.url}/playground/{maya.id}/",
        "turns": f"{stage.url}/turns/",
        "turns-found": f"{stage.url}/turns/?text=Lisbon",
        "turns-none": f"{stage.url}/turns/?state=processing",
        "keys": f"{stage.url}/keys/",
        "operators": f"{stage.url}/operators/",
        "audit": f"{stage.url}/audit/",
        "not-there": f"{stage.url}/companions/{maya.id}/",
    }


def pages_of(stage: Stage, maya: Relationship) -> dict[str, str]:
    """Those of one relationship, of which there is everything to show."""
    entry = ScratchpadEntry.objects.for_relationship(maya.id).get(content__contains="Lisbon")
    return {
        "relationship": stage.page_of(maya),
        "relationship-by-type": stage.page_of(maya, "?order=type&state=any"),
        "entry": stage.page_of(maya, f"entries/{entry.id}/"),
        "entry-erase": stage.page_of(maya, f"entries/{entry.id}/erase/"),
        "entry-edit": stage.page_of(maya, f"entries/{entry.id}/edit/"),
        "entry-add": stage.page_of(maya, "entries/"),
        "people": stage.page_of(maya, "people/"),
        "conversation": stage.page_of(maya, "conversation/"),
        "trace": stage.page_of(maya, f"turns/{stage.service.turns(maya)[2].id}/"),
        "summaries": stage.page_of(maya, "summaries/"),
        "preview": stage.page_of(maya, "context/?message=What+can+I+cook%3F"),
        "near-misses": stage.page_of(maya, "context/scores/?message=What+can+I+cook%3F"),
        "time-travel": stage.page_of(maya, "time/?step=500"),
        "profile": stage.page_of(maya, "profile/"),
        "relationship-config": stage.page_of(maya, "configuration/"),
        "session": stage.page_of(maya, "sessions/?session=current"),
        "forget": stage.page_of(maya, "forget/"),
        "correct": stage.page_of(maya, "correct/"),
        "plan": stage.page_of(maya, f"plans/{planned(maya).id}/"),
        "data": stage.page_of(maya, "data/"),
        "tokens": stage.page_of(maya, "tokens/"),
        "hot-context": stage.page_of(maya, "workspace/hot-context/"),
    }


def pages_of_work(stage: Stage, maya: Relationship) -> dict[str, str]:
    """Of an agent's work, and of a reply over the chat endpoint."""
    path = "memory/plan.md"
    done = change_files(relationship=maya, changes={path: NASTY.encode()}, message=NASTY[:200], by=BY)
    change_files(relationship=maya, changes={path: b"Go to Porto.\n" * 40}, message="Plan the trip", by=BY)
    session, _ = start_session(relationship=maya, task=f"Plan a trip. {NASTY}", worker=Worker.BUILT_IN, by=BY)
    rows = AgentSession.objects.for_relationship(maya.id).filter(id=session.id).exclude(state__in=OPEN)
    wait_until(rows.exists, timeout=60, what="the session's end")
    change_files(
        relationship=maya, changes={f"{path}.conflict": b"Go to Porto.\n" * 39 + NASTY.encode()}, by=BY
    )
    tool = b"description: Rolls dice\nendpoint: https://example.org/dice\n"
    change_files(relationship=maya, changes={"tools/dice/spec.yaml": tool}, by=BY)
    own = {"relationship": maya, "project_id": maya.project_id, "session_id": session.id}
    HeldChange.objects.create(**own, kind=HeldChange.CONFLICT, path=path, kept_as=f"{path}.conflict")
    kept = stage.chat(maya, "Hello")
    return {
        "file": stage.page_of(maya, f"workspace/file/?path={path}"),
        "file-blame": stage.page_of(maya, f"workspace/file/?path={path}&view=blame"),
        "workspace": stage.page_of(maya, "workspace/"),
        "file-history": stage.page_of(maya, f"workspace/history/?path={path}"),
        "commit": stage.page_of(maya, f"workspace/commits/{done.commit}/"),
        "agent-session": stage.page_of(maya, f"workspace/sessions/{session.id}/"),
        "kept-context": stage.page_of(maya, f"contexts/{kept}/"),
    }


def planned(relationship: Relationship) -> MendingPlan:
    """A plan that waits, by rules."""
    draft = draft_plan(scope_of(relationship, "everything"), verb="forget", by_rules=True)
    return store_plan(draft, depth="hide", by=BY)


def held_up(stage: Stage) -> Relationship:
    """One with more deletions awaiting review than a page shows, and operations that were refused."""
    held = stage.relationship("Hana")
    stage.remember(held, *(f"Has dog number {number}" for number in range(51)), "Lives in Kyoto")
    turn = stage.talk(held, "Forget it all.")[0]
    stage.hold(held, turn)
    Turn.objects.for_relationship(held.id).update(session=SESSION)
    for number in range(100, 105):
        OperationResult(
            relationship_id=held.id,
            project_id=held.project_id,
            turn_id=turn.id,
            number=number,
            kind="other",
            operation={"op": "change", "content": NASTY},
            verdict="refused",
            reason=f"there is no operation {NASTY}",
        ).save(force_insert=True)
    return held


def replayed(stage: Stage, relationship: Relationship) -> str:
    """The ID of a replay that a worker has done."""
    replay = request_replay(
        relationship=relationship,
        template="Keep only allergies.\n",
        turn_ids=[turn.id for turn in stage.service.turns(relationship)],
        messages=[],
        present_entries=False,
        by=BY,
    )
    rows = Replay.objects.for_relationship(relationship.id).filter(id=replay.id)
    wait_until(lambda: rows.get().state == "done", timeout=30, what="the replay")
    return str(replay.id)


def test_no_page_complains_sticks_out_or_shuts_anybody_out(
    desk: Desk, pages: dict[str, str], screenshots: Path | None
) -> None:
    walked = {resolve(urlsplit(address).path).url_name for address in pages.values()}
    assert page_names() == walked
    window = desk.open()
    wrong: list[str] = []
    for name, address in pages.items():
        answer = window.goto(address)
        assert answer is not None
        assert answer.status == (404 if name == "not-there" else 200), name
        wrong += look(window, name, screenshots)
        wrong += (f"{name} says: {word}" for word in old_words_in(window.inner_text("body")))

    assert not wrong, "\n".join(wrong)


def test_the_sign_in_page_is_fit_to_be_seen(desk: Desk, stage: Stage, screenshots: Path | None) -> None:
    window = desk.open(None)
    window.goto(stage.sign_in_page())

    assert list(look(window, "sign-in", screenshots)) == []


def test_a_long_name_that_is_read_from_the_right_keeps_its_beginning(desk: Desk, stage: Stage) -> None:
    fatima = stage.relationship("فاطمة الزهراء بنت محمد بن عبد الله الأنصاري القرشي الهاشمي " * 2)
    stage.talk(fatima, "Good night.")
    window = desk.open()
    for page in ("relationships/", "turns/"):
        window.goto(f"{stage.url}/{page}?person=فاطمة")
        name = window.locator("td bdi", has_text="فاطمة").first

        inside = "bdi => bdi.closest('td').getBoundingClientRect().right - bdi.getBoundingClientRect().right"

        assert name.evaluate(inside) >= 0, page


def test_a_page_is_printed_on_white_and_uncut(desk: Desk, stage: Stage) -> None:
    """As dark as its reader likes it on the screen."""
    pia = stage.relationship("Pia")
    stage.talk(pia, *(f"What a day, the {number}th! " * 9 for number in range(9)))
    window = desk.open(scheme="dark")
    window.goto(stage.page_of(pia, "conversation/"))
    log, cut = window.locator("#log"), "part => part.scrollHeight - part.clientHeight"
    assert log.evaluate(cut) > 100

    window.emulate_media(media="print", color_scheme="dark")

    expect(window.get_by_role("navigation", name="Main")).to_be_hidden()
    expect(window.get_by_role("button", name="Go")).to_be_hidden()
    expect(window.locator("body")).to_have_css("color", "rgb(29, 28, 26)")
    assert log.evaluate(cut) < 5


def test_a_menu_opens_on_a_phone(desk: Desk, stage: Stage, screenshots: Path | None) -> None:
    window = desk.open(width=390)
    window.goto(f"{stage.url}/")
    window.get_by_text("Menu", exact=True).click()
    if screenshots:
        window.screenshot(path=screenshots / "menu-390-light.png")

    window.get_by_role("link", name="Audit log").click()

    expect(window.get_by_role("heading", name="Audit log")).to_be_visible()

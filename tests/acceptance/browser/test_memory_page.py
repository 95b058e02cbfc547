"""The memory page, as the person uses it: with a link, in a real browser, wide and on a phone."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from memory.mending.plans import make_plan
from memory.models import EntryRevision, MendingPlan
from relationships.models import Message, RelationshipToken
from relationships.services.profiles import replace_profile
from tests.acceptance.browser.desk import PHONE, Desk
from tests.acceptance.browser.looks import look
from tests.acceptance.browser.memory_page import link, opened, person
from tests.acceptance.browser.stage import BY, NASTY, Stage


def test_it_shows_everything_in_every_look(desk: Desk, stage: Stage, screenshots: Path | None) -> None:
    vera = person(stage, "Vera of the page")
    replace_profile(relationship=vera, data={"plan": "gold", "club": NASTY}, by=BY)
    stage.talk(vera, "I live in Porto. I work as a nurse.", "What a day!")
    stage.remember(vera, NASTY, "גרה בחיפה", happens_at="2026-11-05/2026-11-07")
    stage.remember(vera, "Ana is her sister", read_only=True)
    window = opened(desk, stage, vera)

    expect(window).to_have_title("What Ada remembers about you")
    expect(window.get_by_text("November 5, 2026 – November 7, 2026")).to_have_count(2)
    fixed = window.locator("#entries li", has_text="Ana is her sister")
    expect(fixed.get_by_role("button")).to_have_count(0)
    window.locator("#said summary").click()
    window.locator("#profile summary").click()
    expect(window.locator("#messages").get_by_text("What a day!")).to_be_visible()
    expect(window.locator("#profile dd").last).to_have_text("gold")
    assert window.evaluate("document.querySelector('#entries script')") is None

    window.locator("#wish input").fill("that I live in Porto")
    window.locator("#wish").get_by_role("button").click()
    expect(window.locator("#plan")).to_be_visible()
    window.get_by_role("button", name="Correct").first.click()
    assert not list(look(window, "memory-page", screenshots))


def test_an_entry_is_corrected_forgotten_brought_back_and_erased(desk: Desk, stage: Stage) -> None:
    olga = person(stage, "Olga of the page")
    stage.talk(olga, "I am allergic to peanuts.")
    stage.remember(olga, "Has a cat")
    window = opened(desk, stage, olga)
    cat = window.locator("#entries li").first
    cat.get_by_role("button", name="Correct").click()
    cat.get_by_role("textbox").fill("Has two cats")
    cat.get_by_role("button", name="Save").click()
    expect(cat.get_by_text("Has two cats")).to_be_visible()
    assert "Has two cats" in stage.contents(olga)
    assert EntryRevision.objects.for_relationship(olga.id).latest("seq").actor_kind == "end_user"

    cat.get_by_role("button", name="Forget").click()
    cat.get_by_role("button", name="Undo").click()
    expect(cat.get_by_role("button", name="Forget")).to_be_focused()
    assert "Has two cats" in stage.contents(olga)

    cat.get_by_role("button", name="Forget").click()
    cat.get_by_role("button", name="Erase for good").click()
    expect(window.get_by_role("dialog").get_by_role("button", name="Cancel")).to_be_focused()
    window.keyboard.press("Enter")
    expect(cat.get_by_role("button", name="Erase for good")).to_be_focused()
    cat.get_by_role("button", name="Erase for good").click()
    window.get_by_role("dialog").get_by_role("button", name="Erase for good").click()
    expect(cat.get_by_text("Erased.")).to_be_visible()
    expect(cat).to_be_focused()
    kept = EntryRevision.objects.for_relationship(olga.id).filter(before__content__contains="cat")
    assert not kept.exists()

    peanuts = window.locator("#entries li").nth(1)
    peanuts.get_by_role("button", name="Correct").click()
    peanuts.get_by_role("textbox").press("Escape")
    expect(peanuts.get_by_role("button", name="Correct")).to_be_focused()
    window.locator("#find input").fill("peanut")
    window.locator("#find").get_by_role("button").click()
    expect(window.locator("#entries li")).to_have_count(1)
    expect(window.locator("#count-entries")).to_have_text("Found: 1")
    window.locator("#find input").fill("zebra")
    window.locator("#find input").press("Enter")
    expect(window.get_by_role("status").get_by_text("Nothing found.")).to_be_visible()
    expect(window.locator("#find input")).to_be_focused()
    window.locator("#find input").fill("")
    expect(window.locator("#entries li")).to_have_count(1)


def test_what_was_said_is_forgotten_by_saying_so(desk: Desk, stage: Stage) -> None:
    nora = person(stage, "Nora of the page")
    stage.talk(nora, "I live in Vienna.", "My cat is called Momo.")
    said = Message.objects.for_relationship(nora.id).filter(role="user", content__contains="Vienna")
    window = opened(desk, stage, nora)
    window.set_viewport_size({"width": PHONE, "height": 800})

    def find() -> None:
        window.locator("#wish input").fill("that I live in Vienna")
        window.locator("#wish").get_by_role("button").click()
        expect(window.locator("#plan li")).to_have_count(2)

    find()
    window.locator("#entries").get_by_role("button", name="Correct").first.click()
    window.locator("#entries").get_by_role("textbox").fill("Has a cat called Mimi")
    for box in window.locator("#plan").get_by_role("checkbox").all():
        box.uncheck()
    window.locator("#plan").get_by_role("button", name="Forget").click()
    expect(window.locator("#notice")).to_have_text("Choose at least one.")
    window.get_by_role("button", name="Keep everything").click()
    expect(window.locator("#notice")).to_have_text("Nothing was changed.")
    find()
    window.locator("#plan").get_by_role("button", name="Forget").click()
    expect(window.locator("#notice")).to_contain_text("Forgotten.")
    expect(window.locator("#entries").get_by_text("Vienna")).to_have_count(0)
    assert said.exclude(hidden_at=None).exists()
    window.get_by_role("button", name="Undo").click()
    expect(window.locator("#entries").get_by_text("Vienna")).to_have_count(1)
    expect(window.locator("#entries").get_by_role("textbox")).to_have_value("Has a cat called Mimi")
    expect(window.locator("#entries li")).to_have_count(2)
    find()
    window.locator("#plan").get_by_role("button", name="Erase for good").click()
    window.get_by_role("dialog").get_by_role("button", name="Erase for good").click()
    expect(window.locator("#notice")).to_have_text("Erased.")
    assert not said.exists() and len(stage.contents(nora)) == 1

    window.locator("#wish input").fill("the zebra")
    window.locator("#wish").get_by_role("button").click()
    expect(window.locator("#notice")).to_have_text("Nothing found.")


def test_a_wish_that_waits_for_a_decision_is_shown(desk: Desk, stage: Stage) -> None:
    mina = person(stage, "Mina of the page")
    stage.remember(mina, "Has a cat", "Likes the cat of Tom")
    (turn,) = stage.talk(mina, "Hello.", days_ago=0)
    plan = make_plan(mina, what="the cat", verb="forget", by=BY)
    MendingPlan.objects.filter(id=plan.id).update(turn_id=turn.id)  # as if it had been asked for there
    window = opened(desk, stage, mina)
    expect(window.locator("#plan li")).to_have_count(2)
    window.locator("#plan").get_by_label("Likes the cat of Tom").uncheck()
    window.locator("#plan").get_by_role("button", name="Forget").click()
    expect(window.locator("#notice")).to_contain_text("Forgotten.")
    assert stage.contents(mina) == {"Likes the cat of Tom"}


def test_messages_are_erased_and_all_of_it_is_downloaded(desk: Desk, stage: Stage) -> None:
    rosa = person(stage, "Rosa of the page")
    replace_profile(relationship=rosa, data={"plan": "gold"}, by=BY)
    stage.remember(rosa, *(f"Owns book {number}" for number in range(60)))
    stage.talk(rosa, "It is windy today.")
    window = opened(desk, stage, rosa)
    expect(window.locator("#entries li")).to_have_count(50)
    window.locator("#more-entries").press("Enter")
    expect(window.locator("#entries li")).to_have_count(60)
    expect(window.locator("#entries li").nth(50)).to_be_focused()
    with window.expect_download() as started:
        window.get_by_role("button", name="Download a copy").press("Enter")
    expect(window.get_by_role("button", name="Download a copy")).to_be_focused()
    copy = json.loads(Path(started.value.path()).read_text())
    assert len(copy["entries"]) == 60 and copy["profile"] == {"plan": "gold"} and copy["companion"] == "Ada"
    assert "It is windy today." in {message["content"] for message in copy["messages"]}

    window.locator("#said summary").click()
    message = window.locator("#messages li", has_text="It is windy today.")
    message.get_by_role("button", name="Erase for good").click()
    window.get_by_role("dialog").get_by_role("button", name="Erase for good").click()
    expect(window.locator("#messages").get_by_text("Erased.")).to_be_visible()
    assert not Message.objects.for_relationship(rosa.id).filter(content__contains="windy").exists()


def test_a_link_to_read_shows_no_buttons_that_change(desk: Desk, stage: Stage) -> None:
    hana = person(stage, "Hana of the page")
    stage.remember(hana, "Has a cat")
    window = opened(desk, stage, hana, "read", more="&lang=de")
    expect(window.get_by_role("heading", level=1)).to_have_text("Was Ada über dich weiß")
    expect(window.get_by_text("Has a cat")).to_be_visible()
    expect(window.get_by_role("button", name="Vergessen")).to_have_count(0)
    window.evaluate("document.body.classList.remove('read-only')")
    window.get_by_role("button", name="Vergessen").first.click()
    expect(window.locator("#notice")).to_have_text("Mit diesem Link kannst du nur lesen.")
    assert stage.contents(hana) == {"Has a cat"}


def test_the_token_stays_in_the_tab_until_it_is_revoked(desk: Desk, stage: Stage) -> None:
    ines = person(stage, "Ines of the page")
    stage.remember(ines, "Has a cat")
    window = desk.open(None)
    asked: list[str] = []
    window.on("request", lambda request: asked.append(request.url + request.headers.get("referer", "")))
    window.goto(link(stage, ines))
    expect(window.get_by_text("Has a cat")).to_be_visible()
    assert "#" not in window.url and not window.context.cookies()
    window.reload()
    expect(window.get_by_text("Has a cat")).to_be_visible()
    assert len(asked) > 8 and not [url for url in asked if "rt_" in url]

    RelationshipToken.objects.for_relationship(ines.id).delete()
    window.get_by_role("button", name="Forget").first.click()
    expect(window.get_by_text("This link has expired.")).to_be_visible()
    expect(window.get_by_text("Has a cat")).to_have_count(0)
    assert stage.contents(ines) == {"Has a cat"}

    jana = person(stage, "Jana of the page")
    stage.remember(jana, "Has a dog")
    window.goto(link(stage, jana))  # another link in the same tab
    expect(window.get_by_text("Has a dog")).to_be_visible()


@pytest.mark.parametrize("fragment", ["", "#token=nonsense", "#token=rt_"])
def test_without_a_link_it_says_what_is_missing(desk: Desk, stage: Stage, fragment: str) -> None:
    window = desk.open(None)
    window.goto(f"{stage.service.web.url}/memory{fragment}")
    expect(window.get_by_text("This page needs a link from your app.")).to_be_visible()


def test_an_operator_opens_it_with_a_new_token(desk: Desk, stage: Stage) -> None:
    kira = person(stage, "Kira of the page")
    stage.remember(kira, "Has a cat")
    window = desk.open()
    window.goto(stage.page_of(kira, "tokens/"))
    window.get_by_role("button", name="Create token").click()
    with window.context.expect_page() as started:
        window.get_by_role("link", name="Open the memory page").click()
    expect(started.value.get_by_text("Has a cat")).to_be_visible()

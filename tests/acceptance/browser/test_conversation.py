"""The talk and what came of it: a failed turn, a wrong deletion, what the companion sees, and what was true when."""

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Route, expect

from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import Stage
from tests.vendor_servers.openai_server import OpenAIServer


def test_a_wrong_deletion_is_undone_from_the_conversation_in_three_clicks(
    desk: Desk, stage: Stage, model: OpenAIServer
) -> None:
    hugo = stage.relationship("Hugo", stage.mole)
    stage.remember(hugo, *(f"Has a sister called Ana {number}" for number in range(8)))
    model.push(
        {"json": {"operations": [{"op": "delete", "entry": 1, "messages": [1], "reason": "no longer"}]}}
    )
    stage.talk(hugo, "My sister came by.", days_ago=0)
    before = stage.contents(hugo)
    assert len(before) == 7
    window = desk.open()
    window.goto(stage.page_of(hugo, "conversation/"))

    clicks = [
        window.locator(".did").get_by_role("link", name="Has a sister"),
        window.get_by_role("button", name="Restore"),
    ]
    for click in clicks:
        click.click()

    expect(window.get_by_role("status")).to_have_text("Entry restored.")
    assert len(clicks) <= 3
    assert len(stage.contents(hugo)) == 8


def test_what_the_companion_would_see_follows_what_is_typed(desk: Desk, stage: Stage) -> None:
    nora = stage.relationship("Nora")
    stage.remember(nora, "Is allergic to peanuts")
    window = desk.open()
    window.goto(stage.page_of(nora, "context/"))

    window.get_by_label("Next message from Nora").press_sequentially("What can I cook?")

    expect(window.locator("#assembled").get_by_text("What can I cook?").first).to_be_visible()
    memory = window.locator(".layer").filter(has=window.get_by_role("heading", name="memory"))
    expect(memory).to_contain_text("Is allergic to peanuts")
    window.get_by_label("Format").select_option("anthropic")
    expect(window.get_by_role("heading", name="Request in anthropic format")).to_be_visible()


def test_the_slider_shows_what_was_true_then(desk: Desk, stage: Stage) -> None:
    mara = stage.relationship("Mara")
    stage.talk(mara, "I live in Porto.", days_ago=2)
    stage.talk(mara, "I moved to Lisbon.", days_ago=1)
    window = desk.open()
    window.goto(stage.page_of(mara, "time/"))
    then = window.get_by_role("region", name="Then", exact=True)
    expect(then).to_contain_text("Lives in Lisbon")

    changed = window.get_by_role("region", name="Changes")
    slider = window.get_by_role("slider", name="Memory at")
    slider.press("Home")
    expect(then).to_contain_text("Lives in Porto")
    expect(changed).to_contain_text("Lisbon")
    spoken = slider.get_attribute("aria-valuetext") or ""
    assert f"{datetime.now(UTC) - timedelta(days=2):%-d %B %Y}" in spoken
    window.get_by_label("Date", exact=True).fill(f"{datetime.now(UTC):%Y-%m-%d}")
    expect(slider).to_have_value("1000")  # a date moves the slider
    expect(then).to_contain_text("Lives in Lisbon")
    yesterday = datetime.now(UTC) - timedelta(days=1)
    window.get_by_label("Date", exact=True).fill(f"{yesterday:%Y-%m-%d}")
    expect(then.get_by_role("heading")).to_have_text(f"{yesterday:%-d %B %Y}, 23:59")
    expect(window.locator("output").first).to_have_text(f"{yesterday:%-d %B %Y}, 23:59")
    under_way: list[Route] = []
    at_the_beginning = re.compile(r"/time/\?.*\bstep=0\b")
    window.route(at_the_beginning, lambda route: under_way.append(route), times=1)
    with window.expect_request(at_the_beginning):
        slider.press("Home")
    expect(window.get_by_label("Date", exact=True)).to_have_value("")

    other = window.get_by_role("slider", name="Compare with")
    other.press("Home")
    under_way[0].continue_()  # the answer for where this slider was does not move it back
    expect(other).to_have_value("0")
    expect(changed).to_contain_text("No changes.")


def test_a_conversation_goes_on_either_way_as_one_scrolls(desk: Desk, stage: Stage) -> None:
    lena = stage.relationship("Lena")
    began = datetime(2024, 1, 1, tzinfo=UTC)
    turns = [stage.service.say(lena, f"Letter {n}.", at=began + timedelta(days=9 * n)) for n in range(60)]
    window = desk.open()
    window.goto(stage.page_of(lena, f"conversation/?from={turns[25].seq}"))
    log, said = window.get_by_role("region", name="Conversation"), window.locator("#log .said")
    expect(said.first).to_have_text("Letter 5.")  # those before have come
    expect(window.get_by_text("Letter 25.")).to_be_in_viewport()  # and what is read stays where it is

    log.evaluate("part => { part.scrollTop = 0; }")
    expect(said.first).to_have_text("Letter 0.")
    log.evaluate("part => { part.scrollTop = part.scrollHeight; }")
    expect(said.last).to_have_text("Letter 59.")

    assert said.all_inner_texts() == [f"Letter {n}." for n in range(60)]
    window.get_by_label("Go to date").fill("2024-03-04")
    window.get_by_role("button", name="Go", exact=True).click()
    expect(window.get_by_text("Letter 7.")).to_be_in_viewport()
    window.get_by_label("Search this conversation").fill("letter 58")
    window.keyboard.press("Enter")
    window.get_by_role("link", name="Letter 58").click()
    expect(window.get_by_text("Letter 58.")).to_be_in_viewport()

"""The memory page when somebody else was faster, or no answer comes."""

from playwright.sync_api import expect

from memory.entries.editing import revise_entry
from memory.models import ScratchpadEntry
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.memory_page import opened, person
from tests.acceptance.browser.stage import BY, Stage


def test_two_who_correct_at_once_lose_nothing(desk: Desk, stage: Stage) -> None:
    lara = person(stage, "Lara of the page")
    (entry,) = stage.remember(lara, "Has a cat")
    window = opened(desk, stage, lara)
    row = window.locator("#entries li").first
    row.get_by_role("button", name="Correct").click()
    row.get_by_role("textbox").fill("Has a dog")
    other = desk.open()
    other.goto(stage.page_of(lara, f"entries/{entry.id}/edit/"))
    other.get_by_label("Content").fill("Has a bird")
    other.get_by_role("button", name="Save").click()
    expect(other.get_by_text("Has a bird").first).to_be_visible()

    row.get_by_role("button", name="Save").click()
    expect(window.locator("#notice")).to_have_text("It was changed in the meantime. Load the page again.")
    expect(row.get_by_role("textbox")).to_have_value("Has a dog")
    assert stage.contents(lara) == {"Has a bird"}

    stage.remember(lara, "Plays chess")
    window.reload()
    row.get_by_role("button", name="Correct").click()
    row.get_by_role("textbox").fill("Has a bird")
    row.get_by_role("button", name="Save").click()
    expect(window.locator("#notice")).to_have_text("This is remembered already.")


def test_what_fails_is_told_and_can_be_tried_again(desk: Desk, stage: Stage) -> None:
    yara = person(stage, "Yara of the page")
    stage.remember(yara, "Has a cat")
    window = opened(desk, stage, yara)
    notice, forget = (
        window.locator("#notice"),
        window.locator("#entries").get_by_role("button", name="Forget"),
    )
    window.route("**/entries/*", lambda route: route.abort())
    forget.press("Enter")
    expect(notice).to_have_text("No answer. Check your connection and try again.")
    expect(forget).to_be_focused()
    window.unroute("**/entries/*")
    window.route("**/entries/*", lambda route: route.fulfill(status=502, json={"detail": "openai: 500"}))
    forget.press("Enter")
    expect(notice).to_have_text("That didn't work. Try again in a minute.")
    window.unroute("**/entries/*")
    forget.press("Enter")
    expect(window.get_by_role("button", name="Undo")).to_be_focused()
    expect(notice).to_be_empty()
    window.get_by_role("button", name="Undo").press("Enter")

    window.locator("#wish input").fill("the cat")
    window.locator("#wish").get_by_role("button").click()
    expect(window.locator("#plan")).to_be_focused()
    window.locator("#plan").get_by_role("button", name="Forget").click()
    expect(notice).to_be_focused()
    window.route("**/undo", lambda route: route.abort())
    notice.get_by_role("button", name="Undo").click()
    expect(notice).to_contain_text("No answer.")
    window.unroute("**/undo")
    notice.get_by_role("button", name="Undo").click()
    expect(notice).to_have_text("It is back.")
    assert stage.contents(yara) == {"Has a cat"}

    window.locator("#wish input").fill("the cat")
    window.locator("#wish").get_by_role("button").click()
    expect(window.locator("#plan")).to_be_focused()
    entry = ScratchpadEntry.objects.for_relationship(yara.id).get()
    revise_entry(relationship_id=yara.id, entry_id=entry.id, values={"content": "Has a cat and a dog"}, by=BY)
    window.locator("#plan").get_by_role("button", name="Forget").click()
    expect(notice).to_contain_text("Some of it was changed in the meantime and is still there.")

    window.route("**/texts.json", lambda route: route.abort())
    with window.expect_event("pageerror"):
        window.reload()
    expect(window.get_by_text("No answer. Load the page again.")).to_be_visible()
    desk.complaints.clear()  # the browser's own, of what was aborted

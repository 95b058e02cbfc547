"""Reading and plain edits in a browser that runs no script."""

import pytest
from playwright.sync_api import Page, expect

from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import Stage


@pytest.fixture
def window(desk: Desk) -> Page:
    return desk.open(scripts=False)


def test_a_person_is_found_and_read(window: Page, stage: Stage) -> None:
    stage.remember(stage.relationship("Plain Olga"), "Plays the sackbut")
    window.goto(f"{stage.url}/relationships/")
    window.get_by_label("Search memory").fill("sackb")
    window.get_by_role("button", name="Search").click()

    window.locator("#found").get_by_role("link", name="Plain Olga").click()

    expect(window.get_by_text("Plays the sackbut")).to_be_visible()


def test_an_entry_is_added_edited_deleted_and_restored(window: Page, stage: Stage) -> None:
    rosa = stage.relationship("Plain Rosa")
    window.goto(stage.page_of(rosa))
    content = window.get_by_role("textbox", name="Content")

    window.get_by_role("link", name="Add entry", exact=True).click()
    content.fill("Has a cat")
    window.get_by_role("button", name="Add entry").click()
    expect(window.get_by_role("status")).to_have_text("Entry added.")

    window.get_by_role("link", name="Edit: Has a cat").click()
    content.fill("Has a dog")
    window.get_by_role("button", name="Save").click()
    expect(window.get_by_role("status")).to_have_text("Entry saved.")

    window.get_by_role("button", name="Delete: Has a dog").click()
    assert stage.contents(rosa) == set()
    window.get_by_role("button", name="Undo").click()
    expect(window.get_by_role("status")).to_have_text("Entry restored.")

    window.get_by_role("link", name="Has a dog", exact=True).click()
    window.get_by_role("button", name="Undo update").click()
    expect(window.get_by_role("status")).to_have_text("Entry restored.")
    assert stage.contents(rosa) == {"Has a cat"}


def test_many_are_moved_at_once(window: Page, stage: Stage) -> None:
    ugo = stage.relationship("Plain Ugo")
    stage.remember(ugo, "Has a cat", "Has a dog")
    window.goto(stage.page_of(ugo))

    window.get_by_role("checkbox", name="Select: Has a cat").check()
    window.get_by_label("With selected:").select_option("delete")
    window.get_by_role("button", name="Apply").click()

    expect(window.get_by_role("status")).to_have_text("1 deleted. To bring one back, show the state deleted.")
    assert stage.contents(ugo) == {"Has a dog"}


def test_the_past_and_what_is_seen_now_are_shown(window: Page, stage: Stage) -> None:
    mara = stage.relationship("Plain Mara")
    stage.talk(mara, "I live in Porto.", days_ago=2)
    stage.talk(mara, "I moved to Lisbon.", days_ago=1)
    window.goto(stage.page_of(mara, "time/"))
    window.get_by_role("slider", name="Memory at").press("Home")
    window.get_by_role("button", name="Show").click()
    expect(window.get_by_role("region", name="Then", exact=True)).to_contain_text("Lives in Porto")

    window.get_by_role("link", name="Context").click()
    window.get_by_label("Next message from Plain Mara").fill("Where do I live?")
    window.get_by_role("button", name="Preview").click()

    expect(window.locator("#assembled")).to_contain_text("Where do I live?")
    expect(window.locator("#assembled")).to_contain_text("Lives in Lisbon")


def test_the_overview_says_how_the_workers_are(window: Page, stage: Stage) -> None:
    window.goto(f"{stage.url}/")

    window.get_by_role("link", name="Workers").click()

    expect(window.get_by_text("worker running")).to_be_visible()


def test_a_search_that_needs_scripts_is_not_shown(window: Page, stage: Stage) -> None:
    window.goto(f"{stage.url}/companions/{stage.relationship('Plain Otto').companion_id}/")

    expect(window.get_by_role("heading", name="Advanced")).to_be_visible()
    expect(window.get_by_placeholder("Search settings")).to_be_hidden()

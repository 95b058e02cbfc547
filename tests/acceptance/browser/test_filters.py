"""Filters and searches: they follow what is typed, and say what is shown."""

from playwright.sync_api import expect

from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import Stage


def test_a_search_follows_each_of_its_fields(desk: Desk, stage: Stage) -> None:
    stage.remember(stage.relationship("Quilla"), "Lives in Cork")
    stage.remember(stage.relationship("Quentin"), "Lives in Kiel")
    window = desk.open()
    window.goto(f"{stage.url}/relationships/")
    found, waits = window.locator("#found tbody").get_by_role("link"), "Awaiting review"

    for wanted in (True, False):
        window.get_by_label(waits).set_checked(wanted)
        expect(found.filter(has_text="Quentin")).to_have_count(1 - wanted)
    window.get_by_label("Person", exact=True).press_sequentially("Quilla")
    expect(found).to_have_text(["Quilla"])
    found.click(delay=500)  # a slow finger: what it came down on is still there

    expect(window.get_by_text("Lives in Cork")).to_be_visible()


def test_after_going_back_a_filter_says_what_is_shown(desk: Desk, stage: Stage) -> None:
    stage.remember(stage.relationship("Bodo"), "Likes tea")
    window = desk.open()
    window.goto(f"{stage.url}/")

    window.get_by_role("combobox", name="Period").select_option("7")
    window.wait_for_url("**days=7**")
    window.go_back()

    expect(window.get_by_role("combobox", name="Period")).to_have_value("30")


def test_what_comes_into_sight_is_not_below_the_bar_at_the_bottom(desk: Desk, stage: Stage) -> None:
    window = desk.open()
    window.goto(f"{stage.url}/companions/{stage.ada.id}/")

    in_sight = window.get_by_placeholder("Search settings").evaluate("""(field) => {
      field.scrollIntoView({block: "end"});
      const room = field.getBoundingClientRect();
      return document.elementFromPoint(room.x + 9, room.y + room.height / 2) === field;
    }""")

    assert in_sight

"""What is remembered of a person: found, mended in place, undone; by two at once; and by keyboard alone."""

import re

from playwright.sync_api import Page, expect

from memory.models import ScratchpadEntry
from relationships.models import Relationship, Role
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import BY, Stage
from upkeep.erasure.entries import erase_entry


def test_of_two_who_edit_one_entry_the_later_sees_both_texts(desk: Desk, stage: Stage) -> None:
    iris = stage.relationship("Iris")
    stage.remember(iris, "Has a cat")
    windows = [desk.open(), desk.open()]
    for window in windows:
        window.goto(stage.page_of(iris))
        window.get_by_role("link", name="Edit: Has a cat").click()
    first, second = windows

    for window, words in zip(windows, ("Has two cats", "Has a kitten"), strict=True):
        window.get_by_role("textbox", name="Content").fill(words)
    first.get_by_role("button", name="Save").click()
    expect(first.get_by_role("status")).to_have_text(
        "Entry saved."
    )  # before the other: neither waits for its click
    second.get_by_role("button", name="Save").click()

    expect(second.get_by_role("alert")).to_contain_text("Has two cats")
    expect(second.get_by_role("textbox", name="Content")).to_have_value("Has a kitten")
    assert stage.contents(iris) == {"Has two cats"}
    second.get_by_role("button", name="Overwrite").click()
    expect(second.get_by_role("status")).to_have_text("Entry saved.")
    assert stage.contents(iris) == {"Has a kitten"}


def test_what_is_gone_meanwhile_is_said(desk: Desk, stage: Stage) -> None:
    ezra = stage.relationship("Ezra")
    (entry,) = stage.remember(ezra, "Has a cat")
    window = desk.open()
    window.goto(stage.page_of(ezra))
    erase_entry(relationship_id=ezra.id, entry_id=entry.id, by=BY)

    window.get_by_role("link", name="Edit: Has a cat").click()

    expect(window.get_by_role("alert")).to_contain_text("This entry does not exist")


def test_one_box_ticks_all(desk: Desk, stage: Stage) -> None:
    una = stage.relationship("Una")
    stage.remember(una, "Has a cat", "Has a dog", "Has a fish")
    window = desk.open()
    window.goto(stage.page_of(una, "?text=has"))

    window.get_by_role("checkbox", name="Select: Has a cat").check()
    window.get_by_role("checkbox", name="Select all on this page").check()
    expect(window.get_by_text("3 selected")).to_be_visible()
    window.get_by_label("With selected:").select_option("pin")
    window.get_by_role("button", name="Apply").click()

    expect(window.get_by_role("status")).to_have_text("3 updated.")
    expect(window.get_by_label("Search", exact=True)).to_have_value("has")
    assert len(pinned(una)) == 3


def test_a_merge_that_is_refused_leaves_what_is_selected(desk: Desk, stage: Stage) -> None:
    ulla = stage.relationship("Ulla")
    stage.remember(ulla, "Has a cat", "Has a dog", "Has a fish")
    window = desk.open()
    window.goto(stage.page_of(ulla))
    for pet in ("cat", "dog", "fish"):
        window.get_by_role("checkbox", name=f"Select: Has a {pet}").check()
    window.get_by_label("With selected:").select_option("merge")
    window.get_by_role("button", name="Apply").click()
    expect(window.get_by_role("alert")).to_have_text("Select two entries to merge.")

    window.get_by_role("checkbox", name="Select: Has a fish").uncheck()
    window.get_by_role("button", name="Apply").click()

    expect(window.get_by_role("status")).to_have_text("Entries merged. Edit the text if needed.")
    expect(window.get_by_role("textbox", name="Content")).to_have_value(re.compile("cat; .*dog|dog; .*cat"))


def test_what_was_searched_for_stays_after_an_edit(desk: Desk, stage: Stage) -> None:
    ole = stage.relationship("Ole")
    stage.remember(ole, "Has a cat", "Lives in Oslo")
    window = desk.open()
    window.goto(stage.page_of(ole))
    search, listed = window.get_by_label("Search", exact=True), window.locator("#entries .entry")
    search.fill("cat")
    expect(listed).to_have_count(1)

    window.get_by_role("link", name="Edit: Has a cat").click()
    window.get_by_role("textbox", name="Content").fill("Has a black cat")
    window.get_by_role("button", name="Save").click()
    expect(listed).to_have_text([re.compile("Has a black cat")])
    window.get_by_role("link", name="Add entry").click()
    window.get_by_role("textbox", name="Content").fill("Likes a walk")
    window.get_by_role("button", name="Add entry").click()

    expect(window.get_by_role("status")).to_have_text("Entry added.")
    expect(search).to_have_value("cat")
    expect(listed).to_have_count(1)


def test_a_form_that_is_pressed_twice_is_sent_once(desk: Desk, stage: Stage) -> None:
    window, sent = desk.open(), list[str]()
    window.goto(stage.page_of(stage.relationship("Dora")))
    window.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)

    window.get_by_role("link", name="Add entry").click()
    window.get_by_role("textbox", name="Content").fill("Has a cat")
    window.get_by_role("button", name="Add entry").dblclick()

    expect(window.get_by_role("status")).to_have_text("Entry added.")
    assert len(sent) == 1


def test_what_was_scrolled_to_stays_after_a_change(desk: Desk, stage: Stage) -> None:
    lea = stage.relationship("Lea")
    stage.remember(lea, *(f"Has cat number {number}" for number in range(30)))
    window = desk.open()
    window.goto(stage.page_of(lea))
    pin = window.get_by_role("button", name="Pin: Has cat number 2", exact=True)
    pin.focus()
    scrolled = window.evaluate("scrollY")
    assert scrolled > 100

    window.keyboard.press("Enter")

    expect(window.get_by_role("button", name="Unpin: Has cat number 2", exact=True)).to_be_focused()
    expect(window.get_by_role("status")).to_be_in_viewport()
    assert abs(window.evaluate("scrollY") - scrolled) < 150
    assert pinned(lea) == ["Has cat number 2"]


def test_whoever_may_not_edit_reads_entries_from_the_left(desk: Desk, stage: Stage) -> None:
    ottilie = stage.relationship("Ottilie")
    stage.remember(ottilie, "Has a cat")
    window = desk.open(Role.VIEWER)
    window.goto(stage.page_of(ottilie))

    heading = window.get_by_role("heading", name="Memory").bounding_box()
    text = window.get_by_role("link", name="Has a cat").bounding_box()

    assert heading
    assert text
    assert abs(text["x"] - heading["x"]) < 5


def test_the_keyboard_is_enough(desk: Desk, stage: Stage) -> None:
    kim = stage.relationship("Kim")
    stage.remember(kim, "Has a cat")
    window = desk.open()
    window.goto(stage.page_of(kim))
    edit = window.get_by_role("link", name="Edit: Has a cat")
    content = window.get_by_role("textbox", name="Content")

    window.keyboard.press("Tab")
    expect(window.get_by_role("link", name="Skip to content")).to_be_focused()
    tab_to(window, "Edit: Has a cat")
    window.keyboard.press("Enter")
    expect(content).to_be_focused()
    window.keyboard.press("Escape")
    expect(edit).to_be_focused()
    expect(content).to_have_count(0)

    window.keyboard.press("Enter")
    expect(content).to_be_focused()
    window.keyboard.press("ControlOrMeta+a")
    window.keyboard.type("Has a dog")
    window.keyboard.press("Control+Enter")
    expect(window.get_by_role("status")).to_have_text("Entry saved.")
    assert stage.contents(kim) == {"Has a dog"}

    window.keyboard.press("/")
    expect(window.get_by_label("Search", exact=True)).to_be_focused()
    window.goto(f"{stage.url}/companions/")  # which has no search of its own
    window.keyboard.press("/")
    expect(window.locator("#find-field")).to_be_focused()
    row = window.goto(stage.page_of(kim)) and window.locator("#entries .entry").bounding_box()
    assert row
    assert row["height"] <= 46


def tab_to(window: Page, label: str, *, most: int = 60) -> None:
    """Press Tab until the part with this label has the focus."""
    for _ in range(most):
        window.keyboard.press("Tab")
        if window.evaluate("document.activeElement.getAttribute('aria-label')") == label:
            return
    raise AssertionError(f"{label!r} is not reached within {most} tabs")


def pinned(relationship: Relationship) -> list[str]:
    entries = ScratchpadEntry.objects.for_relationship(relationship.id).active().filter(pinned=True)
    return list(entries.values_list("content", flat=True))


def test_reviews_are_decided_one_after_another_by_keyboard_and_searches_tell_how_much_they_found(
    desk: Desk, stage: Stage
) -> None:
    rhea = stage.relationship("Rhea")
    stage.remember(rhea, "Has a cat", "Has a dog")
    turns = stage.talk(rhea, "Forget it all.", "I said, all of it.")
    for turn in turns:
        stage.hold(rhea, turn)
    window = desk.open()
    window.goto(stage.page_of(rhea))
    keep = window.get_by_role("button", name="Keep them")
    expect(keep).to_have_count(2)

    keep.first.focus()
    window.keyboard.press("Enter")
    expect(keep).to_have_count(1)
    expect(keep).to_be_focused()
    window.keyboard.press("Enter")
    expect(window.get_by_role("link", name="Add entry")).to_be_focused()

    window.get_by_label("Search", exact=True).fill("cat")
    expect(window.locator("#entries + p")).to_have_text("1 result")
    window.get_by_label("Search", exact=True).fill("nothing of the kind")
    expect(window.locator("#entries + p")).to_have_text("No results")
    window.keyboard.press("Control+k")
    window.keyboard.type("rhea")
    expect(window.locator("#found-here + p")).to_have_text("1 result")
    window.keyboard.press("Escape")
    expect(window.get_by_label("Search", exact=True)).to_be_focused()

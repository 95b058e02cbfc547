"""A companion's prompt, worked on safely; its documents; and talking to it while its memory is watched."""

from pathlib import Path

from playwright.sync_api import Page, expect

from memory.models import IngestionPrompt, ScratchpadEntry
from relationships.models import Companion
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import Stage


def test_a_prompt_is_drafted_replayed_published_and_rolled_back(desk: Desk, stage: Stage) -> None:
    cook = Companion.objects.create(project=stage.project, slug="cook", name="Cook")
    window = desk.open()
    window.goto(f"{stage.url}/companions/{cook.id}/prompt/")

    draft(window, "Keep what has to do with food.")
    window.get_by_label("Paste a conversation").fill("user: I am allergic to peanuts. I live in Porto.")
    window.get_by_role("button", name="Compare with the current prompt").click()
    for heading in ("The draft", "The one in use"):
        half = window.locator(".halves section").filter(has=window.get_by_role("heading", name=heading))
        expect(half.locator(".entry").filter(has_text="peanuts").first).to_be_visible()
    assert not ScratchpadEntry.objects.filter(relationship__companion=cook).exists()

    window.goto(f"{stage.url}/companions/{cook.id}/prompt/")
    draft(window, "Keep what has to do with food.")
    window.get_by_label("Note").fill("kitchen only")
    window.get_by_role("button", name="Save and publish").click()
    expect(window.get_by_text("Version 1 is in use.")).to_be_visible()
    assert IngestionPrompt.objects.get(companion=cook).note == "kitchen only"

    window.get_by_role("button", name="Use the default").click()
    expect(window.get_by_text("The default prompt is in use.")).to_be_visible()


def test_a_draft_that_can_not_be_rendered_is_refused_with_the_line(desk: Desk, stage: Stage) -> None:
    window = desk.open()
    window.goto(f"{stage.url}/companions/{stage.ada.id}/prompt/")

    draft(window, "Keep all.\n{{ typos }}")
    window.get_by_role("button", name="Save version").click()

    expect(window.get_by_role("alert")).to_contain_text("typos")
    expect(window.get_by_label("Template")).to_have_value("Keep all.\n{{ typos }}")


def test_a_companion_is_configured_in_a_form(desk: Desk, stage: Stage) -> None:
    nova = Companion.objects.create(project=stage.project, slug="nova", name="Nova")
    window = desk.open()
    window.goto(f"{stage.url}/companions/{nova.id}/")

    window.get_by_role("radio", name="two_call One").check()
    window.get_by_role("button", name="Apply recipe").click()

    expect(window.get_by_role("status")).to_be_visible()
    expect(window.get_by_role("radio", name="two_call One")).to_be_checked()
    nova.refresh_from_db()
    assert nova.config == {"recipe": "two_call"}


def test_a_document_is_uploaded_and_found(desk: Desk, stage: Stage, tmp_path: Path) -> None:
    clerk = Companion.objects.create(project=stage.project, slug="clerk", name="Clerk")
    file = tmp_path / "refunds.md"
    file.write_text("# Refunds\n\nA parcel that was lost is paid back within a week.\n")
    window = desk.open()
    window.goto(f"{stage.url}/companions/{clerk.id}/documents/")

    window.get_by_label("A file").set_input_files(file)
    window.get_by_role("button", name="Upload").click()
    expect(window.get_by_text("ready", exact=True)).to_be_visible()
    window.get_by_label("Question").fill("lost parcel")
    window.get_by_role("button", name="Search").click()

    expect(window.get_by_text("is paid back within a week")).to_be_visible()


def test_talking_updates_the_memory_beside_the_talk(desk: Desk, stage: Stage) -> None:
    window = desk.open()
    window.goto(f"{stage.url}/playground/")
    window.get_by_role("button", name="Talk to Ada").click()
    remembered = window.get_by_role("region", name="Memory")

    window.get_by_label("Your message").fill("I live in Porto.")
    window.keyboard.press("Enter")

    expect(window.locator(".bubble.user")).to_have_text("I live in Porto.")
    expect(window.locator(".bubble.assistant")).to_have_count(1)
    expect(window.get_by_text("memory updated")).to_be_visible()
    expect(remembered).to_contain_text("Lives in Porto")
    expect(window.get_by_label("Your message")).to_be_focused()


def draft(window: Page, template: str) -> None:
    window.get_by_label("Template").fill(template)

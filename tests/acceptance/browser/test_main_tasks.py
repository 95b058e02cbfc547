"""The main task of each page, done from its beginning to its end: one wide and light, the next on a phone in the dark.

With RAPPORT_DRILLS=long or RAPPORT_SCREENSHOTS each is done in both. Where each of them ends, a picture is kept, and nothing may stick out or shut anybody out. The other two looks are
those of test_every_page.py.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from memory.models import IngestionPrompt
from relationships.models import ApiKey, Companion, Relationship, Turn
from relationships.services.companions import create_companion
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.looks import EACH_ONCE, Look, glance
from tests.acceptance.browser.stage import BY, Stage
from tests.acceptance.drills.talk import LONG
from tests.vendor_servers.openai_server import OpenAIServer

pytestmark = pytest.mark.drill
KLINGON = {"op": "add", "type": "identity", "content": "Is a Klingon", "messages": [1]}
End = Callable[[str], None]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    both = LONG or "RAPPORT_SCREENSHOTS" in os.environ
    tasks = [name for name in vars(metafunc.module) if name.startswith("test_")]
    place = tasks.index(metafunc.function.__name__) % len(EACH_ONCE)
    looks = EACH_ONCE if both else (EACH_ONCE[place],)
    metafunc.parametrize("look_now", looks, ids=[f"{width}-{scheme}" for width, scheme in looks])


@pytest.fixture
def mark(look_now: Look) -> str:
    """Tells the people of one look from those of another."""
    return f"{look_now[0]} {look_now[1]}"


@pytest.fixture
def window(desk: Desk, look_now: Look) -> Page:
    return desk.open(width=look_now[0], scheme=look_now[1])


@pytest.fixture
def end(window: Page, look_now: Look, screenshots: Path | None) -> End:
    """Looks at the window once the task is done."""

    def look_at(name: str) -> None:
        wrong = list(glance(window, f"task-{name}-{look_now[0]}-{look_now[1]}", screenshots))
        assert not wrong, "\n".join(wrong)

    return look_at


def test_anybody_is_found_by_a_few_letters(window: Page, stage: Stage, mark: str, end: End) -> None:
    stage.relationship(f"Quintus {mark}")
    window.goto(f"{stage.url}/")
    window.keyboard.press("Control+k")
    field = window.get_by_role("searchbox", name="Person, companion, page or action")
    expect(field).to_be_focused()
    field.fill(f"quintus {mark}")
    expect(window.locator("#found-here a")).to_have_count(1)
    end("find")
    field.press("Escape")
    expect(field).to_be_hidden()
    window.keyboard.press("Control+k")
    field.press("Enter")
    expect(window.get_by_role("heading", level=1)).to_contain_text(f"Quintus {mark}")


def test_the_overview_leads_to_what_failed(
    window: Page, stage: Stage, mark: str, model: OpenAIServer, end: End
) -> None:
    failed(stage, model, f"Overview {mark}", f"I was seen at {mark}.")
    window.goto(f"{stage.url}/")
    expect(window.get_by_text("worker running")).to_be_visible()
    end("overview")

    window.get_by_role("link", name="failed turn").click()

    expect(window.get_by_role("link", name=f"I was seen at {mark}.")).to_be_visible()


def test_a_companion_is_made_and_configured(window: Page, stage: Stage, mark: str, end: End) -> None:
    slug = f"made-{mark.replace(' ', '-')}"
    window.goto(f"{stage.url}/companions/")
    window.get_by_label("Name").fill(f"Made {mark}")
    window.get_by_label("Slug").fill(slug)
    window.get_by_role("button", name="Create companion").click()

    expect(window.get_by_placeholder("Search settings")).to_be_visible()
    window.keyboard.press("/")
    window.keyboard.type("scratchpad size")
    expect(window.get_by_label("Retrieve when")).to_be_hidden()
    expect(window.get_by_label("Turns in one model call, at most")).to_be_hidden()
    window.get_by_label("Scratchpad size (tokens)").fill("1500")
    window.get_by_role("button", name="Review changes").click()
    expect(window.get_by_role("listitem").filter(has_text="Scratchpad size")).to_contain_text("2000 → 1500")
    end("companion-review")
    window.get_by_role("button", name="Save").click()

    expect(window.get_by_role("status")).to_be_visible()
    expect(window.get_by_text("1 overridden")).to_be_visible()
    assert Companion.objects.get(slug=slug).config == {"ingestion": {"soft_budget": 1500}}
    end("companions")


def test_a_prompt_is_tried_published_and_taken_back(window: Page, stage: Stage, mark: str, end: End) -> None:
    cook = companion(stage, f"cook {mark}")
    cora = stage.relationship(f"Cora {mark}", cook)
    stage.talk(cora, "I am allergic to peanuts.", *(f"I like food number {number}." for number in range(9)))
    window.goto(f"{stage.url}/companions/{cook.id}/")

    # Ten past turns in three clicks, the one into the text among them.
    window.get_by_role("navigation", name="Companion").get_by_role("link", name="Prompt").click()
    expect(window.get_by_role("checkbox", name="I am allergic to peanuts.")).to_be_checked()
    window.get_by_label("Template").click()
    window.keyboard.press("Control+a")
    window.keyboard.type("Keep what has to do with food.")
    window.get_by_role("button", name="Compare").click()
    expect(window.get_by_text("Identical: both prompts keep")).to_be_visible()
    expect(window.get_by_text("rules, which ignore prompts")).to_be_visible()
    expect(window.get_by_role("region", name="Source messages")).to_contain_text("I like food number 8.")
    expect(window.locator(".pair").filter(has_text="peanuts")).to_be_visible()
    expect(window.get_by_text("Not run yet.")).to_have_count(0)
    end("prompt")

    window.get_by_role("button", name="Save and publish").click()
    expect(window.get_by_text("Version 1 is in use.")).to_be_visible()
    assert IngestionPrompt.objects.get(companion=cook).template == "Keep what has to do with food."
    window.get_by_role("button", name="Use the default").click()
    expect(window.get_by_text("The default prompt is in use.")).to_be_visible()


def test_a_person_is_found_by_a_word(window: Page, stage: Stage, mark: str, end: End) -> None:
    word = f"crumhorn{mark.replace(' ', '')}"
    stage.remember(stage.relationship(f"Orla {mark}"), f"Plays the {word}")
    window.goto(f"{stage.url}/relationships/")

    window.get_by_label("Search memory").press_sequentially(word[:-1])

    found = window.locator("#found tbody").get_by_role("link")
    expect(found).to_have_text([f"Orla {mark}", f"Plays the {word}"])
    end("relationships")
    found.first.click()
    expect(window.get_by_text(f"Plays the {word}")).to_be_visible()


def test_a_memory_is_mended_where_it_stands(window: Page, stage: Stage, mark: str, end: End) -> None:
    rosa = stage.relationship(f"Rosa {mark}")
    stage.remember(rosa, *(f"Has cat number {number}" for number in range(30)))
    window.goto(stage.page_of(rosa))

    window.get_by_role("link", name="Edit: Has cat number 2", exact=True).click()
    window.get_by_role("textbox", name="Content").fill("Has a dog")
    end("relationship-edit")
    window.get_by_role("button", name="Save").click()

    expect(window.get_by_role("status")).to_have_text("Entry saved.")
    expect(window.get_by_role("link", name="Edit: Has a dog")).to_be_focused()
    expect(window.get_by_role("link", name="Edit: Has a dog")).to_be_in_viewport()
    assert "Has a dog" in stage.contents(rosa)
    window.get_by_role("button", name="Delete: Has a dog").click()
    expect(window.get_by_role("button", name="Undo")).to_be_focused()
    end("relationship")
    window.keyboard.press("Enter")
    expect(window.get_by_text("Has a dog")).to_be_visible()


def test_the_playground_remembers(window: Page, stage: Stage, mark: str, end: End) -> None:
    zoe = companion(stage, f"zoe {mark}")
    window.goto(f"{stage.url}/playground/")
    window.get_by_role("button", name=f"Chat with {zoe.name}").click()

    window.get_by_label("Your message").fill("I live in Porto.")
    window.keyboard.press("Enter")
    window.keyboard.press("Enter")  # an impatient finger

    expect(window.get_by_text("memory updated")).to_be_visible()
    assert Turn.objects.filter(relationship__companion=zoe).count() == 1
    expect(window.get_by_role("region", name="Memory")).to_contain_text("Lives in Porto")
    end("playground")
    # What was shown before that reply: two clicks from the relationship.
    window.goto(stage.page_of(Relationship.objects.get(companion=zoe)))
    window.get_by_role("navigation", name="Relationship").get_by_role("link", name="Conversation").click()
    window.get_by_role("link", name="Context shown").first.click()
    expect(window.get_by_role("region", name="Context shown")).to_contain_text("I live in Porto.")
    end("kept-context")


def test_a_failed_turn_is_retried(
    window: Page, stage: Stage, mark: str, model: OpenAIServer, end: End
) -> None:
    worf = failed(stage, model, f"Worf {mark}", f"I am klingon {mark}.")
    model.push({"json": {"operations": [KLINGON]}})
    window.goto(f"{stage.url}/turns/")
    row = window.get_by_role("row").filter(has_text=f"I am klingon {mark}.")
    expect(row).to_contain_text("Unsupported language.")
    end("turns")

    row.get_by_role("button", name="Retry").click()

    expect(window.get_by_role("status")).to_have_text("Retrying the turn.")
    stage.service.wait_until_settled(stage.service.turns(worf))
    assert stage.contents(worf) == {"Is a Klingon"}


def test_a_document_is_uploaded_and_found(
    window: Page, stage: Stage, mark: str, end: End, tmp_path: Path
) -> None:
    clerk = companion(stage, f"clerk {mark}")
    file = tmp_path / "refunds.md"
    file.write_text("# Refunds\n\nA parcel that was lost is paid back within a week.\n")
    window.goto(f"{stage.url}/companions/{clerk.id}/documents/")

    window.get_by_label("File").set_input_files(file)
    window.get_by_role("button", name="Upload").click()
    expect(window.get_by_text("ready", exact=True)).to_be_visible()
    window.get_by_label("Question").fill("lost parcel")
    window.get_by_role("button", name="Search").click()

    expect(window.get_by_text("is paid back within a week")).to_be_visible()
    end("documents")


def test_a_key_is_made_and_revoked(window: Page, stage: Stage, mark: str, end: End) -> None:
    window.on("dialog", lambda dialog: dialog.accept())
    window.goto(f"{stage.url}/keys/")
    window.get_by_label("Key name").fill(f"app {mark}")
    window.get_by_role("button", name="Create key").click()
    expect(window.locator("#key")).to_contain_text("rk_")
    end("keys")

    window.get_by_role("button", name=f"Revoke app {mark}").click()

    expect(window.get_by_role("status")).to_have_text("Key revoked.")
    assert ApiKey.objects.get(name=f"app {mark}").revoked_at is not None


def test_an_operator_is_invited_and_joins(
    window: Page, desk: Desk, stage: Stage, mark: str, end: End, screenshots: Path | None
) -> None:
    email = f"{mark.replace(' ', '-')}@example.org"
    window.goto(f"{stage.url}/operators/")
    window.get_by_label("Email address").fill(email)
    window.get_by_role("button", name="Invite").click()
    end("invited")
    guest = desk.open(None)
    guest.goto(window.locator("#link").inner_text())
    expect(guest.get_by_text(email)).to_be_visible()
    assert list(glance(guest, f"task-invitation-{mark}", screenshots)) == []
    guest.get_by_label("Name").fill(f"Noa {mark}")
    for field in ("Password", "Repeat the password"):
        guest.get_by_label(field, exact=True).fill("a phrase of my own")
    guest.get_by_role("button", name="Join").click()
    expect(guest.get_by_role("navigation", name="Main")).to_be_visible()
    window.goto(f"{stage.url}/operators/")

    row = window.get_by_role("row").filter(has_text=email)
    row.get_by_label(f"Role of {email}").select_option("editor")
    row.get_by_role("button", name="Change").click()

    expect(window.get_by_role("status")).to_have_text(f"{email} is now editor.")
    end("operators")


def test_who_did_what_is_found_and_taken_along(window: Page, stage: Stage, mark: str, end: End) -> None:
    companion(stage, f"seen {mark}")
    window.goto(f"{stage.url}/audit/")
    window.get_by_label("Action", exact=True).fill("companion created")
    window.get_by_role("button", name="Filter").click()
    expect(window.get_by_text("Companion created").first).to_be_visible()
    end("audit")

    with window.expect_download() as download:
        window.get_by_role("link", name="Export as CSV").click()

    assert "companion.created" in Path(download.value.path()).read_text()


def failed(stage: Stage, model: OpenAIServer, name: str, text: str) -> Relationship:
    """A relationship whose only turn the model refused."""
    person = stage.relationship(name, stage.mole)
    model.clear()
    model.push({"status": 400, "message": "Unsupported language.", "always": True})
    stage.talk(person, text)
    model.clear()
    return person


def companion(stage: Stage, name: str) -> Companion:
    slug = name.replace(" ", "-")
    return create_companion(project_id=stage.project.id, slug=slug, name=name.capitalize(), by=BY)

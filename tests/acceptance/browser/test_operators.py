"""Signing in, what becomes of an old session, and erasing for good."""

import re
from pathlib import Path

from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from memory.models import ScratchpadEntry
from relationships.models import EndUser, Message, Role
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.looks import look
from tests.acceptance.browser.stage import Stage


def test_an_operator_signs_in_and_out(desk: Desk, stage: Stage) -> None:
    window = desk.open(None)
    window.goto(f"{stage.url}/turns/")
    expect(window.get_by_role("heading", name="Sign in")).to_be_visible()

    desk.sign_in(window, Role.EDITOR)
    expect(window.get_by_role("heading", name="Turns")).to_be_visible()
    window.get_by_role("button", name="Sign out").click()

    expect(window.get_by_role("heading", name="Sign in")).to_be_visible()


def test_an_operator_is_removed_after_a_question(desk: Desk, stage: Stage) -> None:
    window = desk.open()
    window.goto(f"{stage.url}/operators/")
    window.get_by_label("Email address").fill("gone@example.org")
    window.get_by_role("button", name="Invite").click()
    remove = window.get_by_role("button", name="Remove gone@example.org")

    window.once("dialog", lambda dialog: dialog.dismiss())
    remove.click()
    expect(remove).to_be_visible()
    window.once("dialog", lambda dialog: dialog.accept())
    remove.click()

    expect(window.get_by_role("status")).to_have_text("Operator removed.")
    expect(remove).to_have_count(0)


def test_a_second_try_erases_what_the_first_one_asked_for(desk: Desk, stage: Stage) -> None:
    zora = stage.relationship("Zora")
    stage.remember(zora, "Has a cat")
    window = desk.open(width=390)
    window.goto(stage.page_of(zora, "data/"))
    everywhere = window.get_by_label("Zora everywhere in this project")
    expect(everywhere).to_have_accessible_description(re.compile("1 person, 1 relationship, .*1 entry"))

    everywhere.check()
    for typed in ("Zola", "Zora"):
        window.get_by_label("To confirm, type Zora").fill(typed)
        window.get_by_role("button", name="Erase permanently").click()
        if typed == "Zola":
            expect(window.get_by_text("The name doesn't match.")).to_be_visible()

    expect(window.get_by_role("status")).to_have_text("The person and all data about them were erased.")
    assert not EndUser.objects.filter(id=zora.user_id).exists()


def test_a_session_that_ended_leads_to_the_sign_in_page_and_back(desk: Desk, stage: Stage) -> None:
    ines = stage.relationship("Ines")
    stage.remember(ines, "Has a cat")
    window = desk.open(None)
    window.goto(stage.page_of(ines))
    desk.sign_in(window, Role.EDITOR)
    expect(window.get_by_text("Has a cat")).to_be_visible()
    cookie = next(found for found in window.context.cookies() if found["name"] == "sessionid")
    Session.objects.filter(session_key=cookie["value"]).delete()

    window.get_by_role("link", name="Edit: Has a cat").click()

    expect(window.get_by_role("heading", name="Sign in")).to_be_visible()
    desk.sign_in(window, Role.EDITOR)
    expect(window.get_by_role("heading", level=1)).to_have_text("Ines and Ada")


def test_what_was_typed_outlives_the_session(desk: Desk, stage: Stage) -> None:
    """It is sent after the sign-in; and at once where the sign-in was in another tab."""
    olga = stage.relationship("Olga")
    stage.remember(olga, "Has a cat")
    window = desk.open(None)
    window.goto(stage.page_of(olga))
    desk.sign_in(window, Role.EDITOR)
    content = window.get_by_role("textbox", name="Content")
    window.get_by_role("link", name="Edit: Has a cat").click()
    content.fill("Has a cat, thought of for an hour")
    window.context.clear_cookies(name="sessionid")

    window.get_by_role("button", name="Save").click()
    expect(window.get_by_role("alert")).to_contain_text("Your session has ended")
    desk.sign_in(window, Role.EDITOR)
    window.get_by_role("button", name="Send now").click()
    expect(window.get_by_role("status")).to_have_text("Entry saved.")
    assert stage.contents(olga) == {"Has a cat, thought of for an hour"}

    window.reload()  # without the notice
    window.get_by_role("link", name="Edit: Has a cat").click()
    content.fill("Has a dog")
    other = window.context.new_page()
    other.goto(f"{stage.url}/")
    other.get_by_role("button", name="Sign out").click()
    desk.sign_in(other, Role.EDITOR)
    window.get_by_role("button", name="Save").click()
    expect(window.get_by_role("status")).to_have_text("Entry saved.")
    assert stage.contents(olga) == {"Has a dog"}


def test_an_upload_after_the_session_ended_leads_to_the_sign_in_page(desk: Desk, stage: Stage) -> None:
    window = desk.open(None)
    window.goto(f"{stage.url}/companions/{stage.ada.id}/documents/")
    desk.sign_in(window, Role.EDITOR)
    window.context.clear_cookies(name="sessionid")

    window.get_by_label("File").set_input_files({"name": "a.md", "mimeType": "text/plain", "buffer": b"Hi"})
    window.get_by_role("button", name="Upload").click()

    window.wait_for_url("**/sign-in/?next=**/documents/")


def test_an_entry_is_erased_and_what_still_holds_its_words_is_ticked(
    desk: Desk, stage: Stage, screenshots: Path | None
) -> None:
    edda = stage.relationship("Edda")
    stage.talk(edda, "I live in Lisbon.", "Lisbon is loud today.", "What a day!")
    entry = ScratchpadEntry.objects.for_relationship(edda.id).get(content__contains="Lisbon")
    window = desk.open(width=390)
    window.goto(stage.page_of(edda, f"entries/{entry.id}/"))

    window.get_by_role("link", name="Erase permanently").click()
    window.get_by_role("button", name="Erase permanently").click()
    expect(window.get_by_role("status")).to_contain_text("The entry is erased.")
    assert list(look(window, "entry-erased", screenshots)) == []
    window.get_by_role("button", name="Redact selected").click()
    expect(window.get_by_role("alert")).to_have_text("Select the messages to redact.")
    window.get_by_label("Select all").check()
    window.get_by_role("button", name="Redact selected").click()

    expect(window.get_by_role("status")).to_contain_text("redacted.")
    texts = Message.objects.for_relationship(edda.id).exclude(content="").values_list("content", flat=True)
    assert not [text for text in texts if "Lisbon" in text]
    assert "What a day!" in texts

"""Who may do what: signing in, keys, erasing; what a viewer is spared, and what becomes of an old session."""

import re
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from memory.models import ScratchpadEntry
from relationships.models import ApiKey, EndUser, Message, Relationship, Role
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


def test_who_guesses_passwords_has_to_wait(desk: Desk, stage: Stage) -> None:
    window = desk.open(None)
    for _ in range(5):
        window.goto(stage.sign_in_page())
        window.get_by_label("Email address").fill("guessed@example.org")
        window.get_by_label("Password").fill("wrong")
        window.get_by_role("button", name="Sign in").click()
        expect(window.get_by_role("alert")).to_be_visible()

    expect(window.get_by_role("alert")).to_contain_text("Wait 5 minutes")


def test_a_key_is_made_shown_once_and_revoked(desk: Desk, stage: Stage) -> None:
    window = desk.open()
    window.goto(f"{stage.url}/keys/")

    window.get_by_label("Key name").fill("the app")
    window.get_by_role("button", name="Create key").click()
    key = window.locator("#key").inner_text()
    status = window.request.get(
        f"{stage.service.web.url}/v1/companions", headers={"Authorization": f"Bearer {key}"}
    ).status
    assert status == 200

    window.goto(f"{stage.url}/keys/")
    assert key not in window.content()
    window.on("dialog", lambda dialog: dialog.accept())
    window.get_by_role("button", name="Revoke the app").click()
    expect(window.get_by_role("row").filter(has_text="the app")).to_contain_text("revoked")
    assert ApiKey.objects.get(name="the app").revoked_at is not None


def test_a_person_is_erased_once_their_name_is_typed(desk: Desk, stage: Stage) -> None:
    zoe = stage.relationship("Zoe")
    stage.remember(zoe, "Has a cat")
    window = desk.open()
    window.goto(stage.page_of(zoe, "data/"))

    for typed in ("Zoo", "Zoe"):
        window.get_by_label("To confirm, type Zoe").fill(typed)
        window.get_by_role("button", name="Erase permanently").click()
        if typed == "Zoo":
            expect(window.get_by_text("The name doesn't match.")).to_be_visible()

    expect(window.get_by_role("status")).to_have_text("The relationship was erased.")
    assert not Relationship.objects.filter(id=zoe.id).exists()


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

    expect(window.get_by_role("status")).to_have_text(
        "The person and all data about them were erased."
    )
    assert not EndUser.objects.filter(id=zora.user_id).exists()


def test_somebody_is_let_in_as_a_viewer(desk: Desk, stage: Stage) -> None:
    window = desk.open()
    window.goto(f"{stage.url}/operators/")

    window.get_by_label("Email address").fill("new@example.org")
    window.get_by_label("Role", exact=True).select_option("viewer")
    window.get_by_label("Password (for a new account)").fill("a long pass phrase")
    window.get_by_role("button", name="Let in").click()

    expect(window.get_by_role("status")).to_have_text("new@example.org is in.")


BUTTONS_OF_ALL = {"Sign out", "Dark", "Light", "Search", "Show", "Copy", "Go there"}


def test_a_viewer_sees_no_button_that_changes_anything(desk: Desk, stage: Stage) -> None:
    yara = stage.relationship("Yara")
    stage.remember(yara, "Has a cat")
    window = desk.open(Role.VIEWER)
    pages = [
        *(stage.page_of(yara, part) for part in ("", "conversation/", "context/", "profile/", "data/")),
        *(f"{stage.url}/{part}/" for part in ("companions", "playground", "turns", "keys", "operators")),
        f"{stage.url}/companions/{stage.ada.id}/",
        f"{stage.url}/companions/{stage.ada.id}/prompt/",
        f"{stage.url}/companions/{stage.ada.id}/documents/",
    ]
    for page in pages:
        window.goto(page)
        seen = {button.strip() for button in window.get_by_role("button").all_inner_texts()}
        assert seen <= BUTTONS_OF_ALL, page
        expect(window.get_by_role("link", name="Edit")).to_have_count(0)


@pytest.mark.parametrize("token", ["theirs", "none"])
def test_a_forged_request_of_a_viewer_is_refused(desk: Desk, stage: Stage, token: str) -> None:
    """With the token of their own page it is their role that refuses them, without one the token's lack."""
    person = stage.relationship(f"Vic {token}")
    entry = stage.remember(person, "Has a cat")[0]
    window = desk.open(Role.VIEWER)
    window.goto(stage.page_of(person))

    sent: dict[str, str | float | bool] = {}
    if token == "theirs":
        sent["csrfmiddlewaretoken"] = csrf_token(window)
    answer = window.request.post(stage.page_of(person, f"entries/{entry.id}/delete/"), form=sent)

    assert answer.status == 403
    assert stage.contents(person) == {"Has a cat"}


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


def csrf_token(window: Page) -> str:
    token: str = window.locator("[name=csrfmiddlewaretoken]").first.input_value()
    return token


def test_an_entry_is_erased_and_what_still_holds_its_words_is_ticked(
    desk: Desk, stage: Stage, screenshots: Path
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
    window.get_by_label("all of these").check()
    window.get_by_role("button", name="Redact selected").click()

    expect(window.get_by_role("status")).to_contain_text("redacted.")
    texts = Message.objects.for_relationship(edda.id).exclude(content="").values_list("content", flat=True)
    assert not [text for text in texts if "Lisbon" in text]
    assert "What a day!" in texts

"""The chat of the playground: with a provider that fails, while it polls, and after the session has ended."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from relationships.models import Companion, Message, Role
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import NASTY, Stage
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until


@pytest.fixture
def parrot(stage: Stage, model: OpenAIServer) -> Iterator[Companion]:
    """A companion whose replies the test scripts."""
    config = {"context": {"provider": "openai"}, "ingestion": {"provider": "offline"}}
    kept, _ = Companion.objects.get_or_create(
        project=stage.project, slug="parrot", defaults={"name": "Parrot", "config": config}
    )
    yield kept
    model.clear()


def chat_with(window: Page, stage: Stage, companion: Companion) -> None:
    window.goto(f"{stage.url}/playground/?name={companion.slug}")
    window.get_by_role("button", name=f"Chat with {companion.name}").click()
    expect(field_of(window)).to_be_focused()


def field_of(window: Page) -> Locator:
    return window.get_by_role("textbox", name="Your message")


def turns_of(companion: Companion) -> list[str]:
    """What was said to it."""
    said = Message.objects.filter(relationship__companion=companion, role="user")
    return list(said.order_by("relationship", "seq").values_list("content", flat=True))


@pytest.mark.parametrize(
    ("fails", "said"),
    [
        # without a time, it would hold back the next test
        ({"status": 429, "message": "Slow down.", "retry_after": 0}, "Slow down."),
        ({"status": 401, "message": "No such key."}, "No such key."),
        ({"raw": "<h1>Hello</h1>"}, "gave no reply"),
        ({"drop": True}, "gave no reply"),
    ],
    ids=["rate limited", "key refused", "garbage", "dropped"],
)
def test_a_reply_that_fails_is_said_and_the_message_stays(
    desk: Desk, stage: Stage, model: OpenAIServer, parrot: Companion, fails: dict[str, object], said: str
) -> None:
    before = turns_of(parrot)
    window = desk.open()
    chat_with(window, stage, parrot)
    model.push({**fails, "always": True})

    window.keyboard.type("Hello?")
    window.keyboard.press("Enter")

    expect(window.locator("#talk").get_by_role("alert")).to_contain_text(said)
    expect(field_of(window)).to_have_value("Hello?")
    expect(field_of(window)).to_be_focused()
    assert turns_of(parrot) == before


def test_a_message_whose_reply_failed_is_sent_again_and_leaves_the_field(
    desk: Desk, stage: Stage, model: OpenAIServer, parrot: Companion
) -> None:
    window = desk.open()
    chat_with(window, stage, parrot)
    model.push({"status": 401})
    window.keyboard.type("Hello?")
    window.keyboard.press("Enter")
    expect(window.locator("#talk").get_by_role("alert")).to_be_visible()
    model.push({"text": "At last."})

    window.keyboard.press("Enter")

    expect(window.get_by_text("At last.")).to_be_visible()
    expect(field_of(window)).to_have_value("")


def test_what_is_typed_meanwhile_stays_and_markup_is_text(
    desk: Desk, stage: Stage, model: OpenAIServer, parrot: Companion
) -> None:
    window = desk.open()
    chat_with(window, stage, parrot)
    model.push({"pieces": [f"One {NASTY}", "<img src=x onerror=alert(1)>", " two", " three."], "pause": 0.7})
    window.keyboard.type("Talk.")
    window.keyboard.press("Enter")
    expect(window.locator(".bubble.assistant").last).to_contain_text("One <script>alert(1)</script>")

    window.keyboard.type("And then?")
    wait_until(lambda: turns_of(parrot)[-1:] == ["Talk."], what="the reply to be over")
    expect(window.get_by_text("no changes").last).to_be_visible()  # replaced, with what came of it

    expect(window.locator(".bubble.assistant").last).to_contain_text(
        "<img src=x onerror=alert(1)> two three."
    )
    expect(field_of(window)).to_have_value("And then?")
    expect(field_of(window)).to_be_focused()


def test_a_message_that_is_sent_twice_at_once_is_said_once(
    desk: Desk, stage: Stage, model: OpenAIServer, parrot: Companion
) -> None:
    before = turns_of(parrot)
    window = desk.open()
    chat_with(window, stage, parrot)
    model.push({"text": "Once.", "delay": 1})
    field_of(window).fill("Twice?")

    window.get_by_role("button", name="Send").dblclick()
    window.keyboard.press("Enter")

    expect(window.get_by_text("Once.")).to_be_visible()
    expect(window.get_by_role("button", name="Send")).to_be_enabled()
    assert turns_of(parrot) == [*before, "Twice?"]
    window.get_by_role("link", name="View memory").click()
    window.go_back()
    expect(field_of(window)).to_have_value("")


def signed_in_alone(desk: Desk, role: Role) -> Page:
    """A session of its own, which the test ends."""
    window = desk.open(None)
    desk.sign_in(window, role)
    return window


def sign_out_elsewhere(window: Page, stage: Stage) -> None:
    tab = window.context.new_page()
    tab.goto(f"{stage.url}/keys/")
    tab.get_by_role("button", name="Sign out").click()
    expect(tab.get_by_label("Password")).to_be_visible()
    tab.close()


def test_a_message_that_is_sent_after_the_session_ended_is_kept_and_sent_after_signing_in(
    desk: Desk, stage: Stage, model: OpenAIServer, parrot: Companion
) -> None:
    window = signed_in_alone(desk, Role.EDITOR)
    chat_with(window, stage, parrot)
    sign_out_elsewhere(window, stage)
    model.push({"text": "Welcome back."})

    window.keyboard.type("Am I still here?")
    window.keyboard.press("Enter")

    expect(window.get_by_role("alert")).to_contain_text("Your session has ended")
    expect(window.locator("#talk")).to_have_count(0)
    desk.sign_in(window, Role.EDITOR)
    expect(window.locator(".said", has_text="Am I still here?")).to_be_visible()
    window.get_by_role("button", name="Send now").click()
    expect(window.get_by_text("Welcome back.")).to_be_visible()


def test_parts_that_ask_again_after_the_session_ended_lead_to_the_sign_in_page(
    desk: Desk, stage: Stage, parrot: Companion
) -> None:
    window = signed_in_alone(desk, Role.EDITOR)
    chat_with(window, stage, parrot)
    sign_out_elsewhere(window, stage)

    window.evaluate("htmx.trigger('#talk', 'poll')")

    expect(window).to_have_url(re.compile(r"/sign-in/\?next=.*playground"))
    expect(window.get_by_label("Password")).to_have_count(1)


def test_a_draft_of_a_prompt_is_kept_when_the_session_ended(desk: Desk, stage: Stage) -> None:
    petra, paula = (stage.relationship(name) for name in ("Petra", "Paula"))
    for person in (petra, paula):
        stage.talk(person, "I like tea.")
    window = signed_in_alone(desk, Role.EDITOR)
    window.goto(f"{stage.url}/companions/{stage.ada.id}/prompt/")
    window.get_by_role("textbox", name="Template").fill("Keep what I drafted for an hour.")
    sign_out_elsewhere(window, stage)

    window.get_by_label("Past turns of").select_option(label="Petra (id of Petra)")

    expect(window.get_by_role("alert")).to_contain_text("Your session has ended")
    desk.sign_in(window, Role.EDITOR)
    window.get_by_role("button", name="Send now").click()
    expect(window.get_by_role("textbox", name="Template")).to_have_value("Keep what I drafted for an hour.")
    expect(window.get_by_label("Past turns of")).to_have_value(str(petra.id))


def test_the_page_of_an_error_does_not_stand_in_a_part_of_another(
    desk: Desk, stage: Stage, parrot: Companion
) -> None:
    window = desk.open()
    chat_with(window, stage, parrot)
    page = "<html><body><main>Somebody broke it</main></body></html>"
    window.route("**/playground/*/", lambda route: route.fulfill(status=500, body=page))

    window.evaluate("htmx.trigger('#talk', 'poll')")

    expect(window.locator("#notices")).to_contain_text("Something went wrong (500).")
    expect(field_of(window)).to_be_visible()
    expect(window.get_by_text("Somebody broke it")).to_have_count(0)
    desk.complaints.clear()  # the browser's own, of the status

"""What a newcomer comes for, each within so many clicks from the overview on. To go to a field counts, to choose in a
list does; typing not.

Nobody is told where things are: each way follows what the pages say. That Ctrl+K finds, each of them says.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from relationships.models import EndUser
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import Stage
from tests.vendor_servers.openai_server import OpenAIServer

DELETES = {"op": "delete", "entry": 1, "messages": [1], "reason": "no longer"}


class Newcomer:
    def __init__(self, window: Page, stage: Stage, model: OpenAIServer) -> None:
        self.window, self.stage, self.model, self.clicks = window, stage, model, 0

    def starts(self) -> None:
        self.window.goto(f"{self.stage.url}/")

    def finds(self, name: str) -> None:
        """By keyboard alone: as every page says that one may."""
        self.starts()
        expect(self.window.locator(".find-link")).to_have_text("Find Ctrl K")
        self.window.keyboard.press("Control+k")
        self.window.keyboard.type(name)
        self.window.keyboard.press("Enter")
        expect(self.window.get_by_role("heading", level=1)).to_contain_text(name)

    def click(self, name: str, *, inside: str = "main") -> None:
        """The first thing that begins with this: a link, a button, a choice or a fold."""
        here, begins = self.window.locator(inside), re.compile(f"^{re.escape(name)}")
        found = here.locator("summary", has_text=begins)
        for role in ("link", "button", "radio"):
            found = found.or_(here.get_by_role(role, name=begins))
        self._counted(found.first).click()

    def type_into(self, label: str, text: str) -> None:
        """Where the focus is already."""
        expect(self.window.get_by_label(label, exact=True)).to_be_focused()
        self.window.keyboard.press("ControlOrMeta+a")
        self.window.keyboard.type(text)

    def fill(self, label: str, text: str) -> None:
        self._counted(self.window.get_by_label(label, exact=True)).fill(text)

    def choose(self, label: str, option: str) -> None:
        self._counted(self.window.get_by_role("combobox", name=label, exact=True)).select_option(label=option)

    def sees(self, text: str | re.Pattern[str], *, inside: str = "main") -> None:
        expect(self.window.locator(inside).get_by_text(text).locator("visible=true").first).to_be_visible()

    def _counted(self, found: Locator) -> Locator:
        self.clicks += 1
        return found


def why_does_it_believe_that(she: Newcomer) -> None:
    una = she.stage.relationship("Clicks Una")
    she.stage.talk(una, "I live in Porto.", days_ago=0)
    she.starts()
    she.click("Clicks Una and Ada")
    she.click("Lives in Porto")
    she.sees("I live in Porto.", inside="mark")


def fix_an_entry(she: Newcomer) -> None:
    bea = she.stage.relationship("Clicks Bea")
    she.stage.remember(bea, "Has a cat")
    she.finds("Clicks Bea")
    she.click("Edit: Has a cat")
    she.type_into("Content", "Has a dog")
    she.click("Save")
    she.sees("Entry saved.")
    assert she.stage.contents(bea) == {"Has a dog"}


def undo_the_workers_deletion(she: Newcomer) -> None:
    hal = she.stage.relationship("Clicks Hal", she.stage.mole)
    she.stage.remember(hal, *(f"Has a sister called Ana {number}" for number in range(8)))
    she.model.push({"json": {"operations": [DELETES]}})
    she.stage.talk(hal, "My sister came by.", days_ago=0)
    assert len(she.stage.contents(hal)) == 7
    she.finds("Clicks Hal")
    she.click("Conversation")
    she.click("Restore")
    she.sees("Entry restored.")
    assert len(she.stage.contents(hal)) == 8


def the_prompt_of_a_turn(she: Newcomer) -> None:
    she.stage.talk(she.stage.relationship("Clicks Paul"), "I collect clicks and stamps.")
    she.starts()
    she.click("Turns", inside="nav")
    she.click("I collect clicks and stamps.")
    she.sees("I collect clicks and stamps.", inside="details[open] pre")


def what_was_shown_before_that_reply(she: Newcomer) -> None:
    she.stage.chat(she.stage.relationship("Clicks Fay"), "I live in Faro.")
    she.finds("Clicks Fay")
    she.click("Conversation")
    she.click("Context shown")
    she.sees("Context shown to")


def compare_a_changed_prompt_on_ten_past_turns(she: Newcomer) -> None:
    rob = she.stage.relationship("Clicks Rob")
    she.stage.talk(rob, *(f"I like dish {number}." for number in range(12)))
    she.finds("Ada")
    she.click("Prompt")
    she.fill("Template", "Keep only allergies.")
    she.choose("Past turns of", "Clicks Rob (id of Clicks Rob)")
    she.sees("I like dish 11.")
    expect(she.window.locator("input[name=turn]:checked")).to_have_count(10)
    she.click("Compare")
    she.sees("Identical")


def as_it_was_on_a_date(she: Newcomer) -> None:
    mia = she.stage.relationship("Clicks Mia")
    she.stage.talk(mia, "I live in Porto.", days_ago=40)
    she.stage.talk(mia, "I moved to Lisbon.", days_ago=3)
    she.finds("Clicks Mia")
    she.click("Time travel")
    she.fill("Date", f"{datetime.now(UTC) - timedelta(days=20):%Y-%m-%d}")
    she.sees("Lives in Porto", inside="section[aria-label=Then]")


def erase_a_person(she: Newcomer) -> None:
    eve = she.stage.relationship("Clicks Eve")
    she.finds("Clicks Eve")
    she.click("Data")
    she.click("Clicks Eve everywhere in this project")
    she.fill("To confirm, type Clicks Eve", "Clicks Eve")
    she.click("Erase permanently")
    she.sees("The person and all data about them were erased.")
    assert not EndUser.objects.filter(id=eve.user_id).exists()


def the_cost_of_a_companion_by_week(she: Newcomer) -> None:
    ned = she.stage.relationship("Clicks Ned", she.stage.mole)
    she.model.push({"json": {"operations": []}})
    she.stage.talk(ned, "Tea is nice.", days_ago=0)
    she.starts()
    she.choose("Period", "last 90 days")
    tokens = she.window.locator("section").filter(
        has=she.window.get_by_role("heading", name="Tokens by companion")
    )
    expect(tokens).to_contain_text("Mole")
    expect(tokens.locator("svg g")).to_have_count(13)
    expect(tokens.locator("svg title").last).to_have_text(re.compile(r"^week of \d+ \w+: .*\d+ Mole"))
    cost = she.window.locator("section").filter(
        has=she.window.get_by_role("heading", name="Cost by companion")
    )
    expect(cost.locator("svg g")).to_have_count(13)
    expect(cost.locator("svg title").last).to_have_text(re.compile(r"^week of \d+ \w+: .*[1-9]\S* Mole"))
    cost.locator("svg g").last.hover()
    she.sees(re.compile(r"^week of \d+ \w+: .*[1-9]\S* Mole"))


def the_start_of_a_two_year_conversation(she: Newcomer) -> None:
    lea = she.stage.relationship("Clicks Lea")
    for number in range(50):
        said = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=15 * number)
        she.stage.service.say(lea, f"This is letter {number}.", at=said)
    she.finds("Clicks Lea")
    she.click("Conversation")
    she.click("Start")
    she.sees("This is letter 0.")


@pytest.mark.parametrize(
    ("task", "budget"),
    [
        (why_does_it_believe_that, 2),
        (fix_an_entry, 2),
        (undo_the_workers_deletion, 2),
        (the_prompt_of_a_turn, 2),
        (what_was_shown_before_that_reply, 2),
        (compare_a_changed_prompt_on_ten_past_turns, 4),
        (as_it_was_on_a_date, 2),
        (erase_a_person, 4),
        (the_cost_of_a_companion_by_week, 1),
        (the_start_of_a_two_year_conversation, 2),
    ],
)
def test_a_newcomer_needs_few_clicks(
    desk: Desk, stage: Stage, model: OpenAIServer, task: Callable[[Newcomer], None], budget: int
) -> None:
    model.clear()
    newcomer = Newcomer(desk.open(width=1280), stage, model)

    task(newcomer)

    assert newcomer.clicks <= budget

"""Parts that ask again by themselves: as long as somebody looks, and without holding anything up."""

from typing import Literal

from playwright.sync_api import Page, Request, expect

from tests.acceptance.browser.desk import MILLISECONDS, Desk
from tests.acceptance.browser.stage import Stage
from tests.waiting import wait_until

HIDE = "Object.defineProperty(document, 'hidden', {{configurable: true, get: () => {hidden}}})"


def test_a_live_part_asks_no_more_once_its_tab_is_hidden(desk: Desk, stage: Stage) -> None:
    stage.remember(stage.relationship("Ottokar"), "Likes tea.")  # an empty project has other things to show
    window = desk.open()
    asked, answered = heard(window, "request"), heard(window, "requestfinished")
    window.clock.install()
    window.goto(f"{stage.url}/")
    expect(window.get_by_text("worker running")).to_be_visible()

    seen = polls(window, asked, answered, seconds=13)
    window.evaluate(HIDE.format(hidden="true"))
    unseen = polls(window, asked, answered, seconds=20)
    window.evaluate(HIDE.format(hidden="false"))
    seen_again = polls(window, asked, answered, seconds=6)

    assert seen >= 2
    assert unseen == 0
    assert seen_again >= 1


def test_a_live_part_asks_no_more_often_than_it_says(desk: Desk, stage: Stage) -> None:
    stage.remember(stage.relationship("Otmar"), "Likes tea.")
    window = desk.open()
    asked, answered = heard(window, "request"), heard(window, "requestfinished")
    window.clock.install(time=0)
    window.goto(f"{stage.url}/")
    expect(window.get_by_text("worker running")).to_be_visible()
    window.clock.pause_at(600)  # no time passes but what the test lets pass
    polls(window, asked, answered, seconds=1)

    assert 3 <= polls(window, asked, answered, seconds=20) <= 5


def test_that_the_server_is_away_is_said_until_it_is_back(desk: Desk, stage: Stage) -> None:
    window = desk.open()
    window.clock.install()
    window.goto(f"{stage.url}/relationships/")
    away = window.get_by_text("The server can't be reached.")
    window.route("**/alarm/", lambda route: route.abort())
    window.clock.run_for(21_000)
    expect(away).to_be_visible()

    window.unroute("**/alarm/")
    window.clock.run_for(21_000)

    expect(away).to_have_count(0)
    desk.complaints.clear()  # the browser's own, that it was away


def test_open_pages_hold_no_thread_of_the_api(desk: Desk, stage: Stage) -> None:
    """As many pages as a browser with many tabs has, and each of them polls: the API answers meanwhile."""
    stage.remember(stage.relationship("Ottoline"), "Likes tea.")
    windows = [desk.open() for _ in range(12)]
    for window in windows:
        window.goto(f"{stage.url}/")
        expect(window.get_by_text("worker running")).to_be_visible()

    for _ in range(5):
        answer = windows[0].request.get(f"{stage.service.web.url}/readyz", timeout=MILLISECONDS)
        assert answer.status == 200


def heard(window: Page, event: Literal["request", "requestfinished"]) -> list[str]:
    """Filled with the address of each question how the workers are, as it is asked or answered."""
    addresses: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith("/status/"):
            addresses.append(request.url)

    window.on(event, note)
    return addresses


def polls(window: Page, asked: list[str], answered: list[str], *, seconds: int) -> int:
    """How often the page asks while so many seconds pass for it. Each answer is awaited: none asks in its stead."""
    before = len(asked)

    def settled() -> bool:
        window.evaluate("0")  # lets the window's news come in
        return len(answered) == len(asked)

    for _ in range(seconds):
        window.clock.run_for(1000)
        wait_until(settled, timeout=10, what="the answer")
    return len(asked) - before

"""Forgetting by saying so, in the browser: the plan is a list to tick, wide and on a phone."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from memory.models import EntryRevision
from relationships.models import Message
from tests.acceptance.browser.desk import Desk
from tests.acceptance.browser.stage import Stage
from tests.vendor_servers.openai_server import OpenAIServer

WIDTHS = {"wide": 1280, "phone": 390}


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_a_plan_is_ticked_carried_out_and_undone(desk: Desk, stage: Stage, width: int) -> None:
    pia = stage.relationship(f"Pia {width}")
    pia.config = {"ingestion": {"provider": "offline"}}
    pia.save()
    stage.remember(pia, "Waits for ORD-17", "Waits for ORD-170", "Has a cat and drives a Volvo")
    window = desk.open()
    window.set_viewport_size({"width": width, "height": 900})
    window.goto(stage.page_of(pia))

    window.get_by_role("link", name="Forget …").click()
    window.get_by_label("What to forget").fill("ORD-17")
    window.get_by_role("button", name="Find matching items").click()
    expect(window.get_by_role("checkbox", name="Select: Waits for ORD-17", exact=True)).to_be_checked()
    expect(window.get_by_role("checkbox", name="Select: Waits for ORD-170", exact=True)).to_have_count(0)
    expect(window.get_by_label("Select all")).to_be_checked()
    window.get_by_role("checkbox", name="Select: Waits for ORD-17", exact=True).uncheck()
    expect(window.get_by_label("Select all")).not_to_be_checked()
    window.get_by_label("Select all").check()
    expect(window.get_by_role("checkbox", name="Select: Waits for ORD-17", exact=True)).to_be_checked()
    assert window.evaluate("document.documentElement.scrollWidth <= innerWidth")
    window.get_by_role("button", name="Forget selected").click()
    expect(window.get_by_role("status")).to_have_text("Done.")
    assert stage.contents(pia) == {"Waits for ORD-170", "Has a cat and drives a Volvo"}

    window.get_by_role("button", name="Undo").click()
    expect(window.get_by_role("status")).to_have_text("Undone.")
    assert "Waits for ORD-17" in stage.contents(pia)


def test_a_correction_that_fits_nothing_shows_what_was_looked_at(desk: Desk, stage: Stage) -> None:
    karl = stage.relationship("Karl")
    karl.config = {"ingestion": {"provider": "offline"}}
    karl.save()
    stage.remember(karl, "Has a cat")
    window = desk.open()
    window.goto(stage.page_of(karl, "correct/"))
    window.get_by_label("Incorrect fact").fill("that I live in Vienna")
    window.get_by_label("Correct fact", exact=True).fill("Lives in Graz")
    window.get_by_role("button", name="Find matching items").click()
    expect(window.get_by_role("alert")).to_contain_text("No entry says this")
    assert stage.contents(karl) == {"Has a cat"}


def test_from_the_playground_and_message_by_message(desk: Desk, stage: Stage, model: OpenAIServer) -> None:
    una = stage.relationship("Una of the playground")
    una.config = {"ingestion": {"provider": "offline"}}
    una.save()
    stage.remember(una, "Waits for ORD-17")
    stage.talk(una, "It is windy today.")
    window = desk.open()
    window.goto(f"{stage.url}/playground/{una.id}/")
    window.get_by_role("link", name="Forget …").click()
    window.get_by_label("What to forget").fill("ORD-17")
    window.get_by_role("button", name="Find matching items").click()
    window.get_by_role("button", name="Forget selected").click()
    expect(window.get_by_role("status")).to_have_text("Done.")
    assert stage.contents(una) == set()

    questions: list[str] = []
    agree_in(window, questions)
    window.goto(stage.page_of(una, "conversation/?from=0"))
    for verb, never in (
        ("Hide", {"hidden_at": None}),
        ("Show", {"hidden_at__isnull": False}),
        ("Erase", {"erased_at": None}),
    ):
        window.get_by_role("checkbox", name="Select: It is windy today.").check()
        window.get_by_role("button", name=f"{verb} selected").click()
        expect(window.get_by_role("status")).to_contain_text("1 message")
        assert not Message.objects.for_relationship(una.id).filter(role="user", **never).exists()
    assert len(questions) == 1 and "can't be undone" in questions[0]
    assert window.url.endswith("?from=0")


def test_what_a_plan_hid_is_erased_after_a_question(desk: Desk, stage: Stage) -> None:
    oda = stage.relationship("Oda who erases")
    oda.config = {"ingestion": {"provider": "offline"}}
    oda.save()
    stage.remember(oda, "Waits for ORD-17", "Has a cat")
    window = desk.open()
    questions: list[str] = []
    agree_in(window, questions)
    window.goto(stage.page_of(oda, "forget/"))
    window.get_by_label("What to forget").fill("ORD-17")
    window.get_by_role("button", name="Find matching items").click()
    window.get_by_role("button", name="Forget selected").click()
    window.get_by_role("button", name="Erase permanently").click()
    expect(window.get_by_role("status")).to_have_text("Erased, together with every copy.")
    assert len(questions) == 1 and "can't be undone" in questions[0]
    assert stage.contents(oda) == {"Has a cat"}
    assert not EntryRevision.objects.for_relationship(oda.id).filter(before__content__contains="ORD").exists()

    window.goto(stage.page_of(oda, "forget/"))
    window.get_by_label("What to forget").fill("the cat")
    window.get_by_label("Include hidden items, to erase them permanently").check()
    window.get_by_role("button", name="Find matching items").click()
    expect(window.get_by_label("Erase permanently, with every copy")).to_be_checked()


def agree_in(window: Page, questions: list[str]) -> None:
    """To each question from now on, which is written down."""

    def agree(dialog: Dialog) -> None:
        questions.append(dialog.message)
        dialog.accept()

    window.on("dialog", agree)

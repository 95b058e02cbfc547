import pytest
from django.test import Client
from django.urls import reverse

from tests.fakes import ScriptedProvider
from tests.fixtures.summaries import chat, name_birds, ready, summaries_of, summarise
from tests.fixtures.turns import Conversation


@pytest.fixture
def page(conversation: Conversation, scripted_provider: ScriptedProvider) -> str:
    scripted_provider.otherwise = name_birds
    chat(conversation, last=210)
    summarise(conversation)
    return reverse("admin_ui:relationship_summaries", args=[conversation.relationship.id])


def test_the_versions_are_shown_with_what_they_cover(owner: Client, page: str) -> None:
    shown = owner.get(page).content.decode()

    assert "Messages 1 to 200" in shown
    assert "number0001 number0002" in shown
    assert "shown in contexts" in shown


def test_an_edit_is_the_next_version(owner: Client, page: str, conversation: Conversation) -> None:
    summary = ready(conversation)[200]

    answer = owner.post(page, {"do": "edit", "summary": summary.id, "text": "Birds.\r\nMany."})

    assert answer.status_code == 302
    assert [(row.version, row.text) for row in summaries_of(conversation)][1] == (2, "Birds.\nMany.")
    again = owner.post(page, {"do": "edit", "summary": summary.id, "text": "Late"})
    assert again.status_code == 409
    assert "Version 2 of this summary" in again.content.decode()
    assert "<details open>" in again.content.decode() and ">Late</textarea>" in again.content.decode()


def test_one_is_made_now(owner: Client, page: str, conversation: Conversation) -> None:
    answer = owner.post(page, {"do": "make"})

    assert answer.status_code == 302
    assert summarise(conversation) == 1
    assert len(ready(conversation)[210].text.split()) == 210

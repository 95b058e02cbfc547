import re
from typing import Any

import pytest
from django.test import Client

from memory.models import ScratchpadEntry
from relationships.models import Message, Relationship, Role
from tests.fakes import ScriptedProvider
from tests.fixtures.markup import squeezed
from tests.fixtures.operators import Browser
from tests.fixtures.turns import Conversation, add, answer

SAID, LATER, LATEST = "I live in Vienna.", "Vienna is loud.", "The Vienna woods!"


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/"


@pytest.fixture
def entry(conversation: Conversation, scripted_provider: ScriptedProvider) -> ScratchpadEntry:
    """It rests on one message; two later ones hold its word."""
    scripted_provider.answer_with(answer(add("Lives in Vienna")))
    conversation.hear(SAID)
    conversation.say(LATER, LATEST)
    found: ScratchpadEntry = ScratchpadEntry.objects.get()
    return found


def left() -> list[str]:
    return list(Message.objects.filter(erased_at=None).order_by("seq").values_list("content", flat=True))


def boxes(answer: Any) -> list[str]:
    return re.findall(r'name="message" value="([0-9a-f-]+)"', squeezed(answer))


def test_an_erased_entry_leaves_a_list_to_tick(owner: Client, page: str, entry: ScratchpadEntry) -> None:
    asked = owner.get(f"{page}entries/{entry.id}/erase/")
    assert "Lives in Vienna" in asked.content.decode()
    assert ScratchpadEntry.objects.exists()

    shown = owner.post(f"{page}entries/{entry.id}/erase/", {"messages": "redact"})

    text = shown.content.decode()
    assert not ScratchpadEntry.objects.exists()
    assert left() == [LATER, LATEST]
    assert "2 messages still contain its words" in text
    assert LATER in text and LATEST in text and SAID not in text
    assert len(boxes(shown)) == 2


def test_what_is_ticked_is_redacted_and_the_rest_is_asked_again(
    owner: Client, page: str, entry: ScratchpadEntry
) -> None:
    listed = boxes(owner.post(f"{page}entries/{entry.id}/erase/"))
    ticked = str(Message.objects.get(content=LATER).id)

    again = owner.post(f"{page}messages/redact/", {"listed": listed, "message": [ticked]})

    assert left() == [LATEST]
    assert boxes(again) == [str(Message.objects.get(content=LATEST).id)]
    assert "1 message redacted." in again.content.decode()
    done = owner.post(
        f"{page}messages/redact/", {"listed": boxes(again), "message": boxes(again)}, follow=True
    )
    assert left() == []
    assert done.redirect_chain[-1][0] == f"{page}conversation/"


def test_who_ticks_nothing_keeps_the_list(owner: Client, page: str, entry: ScratchpadEntry) -> None:
    listed = boxes(owner.post(f"{page}entries/{entry.id}/erase/"))

    again = owner.post(f"{page}messages/redact/", {"listed": listed})

    assert again.status_code == 422
    assert "Select the messages to redact." in again.content.decode()
    assert set(boxes(again)) == set(listed)
    assert left() == [LATER, LATEST]


def test_the_conversation_can_be_kept(owner: Client, page: str, entry: ScratchpadEntry) -> None:
    shown = owner.post(f"{page}entries/{entry.id}/erase/", {"messages": "keep"})

    assert left() == [SAID, LATER, LATEST]
    assert len(boxes(shown)) == 3


def test_where_nothing_holds_it_any_more_that_is_said(
    owner: Client, page: str, conversation: Conversation
) -> None:
    [entry] = conversation.remember("Lives in Vienna")

    shown = owner.post(f"{page}entries/{entry.id}/erase/")

    assert "No other messages contain its words" in shown.content.decode()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_only_an_owner_may(signed_in: Browser, role: Role, page: str, entry: ScratchpadEntry) -> None:
    client = signed_in(role)

    assert "Erase permanently" not in client.get(f"{page}entries/{entry.id}/").content.decode()
    assert client.get(f"{page}entries/{entry.id}/erase/").status_code == 403
    assert client.post(f"{page}entries/{entry.id}/erase/").status_code == 403
    message = str(Message.objects.get(content=LATER).id)
    assert client.post(f"{page}messages/redact/", {"message": [message]}).status_code == 403
    assert len(left()) == 3 and ScratchpadEntry.objects.exists()


def test_no_message_of_another_relationship_is_emptied(
    owner: Client, page: str, entry: ScratchpadEntry, project: object
) -> None:
    other = Message.objects.get(content=LATER)
    elsewhere = page.replace(str(entry.relationship_id), "00000000-0000-7000-8000-000000000000")

    assert owner.post(f"{elsewhere}messages/redact/", {"message": [str(other.id)]}).status_code == 404
    assert len(left()) == 3

"""The turns of a project in which something was said."""

import html
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from admin_ui import turns
from memory.ingestion.intake import accept_turn
from providers.errors import Unauthorized
from relationships.models import Companion, Message, Turn
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.markup import squeezed
from tests.fixtures.people import meet, meet_elsewhere
from tests.fixtures.turns import Conversation, add, answer, delete

Find = Callable[[str], list[str]]
TURNS = "/admin-ui/turns/"


@pytest.fixture
def find(viewer: Client) -> Find:
    """The lines of the turns that the list shows for a query, newest first."""

    def lines(query: str) -> list[str]:
        shown = viewer.get(f"{TURNS}?{query}").content.decode()
        return [
            html.unescape(" ".join(re.sub("</?mark>", "", line).split()))
            for line in re.findall(r'dir="auto">(.*?)</a>\s*</td>', shown, re.DOTALL)
        ]

    return lines


def test_turns_are_found_by_words_in_any_spelling_among_those_that_fit_the_other_filters(
    find: Find, conversation: Conversation, companion: Companion
) -> None:
    other = Conversation(meet(companion))
    conversation.say("I met Zoë at 020-7946-0018.")
    other.say("Zoe has called.")
    conversation.say("I met nobody.", session="work")

    assert find("text=ZOE") == ["Zoe has called.", "I met Zoë at 020-7946-0018."]
    assert find("text=02079460018") == ["I met Zoë at 020-7946-0018."]
    assert find(f"text=zoe&person={other.relationship.user.external_id}") == ["Zoe has called."]
    assert find("text=zoe+met") == ["I met Zoë at 020-7946-0018."]
    assert find("text=met&state=failed") == [] == find("text=zo")


def test_the_tabs_of_states_keep_the_order(viewer: Client, conversation: Conversation) -> None:
    conversation.say("I met Zoë.")

    shown = squeezed(viewer.get(f"{TURNS}?order=-cost&reason=timeout"))

    assert '<a href="?state=failed&amp;reason=timeout&amp;order=-cost">' in shown


def test_the_line_is_that_of_the_message_in_which_it_was_said(
    viewer: Client, find: Find, conversation: Conversation
) -> None:
    conversation.say("Good morning.", "You saw <b>penguins</b>.")

    assert "<mark>penguins</mark>" in viewer.get(f"{TURNS}?text=penguins").content.decode()
    assert find("text=penguins") == ["You saw <b>penguins</b>."]
    assert find("") == ["Good morning."]


def test_neither_another_projects_words_nor_hidden_ones_are_found(
    find: Find, conversation: Conversation
) -> None:
    Conversation(meet_elsewhere()).say("A secret of theirs.")
    conversation.say("A secret of mine.")
    hidden = conversation.say("A secret that is hidden.")
    Message.objects.filter(turn_id=hidden.id).update(hidden_at=timezone.now())

    assert find("text=secret") == ["A secret of mine."]
    assert find("") == ["(hidden)", "A secret of mine."]


def test_where_the_persons_words_are_hidden_the_companions_are_told_as_its_own(
    viewer: Client, find: Find, conversation: Conversation
) -> None:
    said = [NewMessage("user", "I broke up with Rui."), NewMessage("assistant", "I am sorry.")]
    turn = accept_turn(relationship=conversation.relationship, new=NewTurn(said, timezone.now())).turn
    assert find("") == ["I broke up with Rui."]

    Message.objects.filter(turn_id=turn.id, role="user").update(hidden_at=timezone.now())

    assert re.sub("<[^>]+>", "", find("")[0]) == "Ada: I am sorry."


def test_a_turn_behind_one_that_was_tried_in_vain_says_the_next_try(
    viewer: Client, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer())
    conversation.hear("I like cake.")
    scripted_provider.answer_with(Unauthorized())
    tried = conversation.hear("I like tea.")
    conversation.say("And milk.")
    at = timezone.now() + timedelta(seconds=30)
    Turn.objects.filter(id=tried.id).update(due_at=at)

    shown = viewer.get(TURNS).content.decode()

    rows = re.findall(r"<tr>(.*?)</tr>", shown, re.DOTALL)
    assert [f'next try <time datetime="{at:%Y-%m-%dT%H:%M:%S}' in row for row in rows] == [
        False,
        True,
        True,
        False,
    ]
    assert [tried.error in row for row in rows] == [False, False, True, False], "why"


def test_a_skipped_turn_took_no_time(viewer: Client, conversation: Conversation) -> None:
    conversation.say("Thank you!")

    shown = squeezed(viewer.get(TURNS))

    assert '<span class="badge">skipped</span>' in shown
    assert ">took<" not in shown


def test_what_was_deleted_does_not_look_like_what_was_added(
    viewer: Client, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember(*(f"Has a dog named {name}" for name in ("Bo", "Max", "Rex", "Zoe", "Lu")))
    scripted_provider.answer_with(
        answer(add("Has a cat"), delete(conversation.number_of("Has a dog named Bo"))), answer()
    )
    conversation.hear("Bo ran away. We have a cat.")

    shown = squeezed(viewer.get(TURNS))

    assert '<span class="badge good">1 added</span><span class="badge bad">1 deleted</span>' in shown


def test_a_page_looks_through_so_much_and_goes_on_from_there_until_the_end(
    viewer: Client, conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.say("The needle.")
    for number in range(130):
        conversation.say(f"Hay number {number}.")
    monkeypatch.setattr(turns, "MOST_READ", 500)
    address, pages = f"{TURNS}?text=needle&state=", 0

    while address:
        with CaptureQueriesContext(connection) as asked:
            shown = squeezed(viewer.get(address))
        assert len(asked) <= 14
        later = re.search(r'<a href="([^"]*)">Search further back', shown)
        address, pages = f"{TURNS}{html.unescape(later[1])}" if later else "", pages + 1

    assert pages == 2 and "<mark>needle</mark>" in shown and ">1 more turn<" in shown

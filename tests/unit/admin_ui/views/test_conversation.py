import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from memory.mending import matching
from memory.models import ModelCall, ScratchpadEntry
from relationships.models import Message, Relationship, Turn, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.markup import squeezed
from tests.fixtures.people import meet_elsewhere
from tests.fixtures.turns import Conversation, add, answer, update


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/"


def test_each_turn_shows_what_it_changed(
    viewer: Client, page: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog")))
    conversation.say("I have a dog.")
    conversation.drain()

    shown = viewer.get(f"{page}conversation/").content.decode()

    assert "I have a dog." in shown
    assert "memory updated" in shown
    assert str(ScratchpadEntry.objects.get().id) in shown


def test_a_trace_shows_the_prompt_the_raw_answer_and_each_verdict(
    viewer: Client, page: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog"), add("Has a cat", messages=[9])))
    turn = conversation.say("I have a <b>dog</b>.")
    conversation.drain()

    shown = viewer.get(f"{page}turns/{turn.id}/").content.decode()

    assert "rests on messages that were not shown" in shown
    assert "&quot;op&quot;" in shown
    assert "I have a &lt;b&gt;dog&lt;/b&gt;." in shown
    assert "Retry" not in shown


def test_an_update_is_shown_beside_what_the_entry_said_before(
    viewer: Client, page: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Is 34 years old")
    scripted_provider.answer_with(answer(update(1, "Is 35 years old")))
    turn = conversation.say("I turned 35.")
    conversation.drain()

    shown = viewer.get(f"{page}turns/{turn.id}/").content.decode()

    table = shown[shown.index("<table") : shown.index("</table>")]
    assert re.findall(r"<bdi>(.*?)</bdi>", table)[:2] == ["Is 34 years old", "Is 35 years old"]


def test_why_a_turn_failed_stands_before_what_was_said(
    viewer: Client, page: str, conversation: Conversation, relationship: Relationship
) -> None:
    turn = conversation.say("One of very many words.")
    fail(relationship, turn)

    shown = viewer.get(f"{page}turns/{turn.id}/").content.decode()

    assert shown.index("<strong>Unparsable answer:</strong>") < shown.index("One of very many words.")


def test_a_turn_that_was_tried_often_shows_the_newest_tries_and_how_many_there_were(
    viewer: Client, page: str, conversation: Conversation, relationship: Relationship
) -> None:
    turn = conversation.say("I have a dog.")
    for number in range(21):
        ModelCall(
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            purpose="ingestion",
            turn_ids=[turn.id],
            provider="x",
            prompt=f"Try {number}.",
            milliseconds=1,
        ).save(force_insert=True)

    shown = viewer.get(f"{page}turns/{turn.id}/").content.decode()

    assert "Showing the newest 20 of 21 model calls." in shown
    assert "call 1 of 21" not in shown and "call 2 of 21" in shown and "call 21 of 21" in shown
    assert re.findall(r"Try \d+\.", shown) == [f"Try {number}." for number in range(1, 21)]


def fail(relationship: Relationship, *turns: Turn, code: str = "unparsable_answer") -> None:
    owned = Turn.objects.for_relationship(relationship.id).filter(id__in=[turn.id for turn in turns])
    owned.update(state=TurnState.FAILED, error_code=code)


@pytest.mark.parametrize(
    "offered_at", ["{page}turns/{turn}/", "/admin-ui/turns/?state=failed"], ids=["its own page", "the list"]
)
def test_one_failed_turn_is_retried(
    editor: Client,
    page: str,
    conversation: Conversation,
    relationship: Relationship,
    offered_at: str,
) -> None:
    one, two = conversation.say("One."), conversation.say("Two.")
    fail(relationship, one, two)
    retry, address = f"{page}turns/{one.id}/retry/", offered_at.format(page=page, turn=one.id)
    shown = editor.get(address).content.decode()
    form = shown[shown.index(f'action="{retry}"') :]
    names = re.search(r'name="next" value="([^"]+)"', form[: form.index("</form>")])

    assert editor.post(retry, {"next": names[1]} if names else {})["Location"] == address

    assert [conversation.again(turn).state for turn in (one, two)] == [TurnState.PENDING, TurnState.FAILED]


@pytest.mark.parametrize(
    ("query", "button", "retried"),
    [
        ("?state=failed", "Retry all failed", 2),
        ("?state=failed&reason=key+refused", "Retry these", 1),
        ("?state=failed&text=one", "Retry these", 1),
    ],
)
def test_the_failed_turns_of_the_list_and_no_others_are_retried_at_once(
    editor: Client,
    conversation: Conversation,
    relationship: Relationship,
    query: str,
    button: str,
    retried: int,
) -> None:
    one, two = conversation.say("One."), conversation.say("Two.")
    fail(relationship, one, code="unauthorized")
    fail(relationship, two)
    page = f"/admin-ui/turns/{query}"
    shown = editor.get(page).content.decode()
    assert button in shown
    assert "API key refused</span>" in shown
    assert ("unparsable answer</span>" in shown) is (retried == 2)

    said = editor.post(page, follow=True).content.decode()

    assert f"Retrying {retried} turn" in said
    assert conversation.again(one).state == TurnState.PENDING
    assert (conversation.again(two).state == TurnState.PENDING) is (retried == 2)


@pytest.fixture
def two_years(conversation: Conversation) -> list[Turn]:
    """Sixty turns, one in twelve days, each year a session of its own."""
    began = datetime(2024, 1, 1, 9, tzinfo=UTC)
    return [
        conversation.say(
            f"This is number {number}.",
            at=began + timedelta(days=12 * number),
            session=f"year {number // 31}",
        )
        for number in range(60)
    ]


def numbers(page: str) -> list[int]:
    return [int(number) for number in re.findall(r"This is number (\d+)\.", page)]


PLACES: list[tuple[str, int, int, list[str]]] = [
    ("", 40, 59, ["before=40"]),  # the newest
    ("?from=0", 0, 19, ["after=19"]),
    ("?before=#40", 20, 39, ["before=20", "after=39"]),
    ("?after=#39", 40, 59, ["before=40"]),
    ("?at=2024-12-20", 30, 49, ["before=30", "after=49"]),
    ("?at=2031-01-01", 40, 59, ["before=40"]),  # to come
    ("?at=soon", 40, 59, ["before=40"]),
    ("?at=0001-01-01T00:00%2B23:59", 40, 59, ["before=40"]),
    ("?session=year+1", 31, 50, ["before=31", "after=50"]),
]


def test_a_long_conversation_is_read_from_any_place(viewer: Client, page: str, two_years: list[Turn]) -> None:
    seqs = {turn.seq: number for number, turn in enumerate(two_years)}
    for query, first, last, leads_to in PLACES:
        asked = re.sub(r"#(\d+)", lambda found: str(two_years[int(found[1])].seq), query)
        shown = viewer.get(f"{page}conversation/{asked}").content.decode()

        assert numbers(shown) == list(range(first, last + 1)), query
        edges = [(way, int(seq)) for way, seq in re.findall(r'href="\?(before|after)=(\d+)"', shown)]
        assert [f"{way}={seqs[seq]}" for way, seq in edges] == leads_to, query


def test_more_of_a_conversation_comes_without_what_is_shown_already(
    viewer: Client, page: str, two_years: list[Turn]
) -> None:
    headers = {"HX-Request": "true", "HX-Target": "earlier"}
    shown = viewer.get(f"{page}conversation/?before={two_years[40].seq}", headers=headers).content.decode()

    assert numbers(shown) == list(range(20, 40))
    assert "Later turns" not in shown
    assert "<html" not in shown


def test_what_was_said_is_found_in_its_conversation(viewer: Client, page: str, two_years: list[Turn]) -> None:
    answer = viewer.get(f"{page}conversation/?q=NUMBER 7.")
    shown = answer.content.decode()

    assert "This is <mark>number 7</mark>." in shown
    assert shown.count("<mark>") == 1 and ">1 message<" in squeezed(answer)
    assert numbers(viewer.get(f"{page}conversation/?from={two_years[7].seq}").content.decode())[0] == 7


SPELLINGS = {
    "renee muller": "Ask <mark>Renée Müller</mark>, or",
    "02079460018": "dial <mark>020-7946-0018</mark> before",
    "+44 20 7946 0018": "dial <mark>020-7946-0018</mark> before",
    "movies": "about the <mark>movie</mark>.",
    "ORD-17": "No results.",
}


@pytest.mark.parametrize(("sought", "told"), SPELLINGS.items(), ids=SPELLINGS)
def test_words_are_found_in_any_spelling_and_identifiers_whole(
    viewer: Client, page: str, conversation: Conversation, sought: str, told: str
) -> None:
    conversation.say(
        "Ask Renée Müller, or dial 020-7946-0018 before ORD-170 about the movie.", "Renées Mull."
    )
    shown = viewer.get(f"{page}conversation/", {"q": sought}).content.decode()
    assert told in shown and shown.count("<mark>") == (told != "No results.")


@pytest.mark.parametrize("named", ["at=2026-05-01", "session=current"])
def test_going_to_a_date_or_session_leaves_the_search(
    viewer: Client, page: str, conversation: Conversation, named: str
) -> None:
    conversation.say("A tame walrus.")

    shown = viewer.get(f"{page}conversation/?q=cat&{named}").content.decode()

    assert "A tame walrus." in shown and 'value="cat"' not in shown


def test_a_search_goes_on_where_one_page_has_read_as_much_as_it_may(
    viewer: Client, page: str, conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.say("A tame walrus.")
    for _ in range(5):
        conversation.say(*(f"Letter {number} of the garden." for number in range(50)))
    monkeypatch.setattr(matching, "MOST_READ", 3000)

    first = viewer.get(f"{page}conversation/", {"q": "walrus"}).content.decode()
    [older] = re.findall(r'href="\?q=walrus&amp;before=(\d+)"', first)
    answer = viewer.get(f"{page}conversation/", {"q": "walrus", "before": older})
    second = answer.content.decode()

    assert "No results among the messages searched so far." in first
    assert "tame <mark>walrus</mark>" in second and "Search older messages" not in second
    assert ">1 more message<" in squeezed(answer)


def test_the_language_that_was_found_is_shown(
    viewer: Client, page: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    assert "Detected language" not in viewer.get(f"{page}conversation/").content.decode()
    conversation.say(
        "I have been living in Lisbon for three years now, and I like walking my dog at the beach."
    )

    assert "Detected language: English" in squeezed(viewer.get(f"{page}conversation/"))


def test_a_message_is_hidden_on_its_turns_page_and_shown_again_by_who_may_edit(
    editor: Client, viewer: Client, page: str, conversation: Conversation
) -> None:
    turn = conversation.say("My PIN is 1234.")
    said = Message.objects.get(turn_id=turn.id)
    trace, hide = f"{page}turns/{turn.id}/", f"{page}messages/{said.id}/"
    assert 'value="hide"' not in viewer.get(trace).content.decode()
    assert viewer.post(hide, {"do": "hide"}).status_code == 403

    hidden = squeezed(editor.post(hide, {"do": "hide", "next": trace}, follow=True))
    said.refresh_from_db()
    since = said.hidden_at
    shown = squeezed(editor.post(hide, {"do": "show", "next": trace}, follow=True))
    said.refresh_from_db()

    assert since and "Message hidden." in hidden and "Show again</button>" in hidden
    assert said.hidden_at is None and "Message shown again." in shown and ">Hide</button>" in shown
    elsewhere = editor.post(hide.replace(str(conversation.relationship.id), str(meet_elsewhere().id)))
    assert elsewhere.status_code == 404

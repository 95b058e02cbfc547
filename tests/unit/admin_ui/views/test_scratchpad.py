from uuid import UUID

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memory.entries.editing import revise_entry
from memory.entries.limits import MAX_TAGS
from memory.models import EntryState, ScratchpadEntry
from relationships.models import Companion, Message, Relationship
from tests.fixtures.markup import squeezed
from tests.fixtures.turns import PERSON, Conversation


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/"


@pytest.fixture
def entry(conversation: Conversation) -> ScratchpadEntry:
    return conversation.remember("Lives in Porto")[0]


def change_meanwhile(entry: ScratchpadEntry) -> None:
    values = {"content": "Lives in Faro"}
    revise_entry(relationship_id=entry.relationship_id, entry_id=entry.id, values=values, by=PERSON)


def now(entry: ScratchpadEntry) -> ScratchpadEntry:
    found: ScratchpadEntry = ScratchpadEntry.objects.for_relationship(entry.relationship_id).get(id=entry.id)
    return found


def action(page: str, entry: ScratchpadEntry, name: str) -> str:
    return f"{page}entries/{entry.id}/{name}/"


def form_of(entry: ScratchpadEntry, **changed: object) -> dict[str, object]:
    return {
        "content": entry.content,
        "type": entry.type,
        "importance": "0.5",
        "version": entry.version,
    } | changed


@pytest.mark.parametrize(
    "address", ["", "?order=type", "?state=any", "?type=nothing", "?text=%00", "?page=9&state=x"]
)
def test_any_address_gives_a_page(editor: Client, page: str, entry: ScratchpadEntry, address: str) -> None:
    assert editor.get(page + address).status_code == 200


def test_an_empty_memory_says_how_far_the_turns_have_come(
    viewer: Client, page: str, conversation: Conversation
) -> None:
    before = viewer.get(page).content.decode()
    conversation.say("Thank you!")
    conversation.say("I like tea.")
    conversation.say("And milk.")

    shown = squeezed(viewer.get(page))

    assert "They appear after the first turns" in before
    assert "No entries yet. Turns so far: 2 waiting, 1 skipped." in shown


def test_a_tag_of_any_name_is_shown(editor: Client, page: str, entry: ScratchpadEntry) -> None:
    ScratchpadEntry.objects.update(tags={"items": "tea", "keys": "two"})

    shown = editor.get(page).content.decode()

    assert "<bdi>items: tea</bdi>" in shown and "<bdi>keys: two</bdi>" in shown


@pytest.mark.parametrize(
    ("switch", "field", "value"),
    [("pinned", "pinned", True), ("read_only", "read_only", True), ("tier", "tier", "archive")],
)
def test_a_switch_is_switched(
    editor: Client, page: str, entry: ScratchpadEntry, switch: str, field: str, value: object
) -> None:
    editor.post(action(page, entry, "switch"), {"switch": switch, "version": 1})

    assert getattr(now(entry), field) == value


def test_an_entry_that_is_not_there_is_a_page_that_says_so(editor: Client, page: str) -> None:
    answer = editor.get(f"{page}entries/{UUID(int=7)}/")

    assert answer.status_code == 404
    assert "This entry does not exist" in answer.content.decode()


def test_two_entries_are_merged_and_the_other_can_come_back(
    editor: Client, page: str, conversation: Conversation
) -> None:
    kept, other = conversation.remember("Has a dog.", "It is called Bruno")
    turns = [conversation.say(said) for said in ("I have a dog.", "He is called Bruno.")]
    cited = [Message.objects.get(turn_id=turn.id).id for turn in turns]
    for entry, message in zip((kept, other), cited, strict=True):
        ScratchpadEntry.objects.filter(id=entry.id).update(source_message_ids=[message])

    ticked = {"do": "merge", "entry": [str(kept.id), str(other.id)], "next": f"{page}?type=other&text=a+dog"}
    answer = editor.post(f"{page}bulk/", ticked)

    assert answer["Location"].partition("?")[0] == action(page, kept, "edit")
    assert editor.get(answer["Location"]).context["next"] == ticked["next"]
    assert now(kept).content == "Has a dog; It is called Bruno"
    assert now(kept).source_message_ids == cited, "so that what is forgotten with it is found with it"
    assert now(other).state == EntryState.SUPERSEDED
    assert editor.post(f"{page}bulk/", {"do": "merge", "entry": [str(kept.id)]}).status_code == 409


def test_a_merged_entry_has_the_tags_of_both_of_equal_names_the_first(
    editor: Client, page: str, conversation: Conversation
) -> None:
    kept, other = conversation.remember("Has a dog.", "It is called Bruno")
    ScratchpadEntry.objects.filter(id=kept.id).update(tags={"pet": "dog"})
    more = {f"n{place}": "x" for place in range(MAX_TAGS - 1)}
    ScratchpadEntry.objects.filter(id=other.id).update(tags={"pet": "Bruno", **more})

    editor.post(f"{page}bulk/", {"do": "merge", "entry": [str(kept.id), str(other.id)]})

    assert now(kept).tags == {"pet": "dog", **more}


def test_a_merge_keeps_the_first_ones_tags_where_there_is_no_room_for_all(
    editor: Client, page: str, conversation: Conversation
) -> None:
    kept, other = conversation.remember("Has a dog.", "It is called Bruno")
    own, others = ({f"{name}{place}": "x" for place in range(MAX_TAGS - 1)} for name in "ab")
    ScratchpadEntry.objects.filter(id=kept.id).update(tags=own)
    ScratchpadEntry.objects.filter(id=other.id).update(tags=others)

    editor.post(f"{page}bulk/", {"do": "merge", "entry": [str(kept.id), str(other.id)]})

    assert own.items() < now(kept).tags.items() and len(now(kept).tags) == MAX_TAGS


def test_a_merge_that_would_be_too_long_leaves_both_as_they_are(
    editor: Client, page: str, conversation: Conversation
) -> None:
    kept, other = conversation.remember("a" * 4000, "b" * 4000)

    answer = editor.post(f"{page}bulk/", {"do": "merge", "entry": [str(kept.id), str(other.id)]})

    assert answer.status_code == 409 and "4096 bytes" in answer.content.decode()
    assert [now(entry).content for entry in (kept, other)] == ["a" * 4000, "b" * 4000]
    assert now(other).state == EntryState.ACTIVE and now(kept).version == 1


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("2026", "2026"),
        ("2026-03", "Mar 2026"),
        ("2026-03-04/2026-03-20", "4 Mar 2026 to 20 Mar 2026"),
    ],
)
def test_when_something_happens_is_shown_as_exactly_as_it_was_said(
    editor: Client, page: str, entry: ScratchpadEntry, said: str, shown: str
) -> None:
    revise_entry(
        relationship_id=entry.relationship_id, entry_id=entry.id, values={"happens_at": said}, by=PERSON
    )

    assert f"happens {shown}</span>" in editor.get(page).content.decode()
    history = editor.get(f"{page}entries/{entry.id}/").content.decode()
    assert f"happens: <bdi>none</bdi> → <bdi>{shown}</bdi>" in history


@pytest.mark.parametrize(
    ("tier", "said"),
    [
        ("scratchpad", "tokens, 2 entries; 1 in the archive"),
        ("archive", "1 entry in the archive, 2 in the scratchpad"),
    ],
)
def test_a_recipe_that_fills_the_archive_shows_the_archives_counts(
    viewer: Client, page: str, relationship: Relationship, conversation: Conversation, tier: str, said: str
) -> None:
    Companion.objects.filter(id=relationship.companion_id).update(config={"ingestion": {"tier": tier}})
    conversation.remember("Has a cat", "Has a dog")
    (fish,) = conversation.remember("Has a fish")
    revise_entry(relationship_id=relationship.id, entry_id=fish.id, values={"tier": "archive"}, by=PERSON)

    assert said in squeezed(viewer.get(page))


def test_a_search_among_many_entries_takes_no_more_statements_than_a_page_may(
    editor: Client,
    page: str,
    conversation: Conversation,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    conversation.remember(*(f"Likes tea number {number} and liking{number}" for number in range(120)))

    with django_assert_max_num_queries(12):
        shown = squeezed(editor.get(f"{page}?text=like"))

    assert "tea number 119 " in shown and "120 entries" in shown


@pytest.mark.parametrize(("path", "sent"), [("delete", {}), ("switch", {"switch": "pinned"})])
def test_what_was_changed_meanwhile_is_shown_as_it_stands_and_nothing_is_done(
    editor: Client, page: str, entry: ScratchpadEntry, path: str, sent: dict[str, str]
) -> None:
    change_meanwhile(entry)

    answer = editor.post(action(page, entry, path), {**sent, "version": "1", "next": page}, follow=True)

    shown = answer.content.decode()
    assert answer.redirect_chain[-1][0] == page
    assert "Somebody else changed this meanwhile" in shown and "Lives in Faro" in shown
    assert (now(entry).state, now(entry).pinned) == ("active", False)

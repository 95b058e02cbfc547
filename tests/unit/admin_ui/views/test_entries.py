import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.test import Client

from admin_ui.paging import PAGE_SIZE
from admin_ui.revision_history import MOST_CITED
from memory.entries.editing import delete_entry, revise_entry
from memory.entries.restoring import restore_entry
from memory.models import EntryRevision, EntryState, ScratchpadEntry
from relationships.models import Message, Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.markup import read_aloud, squeezed
from tests.fixtures.turns import PERSON, Conversation, add, answer, revise
from upkeep.erasure.entries import erase_entry
from web.actor import Actor, ActorKind


def history(entry: ScratchpadEntry) -> str:
    return f"/admin-ui/relationships/{entry.relationship_id}/entries/{entry.id}/"


def test_the_history_tells_what_changed_who_did_it_and_its_sources(
    viewer: Client,
    conversation: Conversation,
    relationship: Relationship,
    scripted_provider: ScriptedProvider,
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Porto")))
    conversation.say("I live in Porto.")
    conversation.drain()
    entry = ScratchpadEntry.objects.for_relationship(relationship.id).get()
    revise_entry(
        relationship_id=relationship.id,
        entry_id=entry.id,
        values={"content": "Lives in Lisbon"},
        by=PERSON,
        reason="told me on the phone",
    )

    page = viewer.get(history(entry)).content.decode()

    assert "<del>Porto</del><ins>Lisbon</ins>" in page
    assert "ana@example.org" in page
    assert "told me on the phone" in page
    assert "<mark>I live in Porto.</mark>" in page
    assert (
        f"turns/{EntryRevision.objects.for_relationship(relationship.id).order_by('seq')[0].turn_id}/" in page
    )


def test_the_history_tells_that_the_person_changed_it(viewer: Client, conversation: Conversation) -> None:
    entry = conversation.remember("Runs a marathon")[0]
    person = Actor(ActorKind.END_USER, str(conversation.relationship.user_id))
    delete_entry(relationship_id=entry.relationship_id, entry_id=entry.id, by=person)

    page = squeezed(viewer.get(history(entry)))

    assert "by the person,<time" in page
    assert person.id not in page


def test_the_history_tells_changed_fields_in_words(viewer: Client, conversation: Conversation) -> None:
    entry = conversation.remember("Runs a marathon")[0]
    moment = datetime(2027, 1, 2, 3, 4, tzinfo=UTC).astimezone(timezone(timedelta(hours=9)))
    changes = {"pinned": True, "happens_at": "2027-03", "expires_at": moment}
    revise_entry(relationship_id=entry.relationship_id, entry_id=entry.id, by=PERSON, values=changes)

    page = read_aloud(viewer.get(history(entry)))

    assert "pinned: no → yes; happens: none → Mar 2027; expires: none → 2 Jan 2027, 03:04" in page


def test_the_entry_and_its_history_tell_what_only_the_api_sets(
    viewer: Client, conversation: Conversation
) -> None:
    entry = conversation.remember("Runs a marathon")[0]
    revise(entry, tags={"team": "a/b", "of": "2"}, category="sport", metadata={"shoe": 42}, subject="Ana/Bo")
    revise(
        entry, tags={}, weight=2.5, modality="voice", key="sport", valid_from=datetime(2027, 1, 2, tzinfo=UTC)
    )

    page = read_aloud(viewer.get(history(entry)))

    told = (
        "about: user → Ana/Bo",
        "tags: none → of: 2, team: a/b",
        "category: none → sport",
        'metadata: none → {"shoe": 42}',
        "tags: of: 2, team: a/b → none",
        "modality: text → voice",
    )
    facts, _, changes = page.partition("History")
    assert not [line for line in told if line not in changes]
    now = (
        "sport",
        "key sport",
        "importance 0.5",
        "weight 2.5",
        "modality voice",
        "valid from 2 Jan",
        '"shoe": 42',
    )
    assert not [fact for fact in now if fact not in facts]


REVISE, DELETE, RESTORE = "revise", "delete", "restore"


def do(entry: ScratchpadEntry, *steps: str) -> None:
    where: dict[str, Any] = {"relationship_id": entry.relationship_id, "entry_id": entry.id, "by": PERSON}
    for step in steps:
        if step == REVISE:
            revise_entry(**where, values={"content": "Lives in Lisbon"})
        else:
            (delete_entry if step == DELETE else restore_entry)(**where)


@pytest.mark.parametrize(
    ("steps", "state", "said"),
    [
        ([REVISE], EntryState.ACTIVE, "Entry restored."),
        ([DELETE], EntryState.ACTIVE, "Entry restored."),
        ([], EntryState.DELETED, "Entry deleted: it did not exist before that change."),
        ([DELETE, RESTORE], EntryState.DELETED, "Entry deleted"),
    ],
    ids=["an edit", "a deletion", "the first change", "a restoring"],
)
def test_the_last_change_is_undone_in_one_click(
    editor: Client, conversation: Conversation, steps: list[str], state: EntryState, said: str
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    do(entry, *steps)
    owned = EntryRevision.objects.for_relationship(entry.relationship_id)
    before = owned.order_by("-seq")[0]

    shown = editor.post(f"{history(entry)}undo/{before.seq}/", follow=True).content.decode()

    assert said in shown
    assert (f"{history(entry)}restore/" in shown) is (state == EntryState.DELETED)
    entry.refresh_from_db()
    assert (entry.state, entry.content) == (state, "Lives in Porto")
    assert owned.count() > len(steps) + 1, "an undo is a change of its own"


def test_a_step_is_not_undone_on_a_page_that_shows_an_older_version(
    editor: Client, conversation: Conversation
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    opened = editor.get(history(entry)).content.decode()
    form = re.search(r'action="([^"]+/undo/\d+/)".*?name="version" value="(\d+)"', opened, re.DOTALL)
    assert form
    do(entry, REVISE)

    shown = editor.post(form[1], {"version": form[2], "next": history(entry)}, follow=True).content.decode()

    assert "Somebody else changed this meanwhile" in shown
    entry.refresh_from_db()
    assert (entry.state, entry.version) == (EntryState.ACTIVE, int(form[2]) + 1)


def test_each_step_that_changed_something_has_its_undo(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    do(entry, REVISE)
    assert editor.get(history(entry)).content.decode().count("/undo/") == 2

    do(entry, DELETE)

    # The first step's would delete what is gone already.
    assert editor.get(history(entry)).content.decode().count("/undo/") == 2


def test_a_step_that_is_not_there_is_said(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]

    assert editor.post(f"{history(entry)}undo/99/").status_code == 404


def test_of_an_erased_entry_no_page_is_left(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    erase_entry(relationship_id=relationship.id, entry_id=entry.id, by=PERSON)

    shown = editor.get(history(entry))

    assert shown.status_code == 404
    assert "Porto" not in shown.content.decode()


def test_what_helps_with_a_field_is_found_by_its_name(editor: Client, relationship: Relationship) -> None:
    shown = editor.get(f"/admin-ui/relationships/{relationship.id}/entries/").content.decode()

    named = re.findall(r'aria-describedby="([^"]+)"', shown)
    assert named
    assert all(f'id="{name}"' in shown for name in named)


def test_a_long_history_is_shown_in_pages_and_the_last_of_many_messages_it_cites(
    viewer: Client, conversation: Conversation
) -> None:
    turns = [conversation.say(*(f"Said {n}." for n in range(first, first + 30))) for first in (0, 30)]
    said = Message.objects.for_relationship(conversation.relationship.id).filter(
        turn_id__in=[t.id for t in turns]
    )
    [entry] = conversation.remember("Walks 0 km")
    ScratchpadEntry.objects.filter(id=entry.id).update(
        source_message_ids=list(said.order_by("seq").values_list("id", flat=True))
    )
    for number in range(PAGE_SIZE):
        revise(entry, content=f"Walks {number + 1} km")

    first, second = (squeezed(viewer.get(history(entry) + which)) for which in ("", "?page=2"))

    assert (first.count("<del>"), second.count("<del>")) == (PAGE_SIZE, 0)
    assert "?page=2" in first and "<ins>Walks 0 km" in second
    assert first.count("<mark>") == MOST_CITED and "cites 10 earlier messages" in first
    assert "Said 59." in first and "<mark>Said 9." not in first

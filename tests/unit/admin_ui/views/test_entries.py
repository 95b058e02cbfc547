from django.test import Client

from memory.models import EntryRevision, EntryState, ScratchpadEntry
from memory.services.entries import delete_entry, restore_entry, revise_entry
from memory.services.erasure import erase_entry
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import PERSON, Conversation, add, answer


def story(relationship: Relationship, entry: ScratchpadEntry) -> str:
    return f"/admin-ui/relationships/{relationship.id}/entries/{entry.id}/"


def test_the_story_tells_what_changed_who_did_it_and_what_it_rests_on(
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

    page = viewer.get(story(relationship, entry)).content.decode()

    assert "<del>Porto</del><ins>Lisbon</ins>" in page
    assert "ana@example.org" in page
    assert "told me on the phone" in page
    assert "<mark>I live in Porto.</mark>" in page
    assert (
        f"turns/{EntryRevision.objects.for_relationship(relationship.id).order_by('seq')[0].turn_id}/" in page
    )


def test_a_step_can_be_undone_in_one_click(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    revise_entry(
        relationship_id=relationship.id, entry_id=entry.id, values={"content": "Lives in Lisbon"}, by=PERSON
    )
    step = EntryRevision.objects.for_relationship(relationship.id).order_by("-seq")[0]

    editor.post(f"{story(relationship, entry)}undo/{step.seq}/")

    entry = ScratchpadEntry.objects.for_relationship(relationship.id).get(id=entry.id)
    assert (entry.content, entry.version) == ("Lives in Porto", 3)


def test_the_undo_of_a_deletion_brings_the_entry_back(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    delete_entry(relationship_id=relationship.id, entry_id=entry.id, by=PERSON)
    step = EntryRevision.objects.for_relationship(relationship.id).order_by("-seq")[0]

    editor.post(f"{story(relationship, entry)}undo/{step.seq}/")

    entry = ScratchpadEntry.objects.for_relationship(relationship.id).get(id=entry.id)
    assert (entry.state, entry.content) == (EntryState.ACTIVE, "Lives in Porto")


def test_the_undo_of_the_first_step_deletes_the_entry(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    step = EntryRevision.objects.for_relationship(relationship.id).get()

    said = editor.post(f"{story(relationship, entry)}undo/{step.seq}/", follow=True).content.decode()

    assert "Entry deleted: it did not exist before that change." in said
    assert f"{story(relationship, entry)}restore/" in said
    entry = ScratchpadEntry.objects.for_relationship(relationship.id).get(id=entry.id)
    assert entry.state == EntryState.DELETED


def test_the_undo_of_a_restoring_deletes_the_entry_again(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    delete_entry(relationship_id=relationship.id, entry_id=entry.id, by=PERSON)
    restore_entry(relationship_id=relationship.id, entry_id=entry.id, by=PERSON)
    step = EntryRevision.objects.for_relationship(relationship.id).order_by("-seq")[0]

    editor.post(f"{story(relationship, entry)}undo/{step.seq}/")

    entry = ScratchpadEntry.objects.for_relationship(relationship.id).get(id=entry.id)
    assert entry.state == EntryState.DELETED


def test_each_step_that_changed_something_has_its_undo(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    revise_entry(
        relationship_id=relationship.id, entry_id=entry.id, values={"content": "Lives in Lisbon"}, by=PERSON
    )
    assert editor.get(story(relationship, entry)).content.decode().count("/undo/") == 2

    delete_entry(relationship_id=relationship.id, entry_id=entry.id, by=PERSON)

    # The first step's would delete what is gone already.
    assert editor.get(story(relationship, entry)).content.decode().count("/undo/") == 2


def test_a_step_that_is_not_there_is_said(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]

    assert editor.post(f"{story(relationship, entry)}undo/99/").status_code == 404


def test_of_an_erased_entry_no_page_is_left(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    entry = conversation.remember("Lives in Porto")[0]
    erase_entry(relationship_id=relationship.id, entry_id=entry.id, by=PERSON)

    shown = editor.get(story(relationship, entry))

    assert shown.status_code == 404
    assert "Porto" not in shown.content.decode()

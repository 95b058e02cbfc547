"""Reading an export back: the same relationship elsewhere, or nothing at all."""

import json
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ
from hypothesis import HealthCheck, given, settings

from memory.entries.editing import revise_entry
from memory.entries.history import fields_of
from memory.errors import TooManyEntries
from memory.models import EntryRevision, ScratchpadEntry
from providers.errors import RateLimited
from relationships.models import (
    AuditEvent,
    Companion,
    Message,
    Relationship,
    SessionState,
    Snapshot,
    Turn,
)
from relationships.services.sessions import patch_session
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.archives import exported, imported
from tests.fixtures.index import configure, index_of, owing, told_to_embed
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation, add, answer, delete
from tests.unit.memory.entries.documents import comparable, documents
from upkeep.erasure.entries import erase_entry
from web.errors import InvalidConfiguration, NotFound


@pytest.fixture
def elsewhere(relationship: Relationship) -> Relationship:
    """An empty one."""
    return meet(relationship.companion)


@pytest.fixture
def lived(conversation: Conversation, scripted_provider: ScriptedProvider) -> Relationship:
    """Turns that were read and one that waits, an entry that was deleted, a session."""
    scripted_provider.answer_with(answer(add("Likes tea"), add("Has a cat")), answer(delete(1)))
    conversation.hear("I like tea.", "And my cat.")
    conversation.hear("Forget it.")
    conversation.say("Not read yet.", session="other", context={"recent_messages": 3})
    patch_session(
        relationship=conversation.relationship, session="other", patch={"mood": "good"}, idle_minutes=5
    )
    return conversation.relationship


def test_a_session_goes_on_counting_its_turns(lived: Relationship, elsewhere: Relationship) -> None:
    imported(exported(lived), elsewhere)

    told, taken = (
        dict(SessionState.objects.for_relationship(one.id).values_list("session", "turns"))
        for one in (lived, elsewhere)
    )
    assert taken == told and any(taken.values())


def test_what_was_imported_is_found_and_owes_its_vectors(
    lived: Relationship, elsewhere: Relationship
) -> None:
    configure(elsewhere, embedder="offline", embed_messages=True)

    imported(exported(lived), elsewhere)

    entries = ScratchpadEntry.objects.for_relationship(elsewhere.id)
    messages = Message.objects.for_relationship(elsewhere.id)
    assert {row["owner_id"] for row in index_of(elsewhere)} == {row.id for row in [*entries, *messages]}
    assert owing(elsewhere) == {row.id for row in [*entries.exclude(state="deleted"), *messages]}
    assert told_to_embed()[-1] == str(elsewhere.id)


def test_life_goes_on_after_the_import(
    lived: Relationship, elsewhere: Relationship, scripted_provider: ScriptedProvider
) -> None:
    """The turn that waited is read, numbers go on, entries can be changed."""
    imported(exported(lived), elsewhere)
    assert OrmQ.objects.exists()
    conversation = Conversation(Relationship.objects.get(id=elsewhere.id))
    scripted_provider.answer_with(answer(add("Reads on")), answer(add("And on")))

    conversation.drain()
    conversation.hear("More.")

    assert {"Reads on", "And on"} <= set(conversation.contents)
    entry = conversation.entries[0]
    revise_entry(relationship_id=elsewhere.id, entry_id=entry.id, values={"pinned": True}, by=TESTER)
    seqs = list(Turn.objects.for_relationship(elsewhere.id).order_by("id").values_list("seq", flat=True))
    assert len(set(seqs)) == len(seqs) == 4


def test_a_turn_that_waited_for_another_try_is_read_at_once_where_it_is_imported(
    conversation: Conversation, elsewhere: Relationship, scripted_provider: ScriptedProvider
) -> None:
    """What it waited for, such as a budget that renews tomorrow, was there: nobody here could say why it waits."""
    scripted_provider.answer_with(RateLimited("later", retry_after=500), answer(add("Likes tea")))
    waiting = conversation.hear("I like tea.")
    assert waiting.due_at is not None and waiting.due_at > timezone.now()
    imported(exported(conversation.relationship), elsewhere)
    there = Conversation(Relationship.objects.get(id=elsewhere.id))
    there.drain()

    assert there.contents == ["Likes tea"]


def test_erasing_is_thorough_where_an_import_came_without_what_models_were_asked(
    conversation: Conversation, elsewhere: Relationship, scripted_provider: ScriptedProvider
) -> None:
    """The numbers that operations cite can't be looked up: what the turn holds goes, rather than stay by mistake."""
    scripted_provider.answer_with(
        answer(add("Has a tattoo of a heron")), answer(add("Has a tattoo of a heron"))
    )
    conversation.hear("I wear a heron.")
    conversation.hear("A heron, did I say?")
    document = exported(conversation.relationship)
    imported({**document, "model_calls": []}, elsewhere)
    entry = ScratchpadEntry.objects.for_relationship(elsewhere.id).get()

    erase_entry(relationship_id=elsewhere.id, entry_id=entry.id, by=TESTER)

    assert "heron" not in json.dumps(exported(elsewhere))


def test_an_entry_from_elsewhere_begins_its_history_here(relationship: Relationship) -> None:
    document = {
        "format": "rapport.relationship",
        "version": 1,
        "entries": [{"type": "preference", "content": "Prefers tea", "source": "turn"}],
    }

    assert imported(document, relationship) == {"scratchpad_entry": 1}

    entry = ScratchpadEntry.objects.get()
    revision = EntryRevision.objects.get()
    assert (entry.content, entry.source, entry.version) == ("Prefers tea", "import", 1)
    assert (revision.event, revision.actor_kind, revision.reason) == ("add", "policy", "imported")
    assert revision.after == fields_of(entry)
    assert Snapshot.objects.get().scratchpad[0][2] == "Prefers tea"


def test_an_import_is_told_in_numbers(lived: Relationship, elsewhere: Relationship) -> None:
    counts = imported(exported(lived), elsewhere)

    event = AuditEvent.objects.get(action="relationship.imported")
    assert (event.target_id, event.detail) == (elsewhere.id, {"imported": counts, "calls_left_behind": 0})


def test_a_relationship_that_is_gone_takes_none(relationship: Relationship) -> None:
    document = exported(relationship)
    Relationship.objects.filter(id=relationship.id).delete()

    with pytest.raises(NotFound):
        imported(document, relationship)


def test_an_import_that_fails_writes_nothing(lived: Relationship, elsewhere: Relationship) -> None:
    document = exported(lived)
    document["turns"][-1]["config"] = {"ingestion": {"provider": "a provider nobody has"}}
    with pytest.raises(InvalidConfiguration, match=r"turns\.2\.config\.ingestion\.provider"):
        imported(document, elsewhere)

    elsewhere.refresh_from_db()
    assert (elsewhere.last_seq, elsewhere.version, elsewhere.timezone) == (0, 1, "UTC")
    assert not Message.objects.for_relationship(elsewhere.id).exists()


@pytest.mark.parametrize("own", [False, True], ids=["of the companion", "of the archive"])
def test_an_archive_may_hold_as_many_active_entries_as_the_limit_says(
    relationship: Relationship, own: bool
) -> None:
    entries = [{"type": "other", "content": f"Fact {number}"} for number in range(4)]
    entries[0] |= {"state": "deleted"}
    limit = {"ingestion": {"max_entries": 2}}
    document = {"format": "rapport.relationship", "version": 1, "entries": entries}
    if own:
        document["relationship"] = {"config": limit}
    else:
        relationship.companion.config = limit
        relationship.companion.save()

    with pytest.raises(TooManyEntries) as refused:
        imported(document, relationship)

    assert (refused.value.extra["limit"], refused.value.extra["count"]) == (2, 3)
    assert not ScratchpadEntry.objects.exists()
    assert imported({**document, "entries": entries[:3]}, relationship) == {"scratchpad_entry": 3}


@pytest.mark.django_db
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(document=documents())
def test_any_document_survives_the_way_in_and_out(companion: Companion, document: Any) -> None:
    elsewhere = meet(companion)

    imported(document, elsewhere)

    assert comparable(exported(elsewhere)) == comparable(document)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

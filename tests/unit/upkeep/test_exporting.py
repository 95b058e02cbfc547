"""What an export holds, and how it is read from the database."""

import json
import threading
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connection, connections
from django.db.models import Model
from pytest_django import DjangoAssertNumQueries

from behaviours.models import BehaviourRun
from chat.models import KeptContext, ToolCall
from connect.models import EventDelivery
from memory.models import (
    DecayedVector,
    Embedding,
    MendingPlan,
    OperationResult,
    Replay,
    ScratchpadEntry,
    SearchSegment,
    SearchText,
)
from relationships.models import (
    IdempotencyKey,
    Message,
    Relationship,
    RelationshipToken,
    SessionState,
    Snapshot,
    Turn,
)
from relationships.services.profiles import replace_profile
from relationships.services.sessions import patch_session
from summaries.models import Summary
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.archives import exported
from tests.fixtures.turns import Conversation, add, answer, update
from upkeep.archive.document import SHAPES, Archive
from upkeep.erasure.relationships import owned_models
from upkeep.exporting import export_relationship
from web.errors import NotFound

OWNERS = {"relationship_id", "project_id"}
WORKERS = {"lease_token", "lease_until", "leased_by"}
# Columns that are not exported, besides the owners: what follows from other columns, and what belongs to a worker.
LEFT_OUT: dict[type[Model], set[str]] = {
    SessionState: {"turns"},
    Turn: WORKERS | {"waiting_since", "waits_on", "traceparent"},
    Message: {"turn_id", "session"},  # those of its turn
    OperationResult: {"id", "turn_id", "number", "kind", "content_hash", "text", "erased"},
    ScratchpadEntry: {"content_hash"},
    BehaviourRun: WORKERS,
    Summary: WORKERS | {"first_seq", "last_seq"},  # follow from `messages`
}
# Secrets, keys of one day, trials of a prompt that last a week, what is built from the rest, and what this service's own
# models were shown and asked of it, which says nothing of the person that the rest does not.
# The workspace is taken along by git.
NOT_EXPORTED: set[type[Model]] = {
    *(model for model in owned_models() if model._meta.app_label == "workspace"),
    DecayedVector,
    Embedding,
    EventDelivery,
    IdempotencyKey,
    KeptContext,
    MendingPlan,
    RelationshipToken,
    Replay,
    SearchSegment,
    SearchText,
    Snapshot,
    ToolCall,
}


@pytest.fixture
def remembered(conversation: Conversation, scripted_provider: ScriptedProvider) -> Relationship:
    scripted_provider.answer_with(answer(add("Likes tea")), answer(update(1, "Likes green tea")))
    conversation.hear("I like tea.", "Really.")
    conversation.hear("Green tea.")
    conversation.say("Not read yet.")
    relationship = conversation.relationship
    replace_profile(relationship=relationship, data={"plan": "pro"}, by=TESTER)
    patch_session(relationship=relationship, session="s", patch={"mood": "good"}, idle_minutes=0)
    return relationship


def test_every_owned_table_is_exported_or_left_out_on_purpose() -> None:
    known = SHAPES.keys() | NOT_EXPORTED

    assert set(owned_models()) == known, (
        "Put a new table into the export and the import, or into NOT_EXPORTED."
    )


@pytest.mark.parametrize("model", list(SHAPES), ids=lambda model: model.__name__)
def test_the_document_has_every_column(model: type[Model]) -> None:
    nested = {"messages", "operations"} if model is Turn else set()
    columns = {field.attname for field in model._meta.concrete_fields}

    assert SHAPES[model].model_fields.keys() - nested == columns - OWNERS - LEFT_OUT.get(model, set())


def test_everything_is_in_it_and_fits_its_description(remembered: Relationship) -> None:
    document = exported(remembered, calls=False)

    archive = Archive.model_validate_json(json.dumps(document))
    assert [len(turn.messages) for turn in archive.turns] == [2, 1, 1]
    assert [turn.state for turn in archive.turns] == ["applied", "applied", "pending"]
    assert [entry.content for entry in archive.entries] == ["Likes green tea"]
    assert [revision.event for revision in archive.revisions] == ["add", "update"]
    assert archive.profile is not None and archive.profile.data == {"plan": "pro"}
    assert {session.session: session.state for session in archive.sessions} == {
        "current": {},
        "s": {"mood": "good"},
    }
    assert document["user"]["external_id"] == "maya" and document["companion"]["slug"] == "ada"
    assert document["turns"][0]["recorded_at"].endswith("Z")


def test_what_models_were_asked_is_in_it_when_asked_for(remembered: Relationship) -> None:
    assert "model_calls" not in exported(remembered, calls=False)
    assert [call["answer"] != "" for call in exported(remembered)["model_calls"]] == [True, True]


def test_a_turn_that_a_worker_holds_is_exported_as_waiting(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """The worker stays where it is: wherever the document is read back, the turn is owed again."""
    documents = []
    scripted_provider.while_answering = lambda _: documents.append(exported(conversation.relationship))
    scripted_provider.answer_with(answer(add("Likes tea")))

    conversation.hear("I like tea.")

    assert documents[0]["turns"][0]["state"] == "pending"
    assert documents[0]["turns"][0]["due_at"] is not None
    assert Archive.model_validate_json(json.dumps(documents[0]))


def test_a_relationship_that_is_not_there_is_named_so(db: None) -> None:
    with pytest.raises(NotFound):
        next(export_relationship(relationship_id=uuid4()))


def test_a_long_conversation_costs_no_more_queries_and_comes_in_pieces(
    conversation: Conversation, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        conversation.say(*[f"{number} " * 500] * 5)

    with django_assert_num_queries(17):
        pieces = list(export_relationship(relationship_id=conversation.relationship.id))

    assert len(pieces) > 2
    assert len(json.loads(b"".join(pieces))["turns"]) == 30
    assert max(map(len, pieces)) < 200_000


@pytest.mark.django_db(transaction=True)
def test_what_happens_meanwhile_is_not_in_it(remembered: Relationship, conversation: Conversation) -> None:
    """The whole document is of one moment: else an entry could miss its history."""
    pieces: Iterator[bytes] = export_relationship(relationship_id=remembered.id)
    replace_profile(relationship=remembered, data={"long": "x" * 100_000}, by=TESTER)
    begun = next(pieces)  # a first piece, as the profile alone is longer than one

    def meanwhile() -> None:
        conversation.say("Am I in it?")
        connections.close_all()

    speaker = threading.Thread(target=meanwhile)
    speaker.start()
    speaker.join(timeout=10)
    document = json.loads(begun + b"".join(pieces))

    assert len(document["turns"]) == 3
    assert Turn.objects.for_relationship(remembered.id).count() == 4
    assert not connection.in_atomic_block


@pytest.mark.django_db(transaction=True)
def test_a_reader_that_leaves_early_leaves_no_transaction_open(remembered: Relationship) -> None:
    replace_profile(relationship=remembered, data={"long": "x" * 100_000}, by=TESTER)
    pieces = export_relationship(relationship_id=remembered.id)
    next(pieces)

    assert connection.in_atomic_block
    pieces.close()  # type: ignore[attr-defined]

    assert not connection.in_atomic_block

from uuid import uuid4

import pytest
from django.utils import timezone

from memory.indexing.write import index_messages
from memory.models import SearchedKind
from memory.retrieval.configuration import Retrieval
from memory.retrieval.participants import Participants, read_participants
from relationships.errors import NotFound
from relationships.models import Relationship
from tests.fixtures.contexts import say


def read(relationship: Relationship, kind: SearchedKind) -> Participants:
    return read_participants(project_id=relationship.project_id, relationship_id=relationship.id, kind=kind)


def test_speakers_take_part_in_messages_and_not_in_entries(relationship: Relationship) -> None:
    messages = say(relationship, "Hello", "Hi", speaker="Tom")
    index_messages(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        messages=messages,
        retrieval=Retrieval(),
        now=timezone.now(),
    )

    assert read(relationship, SearchedKind.MESSAGE).names == ("Maya", "Ada", "Tom")
    assert read(relationship, SearchedKind.ENTRY).names == ("Maya", "Ada")


def test_a_relationship_of_another_project_is_not_there(relationship: Relationship) -> None:
    with pytest.raises(NotFound):
        read_participants(project_id=uuid4(), relationship_id=relationship.id, kind=SearchedKind.ENTRY)


def test_a_role_is_asked_about_by_the_name_behind_it() -> None:
    there = Participants("Maya", "Ada")
    assert there.is_asked_about("user", "What does Maya like?")
    assert there.is_asked_about("assistant", "What did Ada say?")
    assert there.is_asked_about("Sofia", "Where does Sofia live?")
    assert not there.is_asked_about("user", "What does the user like?")
    assert not there.is_asked_about("Sofia", "Where does she live?")

import pytest

from benchmarks.scale.place import Place
from benchmarks.scale.sample import check_sample
from relationships.models import Snapshot
from tests.fixtures.turns import Conversation

pytestmark = pytest.mark.usefixtures("account")


def place_of(conversation: Conversation) -> Place:
    relationship = conversation.relationship
    return Place(
        relationship.project_id, "key", [relationship.id, relationship.project_id], history_of_one_in=2
    )


def test_what_the_services_left_passes(conversation: Conversation) -> None:
    conversation.remember("Likes tea")

    check_sample(place_of(conversation))


def test_what_they_did_not_leave_so_is_told(conversation: Conversation) -> None:
    conversation.remember("Likes tea")
    Snapshot.objects.update(scratchpad=[])

    with pytest.raises(AssertionError, match="snapshots/differs: 1"):
        check_sample(place_of(conversation))


def test_only_those_with_their_history_are_looked_at(conversation: Conversation) -> None:
    assert place_of(conversation).with_history == [conversation.relationship.id]

"""Whatever a strategy proposes, replaying the history gives the list as it stands."""

from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from memory.entries.history import fields_of
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation
from memory.models import ScratchpadEntry
from relationships.ids import relationship_id
from relationships.models import Companion, EndUser, Project, Relationship
from tests.fixtures.past import entries_at
from tests.fixtures.turns import Conversation
from tests.plugins.strategies import ListedStrategy

OPS = st.sampled_from(["add", "key", "update", "replace", "delete", "none", "known"])
STRATEGY = "tests.plugins.strategies.ListedStrategy"


def operation(op: str, number: int, ingestion_input: IngestionInput) -> Operation | None:
    common: dict[str, Any] = {
        "messages": (1,),
        "raw": {"op": op},
        "type": "other",
        "content": f"Fact {number}",
    }
    if op == "key":
        return Operation("add", key="city", single_valued=True, **common)
    if op in ("add", "none"):
        return Operation(op, **common)
    if not ingestion_input.entries:
        return None
    return Operation(op, entry=1 + number % len(ingestion_input.entries), **common)


class NowIsThePresent(TestCase):
    @given(st.lists(st.tuples(OPS, st.integers(0, 4)), max_size=14))
    @examples(max_examples=15)
    def test_the_replay_of_now_equals_the_present(self, steps: list[tuple[str, int]]) -> None:
        conversation = Conversation(new_relationship())
        for op, number in steps:

            def propose(
                ingestion_input: IngestionInput, op: str = op, number: int = number
            ) -> list[Operation]:
                proposed = operation(op, number, ingestion_input)
                return [proposed] if proposed is not None else []

            ListedStrategy.proposals.append(propose)
            assert conversation.hear("Something.").state == "applied"

        rows = ScratchpadEntry.objects.for_relationship(conversation.relationship.id).newest_first()
        present = [fields_of(entry) for entry in rows]
        now = timezone.now()
        for times in ({"as_of": now, "known_at": None}, {"as_of": None, "known_at": now}):
            replayed = entries_at(
                relationship_id=conversation.relationship.id,
                project_id=conversation.relationship.project_id,
                now=now,
                **times,
            )
            assert [fields_of(entry) for entry in replayed] == present


def new_relationship() -> Relationship:
    project = Project.objects.create(name="Replay")
    config = {"ingestion": {"strategy": STRATEGY, "provider": "scripted"}}
    companion = Companion.objects.create(project=project, slug="ada", name="Ada", config=config)
    user = EndUser.objects.create(project=project, external_id="maya")
    pair = relationship_id(companion.id, user.id)
    return Relationship.objects.create(id=pair, project=project, companion=companion, user=user)


@pytest.mark.parametrize("op", ["replace", "update"])
def test_a_text_that_another_entry_has_is_not_there_twice(op: str, conversation: Conversation) -> None:
    companion = conversation.relationship.companion
    companion.config = {"ingestion": {"strategy": STRATEGY, "provider": "scripted"}}
    Companion.objects.filter(id=companion.id).update(config=companion.config)
    conversation.remember("Likes tea", "Likes coffee")
    ListedStrategy.proposals.append(
        lambda ingestion_input: [Operation(op, (1,), {"op": op}, entry=2, content="Likes tea", type="other")]
    )

    conversation.hear("It was tea.")

    assert conversation.contents == ["Likes tea"]
    assert conversation.revisions[-1].event == "merge"

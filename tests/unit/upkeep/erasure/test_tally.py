import pytest
from django.db.models import Model

from memory.models import ModelCall, ScratchpadEntry
from relationships.models import AuditEvent, Project, Turn
from upkeep.erasure.tally import Counts, table_name, tell
from web.actor import Actor


@pytest.mark.parametrize(
    ("model", "name"),
    [(ScratchpadEntry, "scratchpad_entry"), (ModelCall, "model_call"), (Turn, "turn")],
)
def test_a_table_is_called_by_its_noun(model: type[Model], name: str) -> None:
    assert table_name(model) == name


def test_tables_that_lost_nothing_are_not_told(project: Project) -> None:
    counts = Counts(turn=2, message=0)

    erasure = tell(
        project_id=project.id, level="user", target_id=project.id, by=Actor.policy("test"), counts=counts
    )

    assert erasure.counts == {"turn": 2}
    assert AuditEvent.objects.get().detail == {"erased": {"turn": 2}}

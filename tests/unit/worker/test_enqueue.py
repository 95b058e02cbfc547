from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_q.models import OrmQ

from relationships.ids import uuid7
from worker.enqueue import enqueue, enqueue_embedding

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("tell", "task"), [(enqueue, "drain"), (enqueue_embedding, "embed")])
def test_a_task_names_the_relationship_and_nothing_else(tell: Callable[..., None], task: str) -> None:
    relationship_id = uuid7()

    tell(relationship_id, project_id=uuid7())

    told = OrmQ.objects.get().task
    assert (told["func"], told["args"], told["kwargs"]) == (
        f"memory.tasks.{task}",
        (str(relationship_id),),
        {},
    )


def test_it_costs_one_statement() -> None:
    with CaptureQueriesContext(connection) as queries:
        enqueue(uuid7(), project_id=uuid7())

    assert len(queries) == 1

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from knowledge.models import Document
from relationships.models import Turn, TurnState
from tests.fixtures.queue import MakeTurn, held_by
from worker.models import QueuedRow
from worker.other_work import count_of, other_work
from worker.owed_rows import models_owing, question_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("fields", "owing"),
    [
        pytest.param({"due": -6}, {Turn}, id="due, and nobody came"),
        pytest.param(held_by("somebody"), {Turn}, id="held: perhaps by the dead"),
        pytest.param({"due": -4}, set(), id="just made"),
        pytest.param({"due": 60, "attempts": 1}, set(), id="waits for its next try"),
        pytest.param({"due_at": None}, set(), id="waits for its trigger"),
        pytest.param({"due": -60, "state": TurnState.FAILED}, set(), id="given up"),
    ],
)
def test_a_model_owes_while_a_row_is_held_or_overdue(
    fields: dict[str, Any], owing: set[type[QueuedRow]], make_turn: MakeTurn
) -> None:
    make_turn(**fields)

    assert models_owing((Turn, Document), timezone.now(), grace=5.0) == owing


@pytest.mark.parametrize(
    ("model", "statement"),
    [(one, question_of) for one in apps.get_models() if issubclass(one, QueuedRow)]
    + [(one, count) for one in other_work() for count in (count_of, partial(count_of, of_one=True))],
    ids=lambda value: getattr(value, "__name__", "of one"),
)
def test_it_is_asked_by_an_index_however_many_rows_owe_nothing(
    model: type[QueuedRow], statement: Callable[[type[QueuedRow]], str]
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        told: dict[str, Any] = {
            "now": timezone.now(),
            "grace": 5.0,
            "budget": "budget",
            "cap": 60.0,
            "limit": 10,
            "project": uuid4(),
        }
        cursor.execute(f"EXPLAIN {statement(model)}", told)
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert plan.count("Index") >= 2
    assert "Seq Scan" not in plan

from uuid import uuid4

import pytest
from django.db import connection

from relationships.models import Message, Project, Turn
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_mended, check_whole, problems, run, unguarded
from upkeep.verification import verify


@pytest.mark.parametrize("table", ["relationships_message", "memory_embedding", "memory_entryrevision"])
def test_rows_of_a_relationship_that_is_not_there_go(lived: Conversation, table: str) -> None:
    leave_orphan(table)

    check_mended(["owners/orphan"])

    assert lived.contents


@pytest.mark.parametrize("model", [Turn, Message])
def test_a_row_that_names_another_project_gets_that_of_its_relationship(
    lived: Conversation, model: type[Turn] | type[Message]
) -> None:
    other = Project.objects.create(name="Another")
    with unguarded():
        model._base_manager.update(project_id=other.id)

    check_mended(["owners/other_project"])

    assert {row.project_id for row in model._base_manager.all()} == {lived.relationship.project_id}


def test_rows_of_nobody_are_found_by_the_project_that_they_name(lived: Conversation) -> None:
    other = Project.objects.create(name="Another")
    leave_orphan("relationships_message")

    assert problems(verify(project_id=other.id)) == {}
    assert problems(verify(project_id=lived.relationship.project_id, repair=True)) == {"owners/orphan": 1}
    check_whole()


def leave_orphan(table: str) -> None:
    """A copy of a row, as of a relationship that nobody knows."""
    with connection.cursor() as cursor:
        described = connection.introspection.get_table_description(cursor, table)
    columns = ", ".join(column.name for column in described)
    values = columns.replace("relationship_id", "%s")
    with unguarded():
        run(f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} LIMIT 1", uuid4())

"""What a reply asks of the database."""

from typing import Any

import pytest
from django.db import connection

from relationships.ids import relationship_id
from relationships.models import EndUser, Relationship
from relationships.services import relationships
from tests.fixtures.chat import Chat
from tests.fixtures.distributed import DISTRIBUTED
from tests.wire import statements_sent

BLOCKS = 100  # of 8 KB: a few indexes, a few rows
PEOPLE = 300
# What was known of the tables when they were last looked at, with fewer in them: pages and rows.
COUNT = "UPDATE pg_class SET relpages = %s, reltuples = %s WHERE starts_with(relname, 'relationships_')"
LONG_ENOUGH = "I have been living in Lisbon for three years and work there as a nurse."


@pytest.fixture
def known(chat: Chat) -> Chat:
    """The process knows its key, and the conversation its language."""
    for said in (LONG_ENOUGH, LONG_ENOUGH, "Hi", "Hi"):
        assert chat.say(said).status == 200
    return chat


def test_three_statements_stand_before_the_question_and_nine_behind_the_reply(known: Chat) -> None:
    with statements_sent() as sent:
        known.say("What should I cook tonight?")

    first = next(place for place, line in enumerate(sent) if "SAVEPOINT" in line)
    assert (first, len(sent) - first) == (3, 9), sent  # with those that begin and end the transaction


@pytest.mark.skipif(
    DISTRIBUTED, reason="the plan of a distributed query does not count the blocks of its nodes"
)
@pytest.mark.parametrize("counted", [(0, -1), (1, 0), (1, 1), (40, 5)])
def test_somebody_is_found_among_many_before_the_database_has_counted_them(
    known: Chat, counted: tuple[int, int]
) -> None:
    maya = Relationship.objects.get()
    with connection.cursor() as cursor:
        cursor.execute(COUNT, counted)
    people = EndUser.objects.bulk_create(
        EndUser(project_id=maya.project_id, external_id=f"person {number}") for number in range(PEOPLE)
    )
    Relationship.objects.bulk_create(
        Relationship(
            id=relationship_id(maya.companion_id, person.id),
            project_id=maya.project_id,
            companion_id=maya.companion_id,
            user=person,
        )
        for person in people
    )
    told: dict[str, Any] = {
        "project": maya.project_id,
        "companion": "ada",
        "user": "maya",
        "relationship": maya.id,
    }

    for statement in (relationships._PAIR, relationships._BY_ID[False]):
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", told)
            ((plan,),) = cursor.fetchall()[0]
        assert plan["Plan"]["Shared Hit Blocks"] < BLOCKS, plan

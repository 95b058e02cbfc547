"""One tenant floods the queue: another's single turn is read after a few of its turns, not after all of them."""

import pytest

from relationships.models import Companion, Relationship, Turn
from relationships.services.projects import create_project
from tests.acceptance.drills.talk import only_long
from tests.acceptance.service import TESTER, LiveService
from tests.fixtures.people import meet
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = [pytest.mark.drill, only_long]

FLOOD = 5000
READERS = 2
# What the readers are at, what their processes hold for the first that is free, what the pool has in its hands already (the
# queue_limit and one more), and one that stands beside the newcomer.
MOST_BEFORE = READERS + READERS + 3 + 1
ONE_BY_ONE = {"ingestion": {"max_batch": 1}}


def somebody_else() -> Relationship:
    """Of a project of its own."""
    project = create_project(name="Another", by=TESTER)
    return meet(Companion.objects.create(project=project, slug="eve", name="Eve", config=ONE_BY_ONE))


@pytest.mark.parametrize(
    "relationships",
    [
        pytest.param(FLOOD, id="in as many relationships"),
        pytest.param(READERS, id="in a relationship for each reader"),
    ],
)
def test_a_flood_of_one_project_does_not_keep_anothers_turn_waiting(
    relationships: int, drilled: LiveService, model: OpenAIServer
) -> None:
    model.latency = 0.2
    drilled.companion_config = {**drilled.companion_config, **ONE_BY_ONE}
    people = drilled.new_relationships(relationships)
    for number in range(FLOOD):
        drilled.say(people[number % relationships], f"fact {number}")
    flood = Turn.objects.filter(project_id=drilled.project.id, state="applied")
    drilled.start_worker(RAPPORT_WORKERS=str(READERS), RAPPORT_READERS="1")
    wait_until(lambda: flood.count() >= 3, timeout=30, what="the flood to be read")

    single = drilled.say(somebody_else(), "a single fact")
    drilled.wait_until_settled([single], timeout=60)

    single.refresh_from_db()
    assert single.state == "applied"
    before = flood.filter(settled_at__range=(single.recorded_at, single.settled_at)).count()
    assert before <= MOST_BEFORE

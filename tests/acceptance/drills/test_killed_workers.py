"""kill -9 of any worker process at any moment: every turn is applied exactly once, in order."""

import random

import pytest

from relationships.models import Relationship, Turn
from tests.acceptance.drills.talk import require_each_applied_once_in_order, scaled
from tests.acceptance.processes import LiveWorker
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

RELATIONSHIPS = scaled(4, 10)
TURNS = scaled(48, 200)
KILLS = scaled(4, 16)


def wait_for(goal: int) -> None:
    """Until so many turns are applied."""
    applied = Turn.objects.filter(state="applied")
    wait_until(lambda: applied.count() >= goal, timeout=90, what=f"{goal} turns")


def kill_someone(worker: LiveWorker, chance: random.Random) -> None:
    """A reader, the maintenance process, or one of django-q2's own processes, whatever it is doing just now."""
    victims = [*worker.readers(), *worker.readers(), *worker.cluster(), *worker.maintenance_processes()]
    chance.choice(victims).kill()


def talk_to_all(live: LiveService) -> list[Relationship]:
    """TURNS turns, one after the other round the relationships."""
    people = live.new_relationships(RELATIONSHIPS)
    for number in range(TURNS):
        live.say(people[number % RELATIONSHIPS], f"fact {number}")
    return people


@pytest.mark.parametrize("seed", range(scaled(1, 3)))
def test_whoever_is_killed_while_they_work_and_if_all_are_every_turn_is_applied_once(
    seed: int, drilled: LiveService, model: OpenAIServer
) -> None:
    chance = random.Random(seed)
    model.latency = 0.05  # so that a kill finds them at work
    worker = drilled.start_worker()
    worker.wait_until_in_order()
    people = talk_to_all(drilled)

    for kill in range(1, KILLS + 1):
        goal = min(TURNS - 1, kill * TURNS // (KILLS + 1))
        wait_for(goal)
        kill_someone(worker, chance)
        worker.wait_until_in_order()

    wait_for(TURNS)
    for relationship in people:
        require_each_applied_once_in_order(relationship)

    people = talk_to_all(drilled)
    for part in (1, 2):
        wait_for(TURNS + part * TURNS // 4)
        worker.kill_all()
        worker = drilled.start_worker()

    wait_for(2 * TURNS)
    for relationship in people:
        require_each_applied_once_in_order(relationship)

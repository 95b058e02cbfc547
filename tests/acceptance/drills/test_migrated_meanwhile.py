"""A migration that adds columns and indexes while turns are written and read: nobody notices."""

import pytest

from relationships.models import Turn
from tests.acceptance.drills.talk import require_each_applied_once_in_order, scaled
from tests.acceptance.drills.talker import talking
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

SETTINGS = "tests.acceptance.drills.additive.settings"
ROUNDS = scaled(1, 10)
BETWEEN = scaled(10, 100)  # turns accepted before, between and after


def migrate(live: LiveService, target: str) -> None:
    command = live.start_command("migrate", "additive", target, DJANGO_SETTINGS_MODULE=SETTINGS)
    assert command.wait() == 0, command.log


def wait_for_more(accepted: list[str]) -> None:
    goal = len(accepted) + BETWEEN
    wait_until(lambda: len(accepted) >= goal, timeout=60, what="turns to be accepted")


def test_turns_are_taken_in_and_read_while_columns_and_indexes_come_and_go(
    drilled: LiveService, model: OpenAIServer
) -> None:
    live = drilled
    model.latency = 0.02
    live.start_worker()
    live.start_web()
    live.wait_until_ready()
    people = live.new_relationships(3)

    with talking(live, people) as accepted:
        for _ in range(ROUNDS):
            for target in ("0001", "zero"):
                wait_for_more(accepted)
                migrate(live, target)
        wait_for_more(accepted)

    turns = list(Turn.objects.all())
    assert {str(turn.id) for turn in turns} == set(accepted)
    live.wait_until_settled(turns, timeout=90)
    for person in people:
        require_each_applied_once_in_order(person)
    assert "cached plan" not in live.logs()

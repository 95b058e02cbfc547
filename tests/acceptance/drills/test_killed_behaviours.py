"""kill -9 of the workers while behaviours run and the conversation is summed up: each effect is there once."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from behaviours.models import BehaviourRun, OutboxMessage
from memory.models import ScratchpadEntry
from relationships.models import Profile, ProfileRevision
from summaries.models import Summary
from tests.acceptance.drills.talk import note_down, scaled
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

TURNS = scaled(24, 120)
KILLS = scaled(3, 12)


def respond(body: dict[str, Any]) -> dict[str, Any]:
    """Behaviours ask for words or for an object; all else is remembered, or summed up."""
    prompt = str(body["messages"][-1]["content"])
    if prompt.startswith("Mark "):
        return {"json": {prompt.removeprefix("Mark "): True}}
    if prompt.startswith("Say: "):
        return {"text": f"Noted {prompt}"}
    if "Answer with the summary alone" in str(body["messages"][0]["content"]):
        return {"text": "They told facts."}
    return note_down(body)


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer(respond=respond) as server:
        yield server


def wait_for(goal: int) -> None:
    """Until so many runs are done."""
    done = BehaviourRun.objects.filter(state="done")
    wait_until(lambda: done.count() >= goal, timeout=120, what=f"{goal} runs")


def test_a_behaviour_has_its_effect_once_a_turn_whoever_is_killed(
    drilled: LiveService, model: OpenAIServer
) -> None:
    model.latency = 0.05  # so that a kill finds them at work
    drilled.companion_config |= {
        "summaries": {"at": [8], "every": 8},
        "behaviours": {
            "named": {
                "greet": {"message": "Hello {{ message }}"},
                "note": {"prompt": {"prompt": "Say: {{ message }}", "into": "entry"}},
                "mark": {"prompt": {"prompt": "Mark {{ message }}", "into": "profile"}},
            }
        },
    }
    chance = random.Random(7)
    worker = drilled.start_worker()
    worker.wait_until_in_order()
    [person] = drilled.new_relationships(1)
    for number in range(TURNS):
        drilled.say(person, f"fact {number}")

    for kill in range(1, KILLS + 1):
        goal = 3 * TURNS * kill // (KILLS + 1)
        wait_for(goal)
        # None are there while the pool is restarted, as it may have been asked to since it was in order.
        victims = wait_until(lambda: [*worker.readers(), *worker.cluster()], timeout=30, what="a pool")
        chance.choice(victims).kill()
        worker.wait_until_in_order()

    wait_for(3 * TURNS)
    assert not BehaviourRun.objects.exclude(state="done").exists()
    queued = Counter(OutboxMessage.objects.values_list("content", flat=True))
    assert queued == Counter(f"Hello fact {number}" for number in range(TURNS))
    profile = Profile.objects.get()
    assert profile.data == {f"fact {number}": True for number in range(TURNS)}
    assert ProfileRevision.objects.count() == profile.version == TURNS, "each was written once"
    noted = ScratchpadEntry.objects.for_relationship(person.id).filter(content__startswith="Noted Say: ")
    assert noted.count() == TURNS
    points = TURNS // 8
    summaries = Summary.objects.filter(state="ready")
    wait_until(lambda: summaries.count() == points, timeout=60, what="the summaries")
    assert [row.messages for row in summaries.order_by("messages")] == [8 * n for n in range(1, points + 1)]

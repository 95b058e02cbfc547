"""Two machines on one database: nothing is taken in or read twice, and what a dead machine held comes back."""

import httpx
import pytest

from relationships.models import Relationship, Turn, TurnState
from tests.acceptance.drills.talk import require_each_applied_once_in_order, scaled
from tests.acceptance.processes import LiveWorker
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from worker.heartbeat import silent_machines
from worker.identity import machine_of
from worker.models import WorkerHeartbeat

pytestmark = pytest.mark.drill

RELATIONSHIPS = scaled(6, 20)
TURNS = scaled(48, 400)
SILENCE = "2"  # seconds after which a machine counts as gone


@pytest.fixture
def machines(drilled: LiveService, model: OpenAIServer) -> tuple[LiveWorker, LiveWorker]:
    model.latency = 1.0  # so that what is taken is held for a while
    drilled.settings |= {"RAPPORT_HEARTBEAT_LIMIT_SECONDS": SILENCE}
    workers = drilled.start_worker(machine="north"), drilled.start_worker(machine="south")
    wait_until(lambda: set(beating()) == {"north", "south"}, timeout=60, what="both machines")
    return workers


def beating() -> list[str]:
    return [host_of(name) for name in WorkerHeartbeat.objects.values_list("name", flat=True)]


def host_of(identity: str) -> str:
    return machine_of(identity).partition("/")[0]


def holders() -> set[str]:
    """The machines that hold turns just now."""
    held = Turn.objects.filter(state=TurnState.PROCESSING)
    return {host_of(name) for name in held.values_list("leased_by", flat=True)}


def talk_until_they_hold(live: LiveService, *machines: str) -> list[Relationship]:
    """To all, and on to others until all of these machines hold turns at once: a busy one may be late for the first of
    them, and a reader stays with a person who goes on.
    """
    people = live.new_relationships(RELATIONSHIPS)
    for number in range(TURNS):
        live.say(people[number % RELATIONSHIPS], f"fact {number}")

    def held() -> bool:
        if set(machines) <= holders():
            return True
        people.extend(live.new_relationships(1))
        live.say(people[-1], "fact")
        return False

    wait_until(held, timeout=30, what=f"{' and '.join(machines)} to hold turns")
    return people


def tell_both(live: LiveService) -> list[Relationship]:
    """Each turn by HTTP, once more to the other web server, as a client does that had no answer."""
    people = live.new_relationships(RELATIONSHIPS)
    webs = [live.start_web(), live.start_web()]
    for web in webs:
        web.wait_until_it_answers()
    with httpx.Client(headers={"Authorization": f"Bearer {live.new_api_key()}"}, timeout=30) as http:
        for person in people:
            body = {"messages": [{"role": "user", "content": "fact"}]}
            told = [
                http.post(
                    f"{web.url}/v1/relationships/{person.id}/turns",
                    json=body,
                    headers={"Idempotency-Key": str(person.id)},
                ).json()["id"]
                for web in webs
            ]
            assert told[0] == told[1]
    return people


def test_two_machines_share_the_work_and_what_a_killed_one_held_is_read_by_the_other(
    machines: tuple[LiveWorker, LiveWorker], drilled: LiveService, model: OpenAIServer
) -> None:
    first = talk_until_they_hold(drilled, "north", "south")
    model.latency = 0.1
    require_all_read_once(drilled, first + tell_both(drilled))

    _, south = machines
    model.latency = 1.0
    people = talk_until_they_hold(drilled, "south")
    south.kill_all()
    left_behind = Turn.objects.filter(state=TurnState.PROCESSING, leased_by__startswith="south/")
    assert left_behind.exists(), "killed while it held turns"
    model.latency = 0.05
    wait_until(lambda: not left_behind.exists(), timeout=30, what="its turns to be taken back")
    assert {machine.partition("/")[0] for machine in silent_machines(float(SILENCE))} == {"south"}

    require_all_read_once(drilled, people)


def require_all_read_once(live: LiveService, people: list[Relationship]) -> None:
    live.wait_until_settled([turn for person in people for turn in live.turns(person)], timeout=90)
    for person in people:
        require_each_applied_once_in_order(person)

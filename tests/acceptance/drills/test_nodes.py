"""A database that is spread over nodes: one is added while turns come in, and one is lost and comes back."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import httpx
import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from config.embedded_postgres import database_url
from config.embedded_postgres.layout import PORT, socket_dir
from relationships.ids import relationship_id
from relationships.models import Companion, Relationship, Turn, TurnState
from scripts import citus
from tests.acceptance.database import LiveDatabase, django_on
from tests.acceptance.drills.conftest import ask
from tests.acceptance.drills.cut_off import MISSING, POSSIBLE, THERE, CutOff
from tests.acceptance.drills.talk import LONG, require_each_applied_once_in_order, scaled
from tests.acceptance.drills.talker import Talker, talking
from tests.acceptance.service import LiveService
from tests.fixtures.distributed import DISTRIBUTED
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until
from worker import condition

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(citus.engine() is None, reason=citus.MISSING),
    pytest.mark.skipif(not (LONG or DISTRIBUTED), reason="a long drill: make drills, or make test-citus"),
]

PEOPLE = 4  # on each node
TURNS = scaled(8, 100)  # that come in beside whatever happens
SILENCE = 20.0  # seconds at most that somebody waits for a node that is cut off
NAME = "rapport"
_NODE_OF = """
SELECT nodename FROM citus_shards
 WHERE shardid = get_shard_id_for_distribution_column('relationships_relationship', %s)
"""


@pytest.fixture(scope="module")
def nodes() -> Iterator[Path]:
    """The folder of a coordinator and one worker."""
    with citus.own_servers(NAME, workers=1) as folder:
        yield folder


@pytest.fixture(scope="module")
def database(nodes: Path, django_db_blocker: DjangoDbBlocker) -> LiveDatabase:
    url = database_url(nodes / "coordinator", name=NAME)
    told = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
    database = LiveDatabase({"dbname": NAME, "user": "postgres", **told}, {"DATABASE_URL": url})
    with django_db_blocker.unblock(), django_on(database):
        call_command("migrate", verbosity=0)
    return database


@pytest.fixture
def distributed(
    database: LiveDatabase,
    model: OpenAIServer,
    django_db_blocker: DjangoDbBlocker,
    tmp_path: Path,
    recipe: str,
) -> Iterator[LiveService]:
    """The service on it, its processes ready."""
    with django_db_blocker.unblock(), django_on(database):
        live = ask(LiveService(database, tmp_path), model, recipe)
        distribute = live.start_command("distribute", "--shards", "4")
        assert distribute.wait(300) == 0, distribute.log
        live.start_worker()
        live.start_web()
        live.wait_until_ready()
        yield live
        live.end()


def node_of(relationship: UUID) -> str:
    with connection.cursor() as cursor:
        cursor.execute(_NODE_OF, [relationship])
        return Path(cursor.fetchone()[0]).name


def require_all_kept(live: LiveService, people: Sequence[Relationship], accepted: Sequence[str]) -> None:
    """Every turn that was accepted is there, and was applied once."""
    turns = [turn for person in people for turn in live.turns(person)]
    assert {str(turn.id) for turn in turns} == set(accepted)
    live.wait_until_settled(turns, timeout=120)
    for person in people:
        require_each_applied_once_in_order(person)


def test_a_node_is_added_and_shards_move_while_turns_come_in(distributed: LiveService, nodes: Path) -> None:
    live = distributed
    people = live.new_relationships(2 * PEOPLE)

    with talking(live, people) as accepted:
        citus.start(nodes, NAME, workers=2)
        before = len(accepted)
        moving = live.start_command("distribute", "--rebalance")
        assert moving.wait(300) == 0, moving.log
        assert len(accepted) > before, "turns came in meanwhile"
        since = len(accepted)
        wait_until(lambda: len(accepted) >= since + TURNS, timeout=60, what="turns after the move")

    assert "worker1:" in moving.log and "worker2:" in moving.log, "both hold shards"
    require_all_kept(live, people, accepted)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE relationships_turn")
    condition._stored_on_shards.cache_clear()  # what a test before this one may have read, of another database
    assert condition.read_condition().turns.stored == len(accepted)


def test_a_lost_node_takes_nobody_else_along_and_comes_back_with_all_it_held(
    distributed: LiveService, nodes: Path, model: OpenAIServer
) -> None:
    live = distributed
    citus.start(nodes, NAME, workers=2)
    assert live.start_command("distribute", "--rebalance").wait(300) == 0
    stayed, lost = two_groups(live)
    eve = Companion.objects.create(project=live.project, slug="eve", name="Eve")
    known = {node_of(relationship_id(eve.id, person.user_id)): person.user for person in (*stayed, *lost)}
    model.latency = 0.3  # so that some are in hand when it goes
    with ExitStack() as stack:
        http = stack.enter_context(client(live))
        heard = stack.enter_context(talking(live, stayed))
        waiting = stack.enter_context(talking(live, lost))
        wait_until(lambda: holding(lost), timeout=60, what="turns of the node in hand")

        citus.stop_node(nodes / "worker2", mode="immediate")

        for path, body in (("turns", {"messages": [{"role": "user", "content": "Hello"}]}), ("context", {})):
            require_away(http.post(f"/relationships/{lost[0].id}/{path}", json=body))
            assert http.post(f"/relationships/{stayed[0].id}/context", json={}).status_code == 200
        # A relationship is on one node, and a person on all.
        met = meet(http, known["worker1"].external_id)
        assert met.status_code == 201, met.text
        for person in (known["worker2"].external_id, "somebody new"):
            require_away(meet(http, person))
        require_queue_unread(live)
        refused = live.start_command("distribute", "--dry-run")
        assert refused.wait(60) == 1
        assert "worker2" in refused.log and "does not answer" in refused.log, refused.log
        # One that nobody but the sweep would try again.
        model.push({"status": 500, "match": "stumble"})
        stumbled = Turn(id=Talker(http).say(stayed[0], "stumble"), relationship=stayed[0])
        since = len(heard)
        wait_until(lambda: len(heard) >= since + TURNS, timeout=60, what="turns of the others")
        wait_until(lambda: live.state_of(stumbled) == TurnState.APPLIED, timeout=60, what="its second try")
        assert live.worker.in_order() and live.web.answers("/readyz")
        assert "a node of it is away" in httpx.get(f"{live.web.url}/readyz/worker").text

        citus.start_node(nodes / "worker2")
        since = len(waiting)
        wait_until(lambda: len(waiting) >= since + TURNS, timeout=60, what="turns of those who came back")
    live.wait_until_ready()
    require_all_kept(live, stayed, [*heard, str(stumbled.id)])
    require_all_kept(live, lost, waiting)


@pytest.mark.skipif(not POSSIBLE, reason=MISSING)
def test_a_node_that_is_cut_off_without_a_word_is_missed_in_time_and_comes_back(
    distributed: LiveService, nodes: Path
) -> None:
    live = distributed
    citus.start(nodes, NAME, workers=2)
    assert live.start_command("distribute", "--rebalance").wait(300) == 0
    stayed, lost = two_groups(live)
    with ExitStack() as stack:
        cut_off = stack.enter_context(reached_elsewhere(nodes / "worker2"))
        http = stack.enter_context(client(live))
        heard = stack.enter_context(talking(live, stayed))
        waiting = stack.enter_context(talking(live, lost))
        wait_until(lambda: len(waiting) >= TURNS, timeout=60, what="turns that go there")

        cut_off.cut()

        began = monotonic()
        require_away(http.post(f"/relationships/{lost[0].id}/context", json={}))
        assert monotonic() - began < SILENCE
        require_queue_unread(live)
        since = len(heard)
        wait_until(lambda: len(heard) >= since + TURNS, timeout=60, what="turns of the others")

        cut_off.heal()
        since = len(waiting)
        wait_until(lambda: len(waiting) >= since + TURNS, timeout=60, what="turns of those who came back")
    live.wait_until_ready()
    require_all_kept(live, stayed, heard)
    require_all_kept(live, lost, waiting)


@contextmanager
def reached_elsewhere(node: Path) -> Iterator[CutOff]:
    """The coordinator asks it at THERE, and in the end as before."""
    with CutOff(node) as cut_off:
        move_node(str(socket_dir(node)), THERE)
        try:
            yield cut_off
        finally:
            cut_off.heal()
            move_node(THERE, str(socket_dir(node)))
    citus.start_node(node)


def move_node(before: str, after: str) -> None:
    with connection.cursor() as cursor:
        moved = "SELECT citus_update_node(nodeid, %s, %s) FROM pg_dist_node WHERE nodename = %s"
        cursor.execute(moved, [after, PORT, before])


def meet(http: httpx.Client, person: str) -> httpx.Response:
    return http.post("/relationships", json={"companion": "eve", "user": person})


def require_queue_unread(live: LiveService) -> None:
    told = httpx.get(f"{live.web.url}/metrics", timeout=30)
    assert told.status_code == 200 and 'rapport_metrics_unread{part="queue"} 1.0' in told.text
    assert "rapport_worker_beat_age_seconds{" in told.text


def two_groups(live: LiveService) -> tuple[list[Relationship], list[Relationship]]:
    """People on the one node, and on the other."""
    groups: dict[str, list[Relationship]] = {"worker1": [], "worker2": []}
    while min(map(len, groups.values())) < PEOPLE:
        (person,) = live.new_relationships(1)
        groups[node_of(person.id)].append(person)
    return groups["worker1"], groups["worker2"]


def client(live: LiveService) -> httpx.Client:
    headers = {"Authorization": f"Bearer {live.new_api_key()}"}
    return httpx.Client(base_url=f"{live.web.url}/v1", headers=headers, timeout=30)


def holding(people: Sequence[Relationship]) -> bool:
    ids = [person.id for person in people]
    return Turn.objects.filter(relationship_id__in=ids, state=TurnState.PROCESSING).exists()


def require_away(answer: httpx.Response) -> None:
    assert answer.status_code == 503 and answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:rapport:problem:node_unavailable"
    assert "holds this relationship" in answer.json()["detail"] and int(answer.headers["Retry-After"]) > 0

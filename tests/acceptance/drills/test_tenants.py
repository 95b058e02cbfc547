"""One tenant can't stop another: whatever one sends, the other's contexts are answered as in peace."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from time import perf_counter

import httpx
import pytest
from django.utils import timezone

from benchmarks.timing import percentile
from memory.ingestion.intake import accept_turn
from relationships.models import Companion, Project, Relationship, Turn
from relationships.services.api_keys import create_api_key
from relationships.services.projects import create_project
from relationships.services.turns import NewMessage, NewTurn
from tests.acceptance.drills import attacks
from tests.acceptance.drills.talk import LONG, scaled
from tests.acceptance.service import TESTER, LiveService
from tests.fixtures.people import meet
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

CALLS = scaled(60, 600)
SOCKETS = scaled(40, 80)
SLOWER = 5  # times as slow as in peace the slowest hundredth may be


@dataclass
class Tenant:
    project: Project
    relationship: Relationship
    key: str
    client: httpx.Client

    def another(self) -> "Tenant":
        """The same tenant with one more person."""
        return replace(self, relationship=meet(self.relationship.companion))

    def close(self) -> None:
        self.client.close()

    @property
    def path(self) -> str:
        return f"/v1/relationships/{self.relationship.id}"

    def contexts(self, count: int = CALLS) -> list[float]:
        """Milliseconds of each of so many calls, none of which may fail."""
        taken = []
        for _ in range(count):
            began = perf_counter()
            answer = self.client.post(f"{self.path}/context", json={"message": "What shall I cook?"})
            taken.append((perf_counter() - began) * 1000)
            assert answer.status_code == 200, answer.text
        return taken


def new_tenant(live: LiveService, name: str) -> Tenant:
    project = create_project(name=name, by=TESTER)
    companion = Companion.objects.create(
        project=project, slug="ada", name="Ada", config=live.companion_config
    )
    key = create_api_key(project_id=project.id, name="drill", scopes=("read", "write", "admin"), by=TESTER)[1]
    headers = {"Authorization": f"Bearer {key}"}
    return Tenant(
        project, meet(companion), key, httpx.Client(base_url=live.web.url, headers=headers, timeout=30)
    )


@pytest.fixture
def served(drilled: LiveService) -> LiveService:
    drilled.start_worker(RAPPORT_READERS="1")  # so that a flood takes its time
    drilled.start_web(RAPPORT_WEB_PROCESSES="2")
    drilled.wait_until_ready()
    return drilled


@pytest.fixture
def hostile(served: LiveService) -> Iterator[Tenant]:
    with closing(new_tenant(served, "hostile")) as tenant:
        yield tenant


@pytest.fixture
def honest(served: LiveService) -> Iterator[Tenant]:
    with closing(new_tenant(served, "honest")) as tenant:
        say(tenant, "I like tea.")
        tenant.contexts(20)
        yield tenant


class Peace:
    """How long the honest tenant's contexts took before; each attack is held to it, and told with its figures."""

    def __init__(self, honest: Tenant, told: Callable[[str], None]) -> None:
        self.honest, self.told = honest, told
        self.before = percentile(honest.contexts(), 0.99)
        self.slower: list[str] = []

    def measure(self, attack: str) -> None:
        """None of its calls may fail."""
        now = percentile(self.honest.contexts(), 0.99)
        times = now / self.before
        self.told(f"| {attack} | {self.before:.1f} ms | {now:.1f} ms | {times:.1f} x |")
        if times >= SLOWER:
            self.slower.append(attack)

    def require(self) -> None:
        """Where there is time enough to measure, the slowest hundredth was as quick as before, or nearly."""
        assert not LONG or not self.slower


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Shows a line beside pytest's own, as docs/reference/performance.md has it: load, p99 in peace, now, ratio."""

    def tell(line: str) -> None:
        with capsys.disabled():
            print(f"\n{line}" if LONG else "", end="", flush=True)

    return tell


def head(method: str, path: str, *lines: str) -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *lines, "", ""]).encode()


def say(tenant: Tenant, text: str) -> None:
    accept_turn(relationship=tenant.relationship, new=NewTurn([NewMessage("user", text)], timezone.now()))


def largest_web_process(live: LiveService) -> float:
    """Megabytes in memory."""
    return max(process.memory_info().rss for process in live.web.family()) / 2**20


def test_whatever_one_tenant_sends_another_is_served_as_in_peace(
    served: LiveService, hostile: Tenant, honest: Tenant, told: Callable[[str], None]
) -> None:
    peace = Peace(honest, told)

    def as_in_peace(attack: str) -> None:
        peace.measure(attack)
        assert served.web.answers("/healthz")

    json_of_100_000 = ("Content-Type: application/json", "Content-Length: 100000")
    for attack, half_sent in (
        ("half-sent headers", b"GET /healthz HTTP/1.1\r\nX-Slow: "),
        ("half-sent bodies", head("POST", f"{honest.path}/turns", *json_of_100_000)),
    ):
        with attacks.dripping(served.web.url, half_sent, sockets=SOCKETS):
            as_in_peace(f"{SOCKETS} {attack}")

    size = scaled(2_000_000, 60_000_000)
    for path, what, body, at_once in (
        ("context", "of repeated names", attacks.repeated_names(scaled(100_000, 1_000_000)), 24),
        ("import", "of entries that are all wrong", attacks.hostile_archive(size), 2),
        ("import", "whose last entry is wrong", attacks.archive_wrong_at_its_end(size), 2),
    ):
        statuses = Counter[int]()
        to, key = f"{hostile.path}/{path}", hostile.key
        with attacks.sending(served.web.url, to, key, body, at_once=at_once, statuses=statuses):
            as_in_peace(f"{at_once} x {len(body) / 1e6:.1f} MB to `/{path}` {what}")
        assert set(statuses) <= {422, 429}, path
    peace.require()


def test_tenants_and_slow_readers_of_a_large_answer_and_a_flood_of_turns(
    served: LiveService,
    model: OpenAIServer,
    hostile: Tenant,
    honest: Tenant,
    told: Callable[[str], None],
) -> None:
    peace = Peace(honest, told)
    model.latency = 1  # so that the flood is not over first
    relationships = [hostile.another() for _ in range(50)]
    for number in range(scaled(1000, 20_000)):
        say(relationships[number % len(relationships)], f"fact {number}")

    peace.measure(f"{scaled(1000, 20_000)} turns")
    say(honest, "I moved to Lisbon.")
    waiting = Turn.objects.filter(project_id=hostile.project.id, settled_at=None).count()
    assert waiting, "the flood was over before anybody could be held up by it"
    served.wait_until_settled(served.turns(honest.relationship))
    left = Turn.objects.filter(project_id=hostile.project.id, settled_at=None).count()
    assert left, "the other's turn came last"
    model.latency = 0
    flood = list(Turn.objects.filter(project_id=hostile.project.id))
    served.wait_until_settled(flood, timeout=600)

    for _ in range(scaled(40, 640)):
        say(hostile, "word " * 13_000)  # 65 kB each, so 42 MB in all in the long form
    flooded, peace, before = peace, Peace(honest, told), largest_web_process(served)
    request = head("GET", f"{hostile.path}/export", f"Authorization: Bearer {hostile.key}")
    with attacks.reading_slowly(served.web.url, request, sockets=SOCKETS) as heard:
        wait_until(lambda: heard[b"HTTP/1.1 200 OK"], timeout=60, what="a first part of the answer")
        peace.measure(f"{SOCKETS} slow readers of {scaled(40, 640) * 65 / 1000:.0f} MB")
        assert served.web.answers("/healthz")
        assert largest_web_process(served) < before + 200
        wait_until(lambda: heard.total() == SOCKETS, timeout=120, what="each reader's first part")
    assert set(heard) <= {b"HTTP/1.1 200 OK", b"HTTP/1.1 429 Too Many Requests"}
    flooded.require()
    peace.require()

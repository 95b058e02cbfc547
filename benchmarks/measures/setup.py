"""What all measurements of `make bench` use: the running service, a client and the sample relationship."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import cycle
from uuid import UUID

from benchmarks.client import Client
from benchmarks.report import Figure, Goal, of_ratios, of_rounds
from benchmarks.seed import client_of, make_companion, make_relationships, make_sample, turn_body
from benchmarks.service import Service
from benchmarks.timing import p50, time_calls
from config.postgresql.sessions import prepared_cursor
from relationships.models import Relationship

ROUNDS = 5  # of calls in process
Compared = tuple[
    Callable[[], object], Goal | None, Goal | None
]  # goals: in ms, and as a multiple of SELECT 1


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a run is. `slice_seconds`: of one load; `messages`: of the longest conversation; `streams`: at once."""

    rounds: int = 6
    slice_seconds: float = 1.0
    calls: int = 2000
    turns: int = 1000
    idle_seconds: float = 30.0
    messages: int = 50_000
    streams: int = 300


QUICK = Scale()
LONG = Scale(rounds=15, slice_seconds=3.0, calls=10_000, turns=4000)
SMOKE = Scale(
    rounds=1,
    slice_seconds=0.2,
    calls=40,
    turns=50,
    idle_seconds=1.0,
    messages=500,
    streams=20,
)


@dataclass(frozen=True, slots=True)
class Setup:
    service: Service
    client: Client
    relationship: Relationship
    scale: Scale

    @classmethod
    def on(cls, service: Service, scale: Scale) -> "Setup":
        sample = make_sample()
        return cls(service, client_of(sample.project_id, service.port), sample, scale)

    def context_request(self) -> str:
        path = f"/v1/relationships/{self.relationship.id}/context"
        return self.client.request("POST", path, {"message": "What should I cook tonight?"})

    def people(self, slug: str, *, count: int, **config: object) -> list[Relationship]:
        """New relationships of a new companion with this configuration, in the project of the client's key."""
        companion = make_companion(slug, config, project=self.relationship.project)
        return make_relationships(companion, (f"{slug}-{place}" for place in range(count)))

    def readers_of(self, slug: str, *, count: int, **ingestion: object) -> list[UUID]:
        """IDs of `people` with this section `ingestion` in the configuration."""
        return [person.id for person in self.people(slug, count=count, ingestion=ingestion)]

    def turn_requests(self, relationships: list[UUID], *, count: int, wait: int = 0) -> list[str]:
        """Requests `POST /turns`, of the relationships in turn. `wait`: seconds."""
        suffix = f"/turns?wait={wait}" if wait else "/turns"
        paths = cycle(f"/v1/relationships/{id}{suffix}" for id in relationships)
        return [self.client.request("POST", next(paths), turn_body(place)) for place in range(count)]


def select_one() -> None:
    with prepared_cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()


def beside_select_one(calls: Mapping[str, Compared], *, times: int) -> list[Figure]:
    """The p50 of each call, in ms and as a multiple of SELECT 1. All calls alternate on one connection."""
    each = [call for call, _, _ in calls.values()]
    rounds = [map(p50, time_calls(select_one, *each, times=times)) for _ in range(ROUNDS)]
    ones, *others = zip(*rounds, strict=True)
    figures = []
    for (name, (_, in_ms, goal)), taken in zip(calls.items(), others, strict=True):
        figures.append(of_rounds(f"{name}, p50", taken, "ms", in_ms))
        figures.append(of_ratios(f"{name} / SELECT 1, p50", taken, ones, goal))
    return [of_rounds(f"SELECT 1 beside {', '.join(calls)}, p50", ones, "ms"), *figures]

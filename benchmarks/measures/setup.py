"""What every measurement of `make bench` works on: the running service, a key, and the sample relationship."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from benchmarks.client import Client
from benchmarks.seed import client_of, make_companion, make_relationships, make_sample, turn_body
from benchmarks.service import Service
from relationships.models import Relationship


@dataclass(frozen=True, slots=True)
class Scale:
    """How long a run takes. `slice_seconds`: of one load, which takes turns with others for `rounds`. `messages`: of
    the longest conversation. `tenants`: whose entries are searched.
    """

    rounds: int
    slice_seconds: float
    calls: int
    turns: int
    watched_seconds: float = 4.0
    idle_seconds: float = 30.0
    messages: int = 50_000
    tenants: int = 1_000


QUICK = Scale(rounds=6, slice_seconds=1.0, calls=2000, turns=1000)
LONG = Scale(rounds=15, slice_seconds=3.0, calls=10_000, turns=4000, tenants=5_000)
SMOKE = Scale(
    rounds=1,
    slice_seconds=0.2,
    calls=40,
    turns=50,
    watched_seconds=1.0,
    idle_seconds=1.0,
    messages=500,
    tenants=20,
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

    def relationships(self, slug: str, *, ingestion: Mapping[str, object], count: int) -> list[UUID]:
        """So many of a companion of their own, which reads turns as `ingestion` says."""
        companion = make_companion(slug, {"ingestion": dict(ingestion)}, project=self.relationship.project)
        users = (f"{slug}-{place}" for place in range(count))
        return [relationship.id for relationship in make_relationships(companion, users)]

    def turn_requests(self, relationships: list[UUID], *, count: int, wait: int = 0) -> list[str]:
        """`POST /turns` of the relationships in turn."""
        suffix = f"/turns?wait={wait}" if wait else "/turns"
        return [
            self.client.request(
                "POST",
                f"/v1/relationships/{relationships[place % len(relationships)]}{suffix}",
                turn_body(place),
            )
            for place in range(count)
        ]

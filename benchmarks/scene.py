"""What every measurement works on: the running service, a key, and the sample relationship."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from benchmarks.client import Client
from benchmarks.house import House, until
from benchmarks.sample import make_relationship, prose
from relationships.actor import Actor
from relationships.ids import relationship_id
from relationships.models import Companion, EndUser, Relationship, Scope, Turn
from relationships.services.api_keys import create_api_key

BY = Actor.policy("benchmark")


@dataclass(frozen=True, slots=True)
class Scale:
    """How long a run takes. `slice_seconds`: of one load, which takes turns with others for `rounds`."""

    rounds: int
    slice_seconds: float
    calls: int
    turns: int


QUICK = Scale(rounds=6, slice_seconds=1.0, calls=2000, turns=1000)
LONG = Scale(rounds=15, slice_seconds=3.0, calls=10_000, turns=4000)


@dataclass(frozen=True, slots=True)
class Scene:
    house: House
    client: Client
    relationship: Relationship
    scale: Scale

    def context_request(self) -> str:
        path = f"/v1/relationships/{self.relationship.id}/context"
        return self.client.request("POST", path, {"message": "What should I cook tonight?"})

    def ok_request(self) -> str:
        return self.client.request("GET", "/v1/bench/ok")


def set_scene(house: House, scale: Scale) -> Scene:
    relationship = make_relationship()
    _, key = create_api_key(
        project_id=relationship.project_id, name="benchmark", scopes=[Scope.READ, Scope.WRITE], by=BY
    )
    client = Client(house.address.host, house.address.port, key)
    return Scene(house, client, relationship, scale)


def make_relationships(scene: Scene, slug: str, *, ingestion: Mapping[str, object], count: int) -> list[UUID]:
    """So many relationships of a companion of their own, which reads turns as `ingestion` says."""
    project_id = scene.relationship.project_id
    companion = Companion.objects.create(
        project_id=project_id, slug=slug, name="Ada", config={"ingestion": dict(ingestion)}
    )
    users = EndUser.objects.bulk_create(
        EndUser(project_id=project_id, external_id=f"{slug}-{place}", display_name="Maya")
        for place in range(count)
    )
    made = Relationship.objects.bulk_create(
        Relationship(
            id=relationship_id(companion.id, user.id), project_id=project_id, companion=companion, user=user
        )
        for user in users
    )
    return [relationship.id for relationship in made]


def turn_requests(scene: Scene, relationships: list[UUID], *, count: int, wait: float = 0.0) -> list[str]:
    """`POST /turns` of two messages each, the relationships in turn; every turn says something of its own."""
    suffix = f"?wait={wait:g}" if wait else ""
    return [
        scene.client.request(
            "POST",
            f"/v1/relationships/{relationships[place % len(relationships)]}/turns{suffix}",
            {
                "messages": [
                    {"role": "user", "content": f"On day {place} {prose(200, seed=place)}"},
                    {"role": "assistant", "content": prose(200, seed=place + 1)},
                ]
            },
        )
        for place in range(count)
    ]


def everything_applied() -> None:
    """Wait until no turn waits for a worker."""
    owed = Turn.objects.filter(settled_at=None, due_at__isnull=False)
    until(lambda: not owed.exists(), what="the last turn to be read", seconds=600)

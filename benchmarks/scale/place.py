"""What was seeded, written down beside the database: so that who draws from it at random reads nothing of it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from uuid import UUID

EMBEDDED = (
    1000  # relationships with vectors, the first ones; what everybody's would take is worked out from theirs
)


@dataclass(frozen=True, slots=True)
class Place:
    """What requests and calls name. `seconds`: how long the seeding took."""

    project_id: UUID
    key: str
    relationships: Sequence[UUID]
    history_of_one_in: int = 1
    seconds: float = 0.0

    @property
    def embedded(self) -> Sequence[UUID]:
        """Those whose companion has an embedder."""
        return self.relationships[:EMBEDDED]

    @property
    def with_history(self) -> Sequence[UUID]:
        return self.relationships[:: self.history_of_one_in]

    def draw(self, count: int, *, seed: int) -> list[UUID]:
        """So many at random, each once as long as there are as many."""
        return drawn(self.relationships, count, seed=seed)

    def save(self, folder: Path) -> None:
        told = {
            "project_id": str(self.project_id),
            "key": self.key,
            "one_in": self.history_of_one_in,
            "seconds": self.seconds,
        }
        (folder / "relationships.bin").write_bytes(b"".join(id.bytes for id in self.relationships))
        (folder / "place.json").write_text(json.dumps(told))

    @classmethod
    def load(cls, folder: Path) -> "Place":
        """Raises FileNotFoundError where nothing was seeded, or not to its end."""
        told = json.loads((folder / "place.json").read_text())
        raw = (folder / "relationships.bin").read_bytes()
        ids = [UUID(bytes=raw[at : at + 16]) for at in range(0, len(raw), 16)]
        return cls(UUID(told["project_id"]), told["key"], ids, told["one_in"], told["seconds"])


def drawn(ids: Sequence[UUID], count: int, *, seed: int) -> list[UUID]:
    random = Random(seed)
    found: list[UUID] = []
    while len(found) < count:
        found += random.sample(ids, min(len(ids), count - len(found)))
    return found

"""The people of a soak, as the client knows them: who is there, what they are known to have said and kept."""

import threading
from dataclasses import dataclass, field
from random import Random


@dataclass(slots=True)
class Person:
    """`entries`: IDs that nobody else has in hand just now. `turns`: accepted ones."""

    user_id: str
    relationship_id: str
    entries: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    gone: bool = False  # being erased, or erased: what still asks for them may be told that nobody is there

    def path(self, rest: str) -> str:
        return f"/v1/relationships/{self.relationship_id}{rest}"


class People:
    """Shared by the clients' threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._there: list[Person] = []
        self._numbers = 0
        self.erased: list[Person] = []

    def number(self) -> int:
        """A new one each time, for what has to be unlike everything else."""
        with self._lock:
            self._numbers += 1
            return self._numbers

    def welcome(self, person: Person) -> None:
        with self._lock:
            self._there.append(person)

    def somebody(self, random: Random) -> Person:
        with self._lock:
            return random.choice(self._there)

    def leave(self, random: Random) -> Person:
        """Somebody who is asked for no more."""
        with self._lock:
            person = self._there.pop(random.randrange(len(self._there)))
            person.gone = True
            self.erased.append(person)
            return person

    def take(self, pool: list[str], random: Random) -> str | None:
        """One of them, which is in nobody else's hands until it is put back."""
        with self._lock:
            return pool.pop(random.randrange(len(pool))) if pool else None

    def put(self, pool: list[str], what: str) -> None:
        with self._lock:
            pool.append(what)

    @property
    def there(self) -> list[Person]:
        with self._lock:
            return list(self._there)

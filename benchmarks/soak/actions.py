"""What clients do in a soak, and the people for whom they do it."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

from benchmarks.client import Client, Unexpected
from benchmarks.seed import prose, turn_body

COMPANION = "soak"
FIRST_ENTRIES = 8


@dataclass(slots=True)
class Person:
    """What clients know of a person. `entries`, `deleted`: IDs that no thread is using; `turns`: accepted ones."""

    user_id: str
    relationship_id: str
    entries: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    gone: bool = False  # erased, or being erased


class People:
    """The people, shared by the clients' threads."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._lock = threading.Lock()
        self._numbers = count(1)
        self.there: list[Person] = []
        self.erased: list[Person] = []

    def number(self) -> int:
        """A number that no other call uses, so that texts and names differ."""
        return next(self._numbers)

    def somebody(self, random: Random) -> Person:
        with self._lock:
            return random.choice(self.there)

    def leave(self, person: Person) -> bool:
        """Have no more actions done for a person. False if another thread did this first."""
        with self._lock:
            if person.gone:
                return False
            person.gone = True
            self.there.remove(person)
            self.erased.append(person)
            return True

    def take(self, pool: list[str], random: Random) -> str | None:
        """Remove a random ID from a person's list, so that no other thread uses it; None if the list is empty."""
        with self._lock:
            return pool.pop(random.randrange(len(pool))) if pool else None

    def ask(
        self,
        person: Person,
        method: str,
        rest: str,
        body: object = None,
        *,
        key: str | None = None,
        optional: bool = False,
    ) -> Any:
        """Make a call about a person. None after a 404 if the person is gone or the object is `optional`."""
        try:
            return self.client.ask(method, f"/v1/relationships/{person.relationship_id}{rest}", body, key=key)
        except Unexpected as unexpected:
            if (person.gone or optional) and ": 404 " in str(unexpected):
                return None
            raise


Action = Callable[[People, Person, Random], None]
Body = Callable[[int], object]  # of a number that no other call uses


def arrive(people: People) -> None:
    """Make a person with a few entries."""
    user = {"external_id": f"soak-{people.number()}", "display_name": "Maya"}
    made = people.client.ask("POST", "/v1/relationships", {"companion": COMPANION, "user": user})
    person = Person(made["user"]["id"], made["id"])
    for _ in range(FIRST_ENTRIES):
        _add(people, person)
    people.there.append(person)


def hand_over_turn(people: People, person: Person, random: Random) -> None:
    """Hand over a turn; every fifth one twice, as a client does that got no answer."""
    number = people.number()
    sent = [
        people.ask(person, "POST", "/turns", turn_body(number), key=f"turn-{number}")
        for _ in range(1 + (number % 5 == 0))
    ]
    ids = {answer["id"] for answer in sent if answer}
    if len(ids) > 1:
        raise Unexpected("POST turns: one call made two turns")
    person.turns.extend(ids)


def asking(method: str, rest: str, body: Body | None = None, *, optional: bool = False) -> Action:
    """An action that makes one call about a person."""

    def ask(people: People, person: Person, random: Random) -> None:
        told = body(people.number()) if body else None
        people.ask(person, method, rest, told, optional=optional)

    return ask


def about_entry(
    method: str, rest: str = "", body: Body | None = None, *, of: str = "entries", then: str = "entries"
) -> Action:
    """An action that makes one call about an entry. `of`, `then`: the person's lists it is in before and afterwards."""

    def ask(people: People, person: Person, random: Random) -> None:
        entry = people.take(getattr(person, of), random)
        if entry is not None:
            told = body(people.number()) if body else None
            people.ask(person, method, f"/entries/{entry}{rest}", told)
            if then:
                getattr(person, then).append(entry)

    return ask


def read_trace(people: People, person: Person, random: Random) -> None:
    if person.turns:
        people.ask(person, "GET", f"/turns/{random.choice(person.turns)}")


def add_entry(people: People, person: Person, random: Random) -> None:
    _add(people, person)


def erase_person(people: People, person: Person, random: Random) -> None:
    """Erase the person, and make another one."""
    if people.leave(person):
        people.client.ask("DELETE", f"/v1/users/{person.user_id}")
        arrive(people)


# Of each action, how many of a thousand it is.
MIX: Mapping[str, tuple[int, Action]] = {
    "fetch_context": (400, asking("POST", "/context", lambda _: {"message": "What should I cook for tea?"})),
    "hand_over_turn": (150, hand_over_turn),
    "search_entries": (
        110,
        asking("POST", "/entries/search", lambda _: {"query": "The garden, the marathon?", "top_k": 5}),
    ),
    "search_messages": (
        80,
        asking("POST", "/messages/search", lambda _: {"query": "When was the sister in Lisbon?", "top_k": 5}),
    ),
    "list_entries": (60, asking("GET", "/entries?limit=20")),
    "edit_entry": (60, about_entry("PATCH", body=lambda n: {"content": f"Has said otherwise, number {n}"})),
    "add_entry": (20, add_entry),
    "delete_entry": (25, about_entry("DELETE", then="deleted")),
    "restore_entry": (15, about_entry("POST", "/restore", lambda _: {}, of="deleted")),
    "erase_entry": (10, about_entry("DELETE", "?permanent=true", then="")),
    "patch_profile": (20, asking("PATCH", "/profile", lambda n: {"visits": n})),
    "patch_session": (20, asking("PATCH", "/sessions/current", lambda n: {"state": {"page": n}})),
    "end_session": (6, asking("POST", "/sessions/current/end", optional=True)),
    "read_trace": (20, read_trace),
    "erase_person": (4, erase_person),
}


def _add(people: People, person: Person) -> None:
    number = people.number()
    body = {"content": f"Remembers number {number} {prose(50, seed=number)}", "type": "preference"}
    if made := people.ask(person, "POST", "/entries", body):
        person.entries.append(made["id"])

"""What clients do in a soak, and the people they do it for, as far as a client knows them.

Of somebody who is being erased meanwhile the service may say that nobody is there: 404.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks.client import Client, Unexpected
from benchmarks.seed import prose, turn_body

COMPANION = "soak"
FIRST_ENTRIES = 8


@dataclass(slots=True)
class Person:
    """`entries`: IDs that nobody else has in hand just now. `turns`: accepted ones."""

    user_id: str
    relationship_id: str
    entries: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    gone: bool = False  # being erased, or erased: what still asks for them may be told that nobody is there


class People:
    """Shared by the clients' threads."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._lock = threading.Lock()
        self._numbers = 0
        self.there: list[Person] = []
        self.erased: list[Person] = []

    def number(self) -> int:
        """A new one each time, for what has to be unlike everything else."""
        with self._lock:
            self._numbers += 1
            return self._numbers

    def somebody(self, random: Random) -> Person:
        with self._lock:
            return random.choice(self.there)

    def leave(self, random: Random) -> Person:
        """Somebody who is asked for no more."""
        with self._lock:
            person = self.there.pop(random.randrange(len(self.there)))
            person.gone = True
            self.erased.append(person)
            return person

    def take(self, pool: list[str], random: Random) -> str | None:
        """One of them, which is in nobody else's hands until it is put back."""
        with self._lock:
            return pool.pop(random.randrange(len(pool))) if pool else None

    def ask(
        self,
        person: Person,
        method: str,
        rest: str,
        body: object = None,
        *,
        expected: tuple[int, ...] = (200, 201, 202, 204),
        key: str | None = None,
    ) -> Any:
        """None where they are gone."""
        path = f"/v1/relationships/{person.relationship_id}{rest}"
        try:
            return self.client.ask(method, path, body, expected=expected, key=key)
        except Unexpected as unexpected:
            if person.gone and ": 404 " in str(unexpected):
                return None
            raise


Action = Callable[[People, Random], None]
Body = Callable[[int], object]


def arrive(people: People, random: Random) -> None:
    """Somebody new, of whom a few things are known already."""
    user = {"external_id": f"soak-{people.number()}", "display_name": "Maya"}
    made = people.client.ask("POST", "/v1/relationships", {"companion": COMPANION, "user": user})
    person = Person(made["user"]["id"], made["id"])
    for _ in range(FIRST_ENTRIES):
        _add(people, person)
    people.there.append(person)


def hand_over_turn(people: People, random: Random) -> None:
    """Every fifth is sent twice, as by a client that heard no answer."""
    person, number = people.somebody(random), people.number()
    sent = [
        people.ask(person, "POST", "/turns", turn_body(number), expected=(202,), key=f"turn-{number}")
        for _ in range(1 + (number % 5 == 0))
    ]
    ids = {answer["id"] for answer in sent if answer}
    if len(ids) > 1:
        raise Unexpected("POST turns: one call made two turns")
    person.turns.extend(ids)


def asking(method: str, rest: str, body: Body | None = None, *, expected: tuple[int, ...] = (200,)) -> Action:
    """A call about somebody; the body is of a number that no other call has."""

    def ask(people: People, random: Random) -> None:
        told = body(people.number()) if body else None
        people.ask(people.somebody(random), method, rest, told, expected=expected)

    return ask


def about_entry(
    method: str, rest: str = "", body: Body | None = None, *, of: str = "entries", then: str = "entries"
) -> Action:
    """A call about one of somebody's entries, which nobody else has in hand meanwhile. `then`: what it is one of."""

    def ask(people: People, random: Random) -> None:
        person = people.somebody(random)
        entry = people.take(getattr(person, of), random)
        if entry is not None:
            told = body(people.number()) if body else None
            people.ask(person, method, f"/entries/{entry}{rest}", told)
            if then:
                getattr(person, then).append(entry)

    return ask


def read_trace(people: People, random: Random) -> None:
    person = people.somebody(random)
    if person.turns:
        people.ask(person, "GET", f"/turns/{random.choice(person.turns)}")


def add_entry(people: People, random: Random) -> None:
    _add(people, people.somebody(random))


def erase_person(people: People, random: Random) -> None:
    """And somebody new comes, so that there are as many as before."""
    people.client.ask("DELETE", f"/v1/users/{people.leave(random).user_id}")
    arrive(people, random)


# How often each comes up among a thousand, and what it does.
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
    "end_session": (6, asking("POST", "/sessions/current/end", expected=(200, 404))),
    "read_trace": (20, read_trace),
    "erase_person": (4, erase_person),
}


def _add(people: People, person: Person) -> None:
    number = people.number()
    body = {"content": f"Remembers number {number} {prose(50, seed=number)}", "type": "preference"}
    made = people.ask(person, "POST", "/entries", body)
    if made:
        person.entries.append(made["id"])

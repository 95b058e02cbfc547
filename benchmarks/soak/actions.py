"""What clients do in a soak, one function each, and the people they do it for, as far as a client knows them.

Of somebody who is being erased meanwhile the service may say that nobody is there: 404.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from benchmarks.client import Client, Unexpected
from benchmarks.seed import prose, turn_body

COMPANION = "soak"
FIRST_ENTRIES = 8
Action = Callable[[Client, "People", Random], None]


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


def arrive(client: Client, people: People, random: Random) -> None:
    """Somebody new, of whom a few things are known already."""
    made = client.ask(
        "POST",
        "/v1/relationships",
        {
            "companion": COMPANION,
            "user": {"external_id": f"soak-{people.number()}", "display_name": "Maya"},
        },
        expected=(200, 201),
    )
    person = Person(made["user"]["id"], made["id"])
    for _ in range(FIRST_ENTRIES):
        _add(client, people, person)
    people.welcome(person)


def hand_over_turn(client: Client, people: People, random: Random) -> None:
    """Every fifth is sent twice, as by a client that heard no answer."""
    person, number = people.somebody(random), people.number()
    body = turn_body(number)
    sent = [
        _of(person, client, "POST", "/turns", body, expected=(202,), key=f"turn-{number}")
        for _ in range(1 + (number % 5 == 0))
    ]
    ids = {answer["id"] for answer in sent if answer}
    if len(ids) > 1:
        raise Unexpected("POST turns: one call made two turns")
    for id in ids:
        people.put(person.turns, id)


def fetch_context(client: Client, people: People, random: Random) -> None:
    _of(people.somebody(random), client, "POST", "/context", {"message": "What should I cook for tea?"})


def search_entries(client: Client, people: People, random: Random) -> None:
    body = {"query": "What about the garden and the marathon?", "top_k": 5}
    _of(people.somebody(random), client, "POST", "/entries/search", body)


def search_messages(client: Client, people: People, random: Random) -> None:
    body = {"query": "When did we talk about the sister in Lisbon?", "top_k": 5}
    _of(people.somebody(random), client, "POST", "/messages/search", body)


def list_entries(client: Client, people: People, random: Random) -> None:
    _of(people.somebody(random), client, "GET", "/entries?limit=20")


def read_trace(client: Client, people: People, random: Random) -> None:
    person = people.somebody(random)
    if person.turns:
        _of(person, client, "GET", f"/turns/{random.choice(person.turns)}")


def add_entry(client: Client, people: People, random: Random) -> None:
    _add(client, people, people.somebody(random))


def edit_entry(client: Client, people: People, random: Random) -> None:
    person = people.somebody(random)
    entry = people.take(person.entries, random)
    if entry is not None:
        number = people.number()
        _of(person, client, "PATCH", f"/entries/{entry}", {"content": f"Has said otherwise, number {number}"})
        people.put(person.entries, entry)


def delete_entry(client: Client, people: People, random: Random) -> None:
    person = people.somebody(random)
    entry = people.take(person.entries, random)
    if entry is not None:
        _of(person, client, "DELETE", f"/entries/{entry}", expected=(200, 204))
        people.put(person.deleted, entry)


def restore_entry(client: Client, people: People, random: Random) -> None:
    person = people.somebody(random)
    entry = people.take(person.deleted, random)
    if entry is not None:
        _of(person, client, "POST", f"/entries/{entry}/restore", {})
        people.put(person.entries, entry)


def erase_entry(client: Client, people: People, random: Random) -> None:
    person = people.somebody(random)
    entry = people.take(person.entries, random)
    if entry is not None:
        _of(person, client, "DELETE", f"/entries/{entry}?permanent=true")


def patch_profile(client: Client, people: People, random: Random) -> None:
    _of(people.somebody(random), client, "PATCH", "/profile", {"visits": people.number()})


def patch_session(client: Client, people: People, random: Random) -> None:
    body = {"state": {"page": people.number()}}
    _of(people.somebody(random), client, "PATCH", "/sessions/current", body)


def end_session(client: Client, people: People, random: Random) -> None:
    _of(people.somebody(random), client, "POST", "/sessions/current/end", expected=(200, 404))


def erase_person(client: Client, people: People, random: Random) -> None:
    """And somebody new comes, so that there are as many as before."""
    person = people.leave(random)
    client.ask("DELETE", f"/v1/users/{person.user_id}", expected=(200, 204))
    arrive(client, people, random)


# How often each comes up among a thousand.
MIX: Mapping[Action, int] = {
    fetch_context: 400,
    hand_over_turn: 150,
    search_entries: 110,
    search_messages: 80,
    list_entries: 60,
    edit_entry: 60,
    add_entry: 20,
    delete_entry: 25,
    restore_entry: 15,
    erase_entry: 10,
    patch_profile: 20,
    patch_session: 20,
    end_session: 6,
    read_trace: 20,
    erase_person: 4,
}


def _add(client: Client, people: People, person: Person) -> None:
    number = people.number()
    body = {"content": f"Remembers number {number} {prose(50, seed=number)}", "type": "preference"}
    made = _of(person, client, "POST", "/entries", body, expected=(200, 201))
    if made:
        people.put(person.entries, made["id"])


def _of(
    person: Person,
    client: Client,
    method: str,
    rest: str,
    body: object = None,
    *,
    expected: tuple[int, ...] = (200,),
    key: str | None = None,
) -> dict[str, str] | None:
    """None where they are gone."""
    try:
        answer: dict[str, str] | None = client.ask(
            method, person.path(rest), body, expected=expected, key=key
        )
    except Unexpected as unexpected:
        if person.gone and ": 404 " in str(unexpected):
            return None
        raise
    return answer

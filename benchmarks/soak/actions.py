"""What clients do in a soak, one function each. It asks once or twice, and keeps in mind what came of it.

Of somebody who is being erased meanwhile the service may say that nobody is there: 404.
"""

from collections.abc import Callable, Mapping
from random import Random

from benchmarks.sample import prose
from benchmarks.soak.client import Caller, Unexpected
from benchmarks.soak.people import People, Person

COMPANION = "soak"
FIRST_ENTRIES = 8
Action = Callable[[Caller, People, Random], None]


def arrive(caller: Caller, people: People, random: Random) -> None:
    """Somebody new, of whom a few things are known already."""
    made = caller.ask(
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
        _add(caller, people, person)
    people.welcome(person)


def hand_over_turn(caller: Caller, people: People, random: Random) -> None:
    """Every fifth is sent twice, as by a client that heard no answer."""
    person, number = people.somebody(random), people.number()
    body = {
        "messages": [
            {"role": "user", "content": f"On day {number} {prose(200, seed=number)}"},
            {"role": "assistant", "content": prose(200, seed=number + 1)},
        ]
    }
    sent = [
        _of(person, caller, "POST", "/turns", body, expected=(202,), key=f"turn-{number}")
        for _ in range(1 + (number % 5 == 0))
    ]
    ids = {answer["id"] for answer in sent if answer}
    if len(ids) > 1:
        raise Unexpected("POST turns: one call made two turns")
    for id in ids:
        people.put(person.turns, id)


def fetch_context(caller: Caller, people: People, random: Random) -> None:
    _of(people.somebody(random), caller, "POST", "/context", {"message": "What should I cook for tea?"})


def search_entries(caller: Caller, people: People, random: Random) -> None:
    body = {"query": "What about the garden and the marathon?", "top_k": 5}
    _of(people.somebody(random), caller, "POST", "/entries/search", body)


def search_messages(caller: Caller, people: People, random: Random) -> None:
    body = {"query": "When did we talk about the sister in Lisbon?", "top_k": 5}
    _of(people.somebody(random), caller, "POST", "/messages/search", body)


def list_entries(caller: Caller, people: People, random: Random) -> None:
    _of(people.somebody(random), caller, "GET", "/entries?limit=20")


def read_trace(caller: Caller, people: People, random: Random) -> None:
    person = people.somebody(random)
    if person.turns:
        _of(person, caller, "GET", f"/turns/{random.choice(person.turns)}")


def add_entry(caller: Caller, people: People, random: Random) -> None:
    _add(caller, people, people.somebody(random))


def edit_entry(caller: Caller, people: People, random: Random) -> None:
    person = people.somebody(random)
    entry = people.take(person.entries, random)
    if entry is not None:
        number = people.number()
        _of(person, caller, "PATCH", f"/entries/{entry}", {"content": f"Has said otherwise, number {number}"})
        people.put(person.entries, entry)


def delete_entry(caller: Caller, people: People, random: Random) -> None:
    person = people.somebody(random)
    entry = people.take(person.entries, random)
    if entry is not None:
        _of(person, caller, "DELETE", f"/entries/{entry}", expected=(200, 204))
        people.put(person.deleted, entry)


def restore_entry(caller: Caller, people: People, random: Random) -> None:
    person = people.somebody(random)
    entry = people.take(person.deleted, random)
    if entry is not None:
        _of(person, caller, "POST", f"/entries/{entry}/restore", {})
        people.put(person.entries, entry)


def erase_entry(caller: Caller, people: People, random: Random) -> None:
    person = people.somebody(random)
    entry = people.take(person.entries, random)
    if entry is not None:
        _of(person, caller, "DELETE", f"/entries/{entry}?permanent=true")


def patch_profile(caller: Caller, people: People, random: Random) -> None:
    _of(people.somebody(random), caller, "PATCH", "/profile", {"visits": people.number()})


def patch_session(caller: Caller, people: People, random: Random) -> None:
    body = {"state": {"page": people.number()}}
    _of(people.somebody(random), caller, "PATCH", "/sessions/current", body)


def end_session(caller: Caller, people: People, random: Random) -> None:
    _of(people.somebody(random), caller, "POST", "/sessions/current/end", expected=(200, 404))


def erase_person(caller: Caller, people: People, random: Random) -> None:
    """And somebody new comes, so that there are as many as before."""
    person = people.leave(random)
    caller.ask("DELETE", f"/v1/users/{person.user_id}", expected=(200, 204))
    arrive(caller, people, random)


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


def _add(caller: Caller, people: People, person: Person) -> None:
    number = people.number()
    body = {"content": f"Remembers number {number} {prose(50, seed=number)}", "type": "preference"}
    made = _of(person, caller, "POST", "/entries", body, expected=(200, 201))
    if made:
        people.put(person.entries, made["id"])


def _of(
    person: Person,
    caller: Caller,
    method: str,
    rest: str,
    body: object = None,
    *,
    expected: tuple[int, ...] = (200,),
    key: str | None = None,
) -> dict[str, str] | None:
    """None where they are gone."""
    try:
        answer: dict[str, str] | None = caller.ask(
            method, person.path(rest), body, expected=expected, key=key
        )
    except Unexpected as unexpected:
        if person.gone and ": 404 " in str(unexpected):
            return None
        raise
    return answer

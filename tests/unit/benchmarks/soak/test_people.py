from random import Random

from benchmarks.soak.people import People, Person


def people_of(*names: str) -> People:
    people = People()
    for name in names:
        people.welcome(Person(f"user-{name}", f"relationship-{name}", entries=["entry"]))
    return people


def test_who_leaves_is_asked_for_no_more() -> None:
    people = people_of("a", "b")

    person = people.leave(Random(1))

    assert person.gone
    assert person not in people.there
    assert people.erased == [person]


def test_an_entry_is_in_one_pair_of_hands() -> None:
    people = people_of("a")
    (person,) = people.there

    assert people.take(person.entries, Random(1)) == "entry"
    assert people.take(person.entries, Random(1)) is None

    people.put(person.entries, "entry")
    assert people.take(person.entries, Random(1)) == "entry"


def test_a_path_names_the_relationship() -> None:
    assert people_of("a").there[0].path("/context") == "/v1/relationships/relationship-a/context"


def test_no_number_comes_twice() -> None:
    people = People()

    assert [people.number() for _ in range(3)] == [1, 2, 3]

"""What the measures of speed say and ask: people who are known already, and turns that each tell something new."""

from collections.abc import Sequence

from benchmarks.peers.facts import Book, Change
from benchmarks.peers.systems import Call, Message

PEOPLE = 32
KNOWN = 20  # memories of each
_THINGS = "garden piano sister marathon bakery canoe lantern violin orchard harbour".split()
_PLACES = "Lisbon Porto Bergen Ghent Turin Graz Malaga Tartu Cork Delft".split()


def known(group: str) -> dict[str, list[str]]:
    """What is remembered of a group of people before the first call."""
    return {
        person(group, number): [_memory(number, place) for place in range(KNOWN)] for number in range(PEOPLE)
    }


def person(group: str, number: int) -> str:
    return f"{group}-{number % PEOPLE}"


def fetches(group: str, count: int, *, start: int) -> list[Call]:
    """Each person is asked about what is remembered of them, in turn; no question is asked twice."""
    return [
        Call(
            "fetch",
            person(group, number),
            question=f"How did it go with the {_thing(number)} on day {number}?",
        )
        for number in range(start, start + count)
    ]


def hand_overs(group: str, count: int, *, start: int) -> list[Call]:
    """Turns of two messages each, of the people in turn; `start` numbers them, so that none is said twice."""
    return [
        Call("hand_over", person(group, number), messages=_turn(number))
        for number in range(start, start + count)
    ]


def book_of(calls: Sequence[Call]) -> Book:
    """Each turn's first message tells one new fact."""
    return {call.messages[0].content: [Change(_fact(call.messages[0].content))] for call in calls}


def _turn(number: int) -> list[Message]:
    return [
        Message(
            "user",
            f"On day {number} I took the {_thing(number)} to {_PLACES[number // 10 % 10]}, and it rained.",
        ),
        Message("assistant", "That sounds like a day to remember. What did you do when the rain began?"),
    ]


def _fact(said: str) -> str:
    return said.replace("I took", "took").removesuffix(", and it rained.")


def _memory(number: int, place: int) -> str:
    return f"Has {place + 2} stories about the {_thing(place)} in {_PLACES[(number + place) % 10]}"


def _thing(number: int) -> str:
    return _THINGS[number % len(_THINGS)]

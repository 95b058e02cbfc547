from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Lock

from benchmarks.peers.measures.clients import (
    Deed,
    hand_over,
    hand_over_at_once,
    insist,
    ours,
    start_all,
    storing,
)
from benchmarks.peers.stories import Told
from benchmarks.peers.systems.base import NotThere, System
from benchmarks.peers.systems.rapport import RapportInProcess
from tests.unit.benchmarks.peers.measures.remembering import Fault, Remembering, Taught, field_of

DEEDS = [Deed(f"person-{number}", Told("opening", f"I own boat {number}."), None) for number in range(8)]


class Unwilling(Remembering):
    """Refuses the first call of everybody, so many times."""

    def __init__(self, times: int) -> None:
        super().__init__(Taught())
        self._left = dict.fromkeys([deed.user for deed in DEEDS], times)
        self._guard = Lock()

    def hand_over(self, user: str, *args: object, **options: object) -> None:
        with self._guard:
            self._left[user] -= 1
        if self._left[user] >= 0:
            raise ConnectionError(user)


def test_what_is_refused_comes_back_in_order() -> None:
    assert hand_over(Unwilling(1), DEEDS) == DEEDS
    assert hand_over_at_once(Unwilling(0), DEEDS) == []


def test_a_client_insists_until_it_is_accepted() -> None:
    system = Unwilling(2)

    assert insist(system, hand_over(system, DEEDS)) == 2 * len(DEEDS)
    assert hand_over(system, DEEDS) == []


def test_a_client_gives_up_after_some_tries() -> None:
    system = Unwilling(100)

    assert insist(system, hand_over(system, DEEDS)) == 3 * len(DEEDS)


def test_a_system_that_does_not_start_is_told_and_the_others_do(tmp_path: Path) -> None:
    def broken() -> System:
        raise NotThere("it is not installed")

    with field_of(tmp_path, "") as (field, made), ExitStack() as stack:
        systems, remarks = start_all(replace(field, systems=[broken, *field.systems]), stack)

    assert systems == made
    assert len(remarks) == 1
    assert remarks[0].endswith("did not start: it is not installed")


def test_rapport_in_process_is_not_asked_twice_how_it_stores(tmp_path: Path) -> None:
    with field_of(tmp_path, "") as (field, _):
        assert storing(replace(field, systems=[*field.systems, RapportInProcess])) == field.systems


def test_what_was_found_for_rapport_is_that_of_all_its_systems_or_nothing(tmp_path: Path) -> None:
    names: dict[Fault, str] = {"": "rapport", "only adds": "rapport-retrieval"}
    with field_of(tmp_path, "", "only adds", "breaks", names=names) as (field, _):
        assert ours(field, {"rapport": 1, "breaks": 2, "rapport-retrieval": 3}) == [1, 3]
        assert ours(field, {"rapport": 1, "breaks": 2}) == []

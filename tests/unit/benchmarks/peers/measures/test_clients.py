from threading import Lock

from benchmarks.peers.measures.clients import Deed, hand_over, hand_over_at_once, insist
from benchmarks.peers.stories import Told
from tests.unit.benchmarks.peers.measures.remembering import Remembering, Taught

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

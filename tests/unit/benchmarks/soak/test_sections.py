import pytest

from benchmarks.soak.pace import Done, Sample
from benchmarks.soak.sections import latency, memory, requests, steadiness


def test_quarters_are_of_time_and_not_of_count() -> None:
    crowded = [(number / 100, 1.0) for number in range(100)]

    assert steadiness([*crowded, (90.0, 3.0), (100.0, 3.0)]).last == 3.0


def test_an_error_is_missed_also_while_warming_up() -> None:
    done = [Done("fetch_context", at / 10, 0.0, 5.0) for at in range(100)]
    error = Done("fetch_context", 0.0, 0.0, 5.0, "POST /context: 500")

    assert requests(done, seconds=10, rate=10).missed() == []
    assert requests(done, warm_up=[error], seconds=10, rate=10).missed() == ["requests: errors"]


def test_what_becomes_slower_is_missed() -> None:
    done = [Done("fetch_context", float(at), 0.0, 5.0 + at) for at in range(100)]

    assert "latency: fetch_context, p50: last / first" in latency(done, seconds=100).missed()


@pytest.mark.parametrize(
    ("last", "ids", "missed"),
    [
        ({"web": 100.0, "database": 300.0}, {1, 2}, []),
        ({"web": 120.0, "database": 100.0}, {1, 2}, ["web: last / first"]),
        ({"web": 100.0, "database": 100.0}, {1, 3}, ["processes that ended, readers apart"]),
    ],
    ids=["steady, but for a cache", "larger", "started anew"],
)
def test_memory_that_grows_and_processes_that_end_are_missed(
    last: dict[str, float], ids: set[int], missed: list[str]
) -> None:
    first = Sample(0.0, {"web": 100.0, "database": 100.0}, frozenset({1, 2}))
    samples = [first, *(Sample(float(at), last, frozenset(ids)) for at in range(1, 10))]
    samples[1] = Sample(1.0, first.memory, first.lasting)

    assert memory(samples).missed() == [f"memory: {name}" for name in missed]

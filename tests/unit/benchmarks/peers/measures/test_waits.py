from benchmarks.peers.measures.waits import CASES, Case, Taken


def test_both_verbs_are_timed_at_each_latency_and_number_of_clients() -> None:
    assert len({case.name for case in CASES}) == len(CASES) == 8


def test_a_tail_of_a_round_needs_calls_enough() -> None:
    assert Case("fetch", 0, 1).has_a_tail
    assert not Case("hand_over", 300, 1).has_a_tail


def test_where_a_round_has_few_calls_the_tail_is_that_of_all_rounds() -> None:
    taken = Taken([[float(number) for number in range(50)], [float(number) for number in range(50, 100)]])

    assert len(taken.p95(Case("fetch", 0, 1))) == 2
    [tail] = taken.p95(Case("fetch", 300, 1))
    assert 90 < tail < 99

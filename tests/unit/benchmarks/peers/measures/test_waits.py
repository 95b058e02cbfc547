from benchmarks.peers.measures.waits import CASES, Case


def test_both_verbs_are_timed_at_each_latency_and_number_of_clients() -> None:
    assert len({case.name for case in CASES}) == len(CASES) == 8


def test_a_tail_is_told_only_where_there_are_calls_enough() -> None:
    assert Case("fetch", 0, 1).has_a_tail
    assert not Case("hand_over", 300, 1).has_a_tail

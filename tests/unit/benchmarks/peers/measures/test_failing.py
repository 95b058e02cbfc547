from typing import Any, cast

from benchmarks.peers.measures.failing import in_words, noting, running


class Named:
    def __init__(self, name: str) -> None:
        self.name = name


def test_who_fails_is_left_out_from_then_on_and_named() -> None:
    one, other = cast(Any, Named("mem0")), cast(Any, Named("langmem"))
    failures: dict[str, str] = {}

    for system in (one, other):
        with noting(system, failures):
            if system is one:
                raise RuntimeError("no room")

    assert running([one, other], failures) == [other]
    assert in_words(failures) == ["mem0 failed and was left out from then on: RuntimeError: no room"]

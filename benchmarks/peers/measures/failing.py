"""A system that fails is left out from then on, and the report says why; the others go on."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from benchmarks.peers.systems.base import System


def running(systems: Sequence[System], failures: Mapping[str, str]) -> list[System]:
    return [system for system in systems if system.name not in failures]


@contextmanager
def noting(system: System, failures: dict[str, str]) -> Iterator[None]:
    """What is raised within is the system's failure."""
    try:
        yield
    except Exception as problem:
        failures[system.name] = f"{type(problem).__name__}: {problem}"[:400]
        print(*in_words({system.name: failures[system.name]}), file=sys.stderr)


def in_words(failures: Mapping[str, str]) -> list[str]:
    return [f"{name} failed and was left out from then on: {failure}" for name, failure in failures.items()]

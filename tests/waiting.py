import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], *, timeout: float = 10.0, what: str = "the condition") -> T:
    """What `condition` answers, as soon as it is truthy. AssertionError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout:g} s for {what}; last answer: {answer!r}")
        time.sleep(0.02)

import os
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# How many times as long a machine may take of which nothing is known but that it is shared.
PATIENCE = 4 if os.environ.get("CI") else 1


def wait_until(condition: Callable[[], T], *, timeout: float = 10.0, what: str = "the condition") -> T:
    """What `condition` answers, as soon as it is truthy. AssertionError after `timeout` seconds, in CI four times
    as many. Asked less often the longer it takes: some ask all processes of the machine, or a new session of the
    database, while what they wait for wants the processor.
    """
    began = time.monotonic()
    deadline = began + timeout * PATIENCE
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout * PATIENCE:g} s for {what}; last answer: {answer!r}")
        time.sleep(min(0.01 + (time.monotonic() - began) / 20, 0.1))

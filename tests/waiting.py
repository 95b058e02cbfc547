import os
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# A factor for timeouts in CI, whose machines are shared.
PATIENCE = 4 if os.environ.get("CI") else 1


def wait_until(condition: Callable[[], T], *, timeout: float = 10.0, what: str = "the condition") -> T:
    """Wait until `condition` returns something truthy, and return that. AssertionError after `timeout` seconds, in CI
    after four times as many. The longer it takes the less often it polls, as some conditions look at all processes or
    open a session, while what they wait for needs the CPU.
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

"""Whether this server process was asked to stop: who would go on for as long as a client listens ends then."""

import signal
import threading
from typing import Any

stopping = threading.Event()


def notice_stop() -> None:
    """Call it once the server has set up its own signals, which go on as before."""
    if threading.current_thread() is not threading.main_thread():
        return  # where no signal comes
    before = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: Any) -> None:
        stopping.set()
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGTERM, stop)

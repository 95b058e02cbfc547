"""Notice that this server process was asked to stop, so that endless streams can end."""

import signal
import threading
from typing import Any

stopping = threading.Event()


def notice_stop() -> None:
    """Begin to watch for SIGTERM. Call it after the server has set its own handler, which still runs."""
    if threading.current_thread() is not threading.main_thread():
        return  # signals are only for the main thread
    before = signal.getsignal(signal.SIGTERM)

    def stop(number: int, frame: Any) -> None:
        stopping.set()
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGTERM, stop)

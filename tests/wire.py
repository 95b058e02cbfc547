"""Record what really goes over the wire, by the driver's own trace, which no statement can bypass."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

_SENT = re.compile(r"^F\t\d+\t(Query|Execute)\b")


@contextmanager
def statements_sent() -> Iterator[list[str]]:
    """After the block, the list has one line for every statement that the default connection sent in it.

    BEGIN, SAVEPOINT and the like count, too; preparing a statement, once per connection, does not.
    """
    sent: list[str] = []
    connection.ensure_connection()
    with tempfile.TemporaryFile() as trace:
        wire = connection.connection.pgconn
        wire.trace(trace.fileno())
        wire.set_trace_flags(1)  # no timestamps
        try:
            yield sent
        finally:
            wire.untrace()
        trace.seek(0)
        sent += [line for line in trace.read().decode(errors="replace").splitlines() if _SENT.match(line)]

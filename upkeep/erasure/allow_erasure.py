from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def erasing() -> Iterator[None]:
    """A transaction in which history may be emptied and deleted. No other code may set this flag.

    It is set by SET LOCAL, which a distributed database passes on to its nodes. It is reset at the end of the outermost
    such block, even inside a caller's longer transaction, and by a rollback.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('rapport.erasing', true) = 'on'")
        inside_another = cursor.fetchone()[0]
        cursor.execute("SET LOCAL rapport.erasing = 'on'")
        yield
        if not inside_another:
            cursor.execute("SET LOCAL rapport.erasing = 'off'")

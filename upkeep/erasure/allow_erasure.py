from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def erasing() -> Iterator[None]:
    """A transaction in which history may be emptied and deleted. Nothing else of ours may set this flag.

    By the statement SET LOCAL, as that is what a distributed database passes on to its other servers. It ends with
    the outermost such block, also inside a caller's longer transaction; a roll-back takes it back by itself.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('rapport.erasing', true) = 'on'")
        inside_another = cursor.fetchone()[0]
        cursor.execute("SET LOCAL rapport.erasing = 'on'")
        yield
        if not inside_another:
            cursor.execute("SET LOCAL rapport.erasing = 'off'")

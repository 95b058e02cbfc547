"""Watch SQL for what a distributed table forbids: an UPDATE that writes a relationship's key."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

_UPDATE = re.compile(r'\s*UPDATE "?(?P<table>\w+)"? SET (?P<set>.*?) WHERE ', re.DOTALL | re.IGNORECASE)


@contextmanager
def updates_of_keys() -> Iterator[list[str]]:
    """The statements that wrote a key, collected while the block runs."""
    found: list[str] = []

    def look(execute: Any, sql: Any, params: Any, many: bool, ctx: Any) -> Any:
        update = _UPDATE.match(str(sql))
        if update is not None:
            key = '"id" =' if update["table"] == "relationships_relationship" else '"relationship_id" ='
            found.extend([str(sql)] if key in update["set"] else [])
        return execute(sql, params, many, ctx)

    with connection.execute_wrapper(look):
        yield found

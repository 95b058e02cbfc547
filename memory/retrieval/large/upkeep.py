"""Makes the indexes that are wanted and drops those that are not, one after the other.

Killed at any point, it leaves at worst an index that the database itself calls invalid: the next round drops it and
begins again. What nobody wants, as after an erasure, is known by its name.
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import structlog
from django.db.models import F
from django.utils import timezone
from psycopg import sql

from memory.models import IndexPurpose, IndexState, LargeIndex
from memory.retrieval.decay.write import fold_relationship
from memory.retrieval.large.means import take_means
from memory.retrieval.large.session import upkeep_session
from memory.retrieval.large.statements import PREFIX, TABLES, covered, create, drop, index_name, key_of

log = structlog.get_logger(__name__)

_BACKOFF, _LONGEST_BACKOFF = timedelta(minutes=1), timedelta(hours=6)

_THERE = """
SELECT c.relname, i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
 WHERE starts_with(c.relname, %s) AND pg_table_is_visible(c.oid)
   AND i.indrelid IN (SELECT %s::regclass UNION SELECT inhrelid FROM pg_inherits WHERE inhparent = %s::regclass)
"""

Session = psycopg.Connection[Any]


def keep_up(now: datetime) -> int:
    """One round: all that is unwanted goes, and what is due is made. How many indexes came or went."""
    with upkeep_session() as session:
        if session is None:
            return 0
        done = drop_unwanted(session)
        while (row := _claim(timezone.now())) is not None:
            done += _make_or_note(session, row)
        return done


def is_owed(now: datetime) -> bool:
    """Whether a round has something to do; cheap, for it is asked every few seconds."""
    return LargeIndex.objects.filter(due_at__lte=now).exists()


def drop_unwanted(session: Session) -> int:
    """Drop what no row wants and what a killed round left invalid; want anew what is ready and not there."""
    rows = {index_name(row.purpose, row.id): row for row in LargeIndex.objects.all()}
    there = indexes_there(session)
    unwanted = [name for name, valid in there.items() if name not in rows or not valid]
    for name in unwanted:
        session.execute(drop(name))
        log.info("dropped an index", event_name="retrieval.index.dropped", index=name)
    for name, row in rows.items():
        if row.state == IndexState.READY and not there.get(name):
            _of(row).update(state=IndexState.WANTED, due_at=timezone.now())
    return len(unwanted)


def indexes_there(session: Session) -> dict[str, bool]:
    """The large relationships' indexes in the database, and whether each is valid."""
    there: dict[str, bool] = {}
    for table in TABLES.values():
        there.update(session.execute(_THERE, [PREFIX, table, table]).fetchall())
    return there


def _claim(now: datetime) -> LargeIndex | None:
    """What is due longest; it falls due again by itself, should we be killed over it."""
    row = LargeIndex.objects.filter(due_at__lte=now).order_by("due_at").first()
    if row is None:
        return None
    pause = min(_BACKOFF * 2 ** min(row.attempts, 10), _LONGEST_BACKOFF)
    claimed = _of(row).filter(due_at=row.due_at).update(due_at=now + pause, attempts=F("attempts") + 1)
    return row if claimed else None


def _make_or_note(session: Session, row: LargeIndex) -> int:
    try:
        return _make(session, row)
    except psycopg.OperationalError:
        raise  # the session is gone, and with it this round
    except Exception as error:
        _of(row).update(state=IndexState.FAILED, error=type(error).__name__[:60])
        log.warning(
            "an index could not be made; it will be tried again",
            event_name="retrieval.index.failed",
            relationship_id=str(row.relationship_id),
            purpose=row.purpose,
            error_class=type(error).__name__,
        )
        return 0


def _make(session: Session, row: LargeIndex) -> int:
    name, valid = index_name(row.purpose, row.id), indexes_there(session)
    counted = {"due_at": None, "attempts": 0, "error": "", **take_means(key_of(row))}
    if row.state == IndexState.READY and valid.get(name):
        _of(row).update(**counted)
        return 0
    if row.purpose == IndexPurpose.DECAY:
        # Row after row into an index takes many times as long as the index over all of them.
        session.execute(drop(name))
        valid.pop(name, None)
        counted["reference"] = fold_relationship(row)
    if not valid.get(name):
        session.execute(drop(name))
        table = _partition_of(session, row)
        if table is None:
            _of(row).delete()
            return 1
        session.execute(create(key_of(row), name=name, table=table))
        session.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(table)))
    _of(row).update(state=IndexState.READY, built_at=timezone.now(), **counted)
    log.info(
        "a large relationship has an index",
        event_name="retrieval.index.ready",
        relationship_id=str(row.relationship_id),
        purpose=row.purpose,
        rows=counted.get("rows", row.rows),
    )
    return 1


def _partition_of(session: Session, row: LargeIndex) -> str | None:
    """The table that holds the rows; None when there are none any more."""
    found = session.execute(
        sql.SQL("SELECT tableoid::regclass::text FROM {} WHERE {} LIMIT 1").format(
            sql.Identifier(TABLES[IndexPurpose(row.purpose)]), covered(key_of(row))
        )
    ).fetchone()
    return str(found[0]) if found else None


def _of(row: LargeIndex) -> Any:
    return LargeIndex.objects.for_relationship(row.relationship_id).filter(id=UUID(str(row.id)))

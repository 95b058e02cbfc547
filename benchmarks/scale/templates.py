"""The relationships that are copied, made by the services, so that every column is as they leave it.

Their rows are moved to the schema `scale`, where a marker replaces the last 32 bits of each ID; in a copy, the
relationship's number replaces the marker (clone.py).
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.db.models import Max

from benchmarks.seed import BY, make_companion
from memory.entries.adding import add_entry
from memory.ingestion.intake import accept_turn
from memory.models import EntrySource
from memory.retrieval.index.embed import embed_owed
from relationships.models import Project, Relationship, Turn, TurnState
from relationships.services.relationships import get_or_create_relationship
from relationships.services.turns import NewMessage, NewTurn

ENTRIES = 20  # of each relationship
PATTERNS = 100  # different relationships, of which the others are copies
_DOES = "Likes,Avoids,Collects,Sells,Repairs,Paints,Misses,Wants".split(",")
_HOW = "green,old,small,loud,quiet,heavy,broken,golden,cheap".split(",")
_WHAT = "tea,dogs,boats,books,trains,shoes,songs,maps,hills,clocks,stamps,bread,chairs".split(",")
_WHEN = "on Sundays,at work,with Ana,since spring,in Porto,before breakfast,every winter".split(",")
TYPES = "preference,event,goal,identity,relationship,other".split(",")
TURNS = 2
VISITS = 10  # parts in which a relationship's rows are inserted, with the others' rows between them
MARKER = "0badf00d"  # no end of it is also its beginning, so that it is found where it was put
# How a copy's columns differ from the template's: IDs have the relationship's number in their last 32 bits.
_ID = "(left(({column})::text, 28) || r.hex)::uuid"
_IN_JSON = f"replace(({{column}})::text, '{MARKER}', r.hex)::jsonb"
_ENTRY_ID = "({column}) || jsonb_build_object('id', left(({column}) ->> 'id', 28) || r.hex)"
TABLES: Mapping[str, Mapping[str, str]] = {
    "memory_scratchpadentry": {"id": _ID},
    "memory_entryrevision": {"id": _ID, "entry_id": _ID, "after": _ENTRY_ID},
    "memory_searchtext": {"id": _ID, "owner_id": _ID},
    "memory_embedding": {"id": _ID, "owner_id": _ID},
    "relationships_turn": {"id": _ID},
    "relationships_message": {"id": _ID, "turn_id": _ID},
    "relationships_sessionstate": {"id": _ID},
    "relationships_snapshot": {"id": _ID, "scratchpad": _IN_JSON},
}
_CONFIG = {"retrieval": {"embedder": "offline"}, "ingestion": {"trigger": {"mode": "explicit"}}}
_OWN_ID = r"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{4})[0-9a-f]{8}"

# `visit`: the number of a part; a relationship's rows are divided evenly, in their order.
_SET_ASIDE = """
CREATE TABLE scale.{table} AS
SELECT pattern, visit, (kept).*
  FROM (SELECT p.number AS pattern,
               ntile(%(visits)s) OVER (PARTITION BY t.relationship_id ORDER BY t.id) - 1 AS visit,
               (regexp_replace(t::text, %(own_id)s, %(marker)s, 'g'))::{table} AS kept
          FROM {table} t JOIN scale.pattern p USING (relationship_id)) made
"""


def make_templates(patterns: int = PATTERNS) -> int:
    """Make the templates and move their rows to the schema `scale`. Return the `last_seq` of each copy."""
    project = make_companion("ada", _CONFIG).project
    people = [_person(project, pattern) for pattern in range(patterns)]
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA IF EXISTS scale CASCADE")
        cursor.execute("CREATE SCHEMA scale")
        cursor.execute("CREATE TABLE scale.pattern (number integer, relationship_id uuid)")
        rows = [(number, person.id) for number, person in enumerate(people)]
        cursor.executemany("INSERT INTO scale.pattern VALUES (%s, %s)", rows)
        for table in TABLES:
            values: dict[str, str | int] = {"own_id": _OWN_ID, "marker": f"\\1{MARKER}", "visits": VISITS}
            cursor.execute(_SET_ASIDE.format(table=table), values)
        last_seq: int = Relationship.objects.filter(project=project).aggregate(last=Max("last_seq"))["last"]
        cursor.execute(f"TRUNCATE {', '.join(TABLES)}, relationships_idempotencykey, django_q_ormq CASCADE")
        cursor.execute("DELETE FROM relationships_relationship WHERE project_id = %s", [project.id])
        cursor.execute("DELETE FROM relationships_enduser WHERE project_id = %s", [project.id])
    return last_seq


def _person(project: Project, pattern: int) -> Relationship:
    relationship, _ = get_or_create_relationship(
        project_id=project.id, companion="ada", user=f"pattern-{pattern}", by=BY, display_name="Maya"
    )
    now = datetime.now(UTC)
    for place in range(ENTRIES):
        told = now - timedelta(days=ENTRIES - place, minutes=pattern)
        values = {"type": TYPES[place % len(TYPES)], "content": line(pattern, place), "effective_at": told}
        add_entry(relationship=relationship, values=values, by=BY, source=EntrySource.API)
    for turn in range(TURNS):
        mine, theirs = said(pattern, turn)
        messages = [NewMessage("user", mine), NewMessage("assistant", theirs)]
        accept_turn(relationship=relationship, new=NewTurn(messages, now - timedelta(hours=TURNS - turn)))
    # As a worker leaves turns without operations, but without the model call.
    settled = {
        "state": TurnState.APPLIED,
        "waits_for": "",
        "attempts": 1,
        "claimed_at": now,
        "settled_at": now,
    }
    Turn.objects.for_relationship(relationship.id).update(**settled)
    embed_owed(relationship_id=relationship.id)
    return relationship


def line(pattern: int, place: int) -> str:
    """The text of the entry at `place`, which is unique in its pattern."""
    number = pattern * ENTRIES + place
    words = (_DOES[number % 8], _HOW[number % 9], _WHAT[number % 13], _WHEN[number % 7])
    return f"{' '.join(words)}, number {number}"


def question(number: int) -> str:
    """A question that some entries of every relationship match."""
    return f"Do they like {_WHAT[number % 13]} or {_WHAT[(number + 5) % 13]}?"


def said(pattern: int, turn: int) -> tuple[str, str]:
    """A message of the person, and the companion's reply."""
    what = _WHAT[(pattern + turn) % 13]
    return (
        f"I was thinking about {what} again on the way home.",
        f"You often come back to {what}. What about it?",
    )

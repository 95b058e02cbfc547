from collections.abc import Iterator, Sequence
from datetime import datetime

from memory.ingestion.intake import ROUTE
from upkeep.verification.invariant import (
    Finding,
    Invariant,
    Page,
    Problem,
    execute,
    imports_of,
    owner_of,
    rows,
)

CITATION = Problem(
    "citation",
    "an entry rests on a message that is not there",
    "The message is lost: restore the relationship from a backup. The entry itself stands.",
)
HELD = Problem(
    "held_deletion",
    "a held deletion is about an entry that never was in this relationship",
    "Decline it: POST .../held-deletions/{id}/decline, or on the relationship's page.",
)
CALL = Problem(
    "model_call",
    "a model call was made for turns of which none is there",
    "The turns are lost: restore the relationship from a backup.",
)
LOST_CALL = Problem(
    "lost_call",
    "a turn was read by model calls that are not there",
    "What was asked and answered is lost; what the turn changed stands. Restore the relationship from a backup.",
)
KEY = Problem(
    "idempotency_key", "an idempotency key stands for a turn that is not there, so the call can't be made"
)

_CITATIONS = """
SELECT e.relationship_id, e.id, count(*) || ' messages'
  FROM memory_scratchpadentry e, unnest(e.source_message_ids) cited (id)
 WHERE e.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT FROM relationships_message m WHERE m.relationship_id = e.relationship_id AND m.id = cited.id)
 GROUP BY e.relationship_id, e.id
"""
# An entry that was erased is in no table but the history.
_HELD = """
SELECT h.relationship_id, h.id, '' FROM memory_helddeletion h
 WHERE h.relationship_id = ANY(%(ids)s) AND h.state = 'waiting' AND EXISTS (
       SELECT FROM memory_operationresult o
        WHERE o.relationship_id = h.relationship_id AND o.held_id = h.id AND NOT EXISTS (
              SELECT FROM memory_entryrevision r
               WHERE r.relationship_id = h.relationship_id AND r.entry_id = o.entry_id))
"""
_CALLS = """
SELECT c.relationship_id, c.id, '' FROM memory_modelcall c
 WHERE c.relationship_id = ANY(%(ids)s) AND cardinality(c.turn_ids) > 0 AND NOT EXISTS (
       SELECT FROM relationships_turn t WHERE t.relationship_id = c.relationship_id AND t.id = ANY(c.turn_ids))
"""
_LOST_CALLS = """
SELECT t.relationship_id, t.id, t.recorded_at, count(*)
  FROM relationships_turn t, unnest(t.model_call_ids) asked (id)
 WHERE t.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT FROM memory_modelcall c WHERE c.relationship_id = t.relationship_id AND c.id = asked.id)
 GROUP BY t.relationship_id, t.id, t.recorded_at
"""
_KEYS = f"""
SELECT k.relationship_id, k.id, '' FROM relationships_idempotencykey k
 WHERE k.relationship_id = ANY(%(ids)s) AND k.route = '{ROUTE}' AND NOT EXISTS (
       SELECT FROM relationships_turn t WHERE t.relationship_id = k.relationship_id AND t.id = k.resource_id)
"""  # noqa: S608 - a constant of ours
_DROP_KEYS = (
    "DELETE FROM relationships_idempotencykey WHERE relationship_id = %(owner)s AND id = ANY(%(rows)s)"
)


class ReferencesInvariant(Invariant):
    slug = "references"
    promise = "What a row names is there: messages that are cited, turns that a call, key or held deletion is about."
    statements = ((CITATION, _CITATIONS), (HELD, _HELD), (CALL, _CALLS), (KEY, _KEYS))

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        """An import brings a turn's calls only if it was exported with them."""
        yield from super().check(page, now=now)
        found = list(rows(_LOST_CALLS, page))
        imports = imports_of({owner_id for owner_id, *_ in found})
        for owner_id, turn_id, recorded_at, count in found:
            origin = imports.get(owner_id)
            if origin is None or origin.at < recorded_at or origin.with_calls:
                yield Finding(LOST_CALL, owner_id, turn_id, f"{count} calls")

    def repair(self, findings: Sequence[Finding], *, now: datetime) -> None:
        """A key of nothing goes: the same call makes its turn then."""
        execute(_DROP_KEYS, {"owner": owner_of(findings), "rows": [finding.row_id for finding in findings]})

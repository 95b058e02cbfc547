from collections.abc import Iterator
from datetime import datetime

from upkeep.verification.invariant import Finding, Invariant, Page, Problem, rows

LOST = "Restore the relationship from a backup that has it."
WITHOUT_MESSAGES = Problem("without_messages", "a turn has no message: what was said in it is lost", LOST)
WITHOUT_TURN = Problem("message_without_turn", "a message is of a turn that is not there", LOST)
OF_NO_TURN = Problem("change_of_no_turn", "a revision names a turn that is not there", LOST)
NOT_APPLIED = Problem(
    "not_applied",
    "a model's changes are there, but the turn that they are of is not applied, and would be read again",
    "Read the turn's trace and the changes. If they are right, leave it failed; if not, undo them and retry it.",
)
APPLIED_TWICE = Problem(
    "applied_twice",
    "a turn was applied more than once",
    "Read its changes in the history, and delete the entries that came twice.",
)
NOT_WRITTEN = Problem(
    "not_written",
    "a turn says that an operation was carried out, and no revision does: a change is lost",
    "Say it again: add or change the entry by hand, or restore the relationship from a backup.",
)
OVERTAKEN = Problem(
    "overtaken",
    "a later turn was applied while an earlier one was being read, so they were read out of order",
    "Read the changes of both in the history, and mend the entries that the earlier one overruled.",
)

_WITHOUT_MESSAGES = """
SELECT t.relationship_id, t.id, '' FROM relationships_turn t
 WHERE t.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT FROM relationships_message m WHERE m.relationship_id = t.relationship_id AND m.turn_id = t.id)
"""
_WITHOUT_TURN = """
SELECT m.relationship_id, m.id, '' FROM relationships_message m
 WHERE m.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT FROM relationships_turn t WHERE t.relationship_id = m.relationship_id AND t.id = m.turn_id)
"""
# An answer is applied in one transaction, so all that a model changed for a turn bears one time.
_CHANGES = """
SELECT r.relationship_id, r.turn_id, t.state, r.times FROM (
       SELECT relationship_id, turn_id, count(DISTINCT recorded_at) FILTER (WHERE actor_kind = 'model') AS times
         FROM memory_entryrevision WHERE relationship_id = ANY(%(ids)s) AND turn_id IS NOT NULL
        GROUP BY relationship_id, turn_id) r
  LEFT JOIN relationships_turn t ON t.relationship_id = r.relationship_id AND t.id = r.turn_id
 WHERE t.state IS NULL OR r.times > 1 OR t.state <> 'applied' AND r.times > 0
"""
_NOT_WRITTEN = """
SELECT o.relationship_id, o.turn_id, count(*) || ' operations'
  FROM memory_operationresult o JOIN relationships_turn t ON t.relationship_id = o.relationship_id AND t.id = o.turn_id
 WHERE o.relationship_id = ANY(%(ids)s) AND t.state = 'applied'
   AND o.verdict IN ('applied', 'none') AND o.entry_id IS NOT NULL AND NOT EXISTS (
       SELECT FROM memory_entryrevision r
        WHERE r.relationship_id = o.relationship_id AND r.turn_id = o.turn_id AND r.entry_id = o.entry_id)
 GROUP BY o.relationship_id, o.turn_id
"""
# While a turn is being read nobody may take another of its relationship. Machines' clocks may differ by a little.
_OVERTAKEN = """
SELECT relationship_id, id, '' FROM (
       SELECT relationship_id, id, seq, claimed_at, lag(seq) OVER settled AS other, lag(settled_at) OVER settled AS at
         FROM relationships_turn
        WHERE relationship_id = ANY(%(ids)s) AND state = 'applied' AND claimed_at IS NOT NULL
       WINDOW settled AS (PARTITION BY relationship_id ORDER BY settled_at, seq)) t
 WHERE t.other > t.seq AND t.at > t.claimed_at + interval '2 seconds'
"""


class TurnsInvariant(Invariant):
    slug = "turns"
    promise = (
        "An accepted turn has its messages, is applied at most once and in order, and leaves what it says."
    )
    statements = (
        (WITHOUT_MESSAGES, _WITHOUT_MESSAGES),
        (WITHOUT_TURN, _WITHOUT_TURN),
        (OVERTAKEN, _OVERTAKEN),
        (NOT_WRITTEN, _NOT_WRITTEN),
    )

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        yield from super().check(page, now=now)
        for owner_id, turn_id, state, times in rows(_CHANGES, page):
            if state is None:
                yield Finding(OF_NO_TURN, owner_id, turn_id)
            elif state != "applied":
                yield Finding(NOT_APPLIED, owner_id, turn_id, f"the turn is {state}")
            else:
                yield Finding(APPLIED_TWICE, owner_id, turn_id, f"{times} times")

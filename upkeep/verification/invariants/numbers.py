from collections.abc import Iterator, Sequence
from datetime import datetime

from upkeep.verification.invariant import Finding, Invariant, Page, Problem, execute, rows

BEHIND = Problem("behind", "last_seq is below a number that is taken, so the next write would take it again")
TWICE = Problem(
    "twice",
    "two rows of a relationship have the same seq, so their order is not known",
    "Restore the relationship from a backup; an export of it can be mended by hand and imported.",
)
GAP = Problem(
    "gap",
    "a number was given out and no turn, message or revision has it: rows are lost",
    "Nothing else keeps what they said. Restore the relationship from a backup that has them.",
)

# Every number was given out in the transaction that wrote its row, so none is without one.
_ROWS = """
SELECT w.id, r.last_seq, n.taken, n.different, n.highest
  FROM unnest(%(ids)s::uuid[]) w (id) JOIN relationships_relationship r ON r.id = w.id,
       LATERAL (SELECT count(*) AS taken, count(DISTINCT seq) AS different, coalesce(max(seq), 0) AS highest FROM (
           SELECT seq FROM relationships_turn WHERE relationship_id = w.id
           UNION ALL SELECT seq FROM relationships_message WHERE relationship_id = w.id
           UNION ALL SELECT seq FROM memory_entryrevision WHERE relationship_id = w.id) s) n
 WHERE (n.taken, n.different, n.highest) <> (r.last_seq, r.last_seq, r.last_seq)
"""
_CATCH_UP = """
UPDATE relationships_relationship r SET last_seq = greatest(r.last_seq,
       (SELECT coalesce(max(seq), 0) FROM relationships_turn WHERE relationship_id = r.id),
       (SELECT coalesce(max(seq), 0) FROM relationships_message WHERE relationship_id = r.id),
       (SELECT coalesce(max(seq), 0) FROM memory_entryrevision WHERE relationship_id = r.id))
 WHERE r.id = %(owner)s
"""


class NumbersInvariant(Invariant):
    slug = "numbers"
    promise = "Turns, messages and revisions are numbered from 1 to last_seq, each number once."

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for owner_id, last, taken, different, highest in rows(_ROWS, page):
            if highest > last:
                yield Finding(BEHIND, owner_id, detail=f"last_seq {last}, highest {highest}")
            if taken > different:
                yield Finding(TWICE, owner_id, detail=f"{taken - different} numbers")
            if different < max(last, highest):
                yield Finding(GAP, owner_id, detail=f"{max(last, highest) - different} numbers of {last}")

    def repair(self, findings: Sequence[Finding], *, now: datetime) -> None:
        for finding in findings:
            execute(_CATCH_UP, {"owner": finding.owner_id})

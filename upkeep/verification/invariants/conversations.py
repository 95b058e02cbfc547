"""Invariants of the conversation: the pair, its numbers, and turns with their messages and changes."""

from collections.abc import Iterator
from datetime import datetime

from relationships.ids import relationship_id
from upkeep.verification.invariant import Finding, Invariant, Page, Problem, rows

LOST = "Restore the relationship from a backup that has it."

OTHER_ID = Problem(
    "other_id",
    "a relationship's ID is not the one that follows from its companion and user, so the pair may get a second one",
    "Export it, erase it, and import it into the relationship that POST /v1/relationships makes.",
)
_PAIRS = "SELECT id, companion_id, user_id FROM relationships_relationship WHERE id = ANY(%(ids)s)"
_TWO_PROJECTS = """
SELECT 'two_projects', r.id, NULL, '' FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_enduser u ON u.id = r.user_id
 WHERE r.id = ANY(%(ids)s) AND (r.project_id <> c.project_id OR r.project_id <> u.project_id)
"""


class PairsInvariant(Invariant):
    slug = "pairs"
    promise = "A relationship has the ID of its pair, and is of the same project as both."
    problems = (
        OTHER_ID,
        Problem(
            "two_projects",
            "a relationship, its companion and its user are not of one project",
            "Restore these rows from a backup; until then erase the relationship, so that no project sees another's.",
        ),
    )
    statements = (_TWO_PROJECTS,)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        yield from super().check(page, now=now)
        for own_id, companion_id, user_id in rows(_PAIRS, page):
            if own_id != relationship_id(companion_id, user_id):
                yield Finding(OTHER_ID, own_id)


# Every number is allocated in the transaction that writes its row, so each has a row.
_NUMBERS = """
SELECT p.slug, r.id, NULL, p.detail
  FROM relationships_relationship r,
       LATERAL (SELECT count(*) FILTER (WHERE said) AS said, count(*) AS taken, count(DISTINCT seq) AS different,
                       coalesce(max(seq), 0) AS highest FROM (
           SELECT seq, false AS said FROM relationships_turn WHERE relationship_id = r.id
           UNION ALL SELECT seq, true FROM relationships_message WHERE relationship_id = r.id
           UNION ALL SELECT seq, false FROM memory_entryrevision WHERE relationship_id = r.id) s) n,
       LATERAL unnest(
           ARRAY['behind', 'twice', 'miscounted', 'gap'],
           ARRAY[n.highest > r.last_seq, n.taken > n.different, r.message_count <> n.said,
                 n.different < greatest(r.last_seq, n.highest)],
           ARRAY[concat('last_seq ', r.last_seq, ', highest ', n.highest),
                 concat(n.taken - n.different, ' numbers'),
                 concat('message_count ', r.message_count, ', ', n.said),
                 concat(greatest(r.last_seq, n.highest) - n.different, ' numbers of ', r.last_seq)]
       ) p (slug, so, detail)
 WHERE r.id = ANY(%(ids)s) AND p.so
"""
_CATCH_UP = """
UPDATE relationships_relationship r SET last_seq = greatest(r.last_seq,
       (SELECT coalesce(max(seq), 0) FROM relationships_turn WHERE relationship_id = r.id),
       (SELECT coalesce(max(seq), 0) FROM relationships_message WHERE relationship_id = r.id),
       (SELECT coalesce(max(seq), 0) FROM memory_entryrevision WHERE relationship_id = r.id))
 WHERE r.id = %(owner)s
"""
_COUNT = """
UPDATE relationships_relationship r SET message_count = (
       SELECT count(*) FROM relationships_message WHERE relationship_id = r.id)
 WHERE r.id = %(owner)s
"""


class NumbersInvariant(Invariant):
    slug = "numbers"
    promise = "Turns, messages and revisions are numbered from 1 to last_seq, each number once; messages are counted."
    problems = (
        Problem(
            "behind",
            "last_seq is below a number that is taken, so the next write would take it again",
            repair=_CATCH_UP,
        ),
        Problem(
            "miscounted",
            "message_count is not the number of messages, so summaries are made early or late",
            repair=_COUNT,
        ),
        Problem(
            "twice",
            "two rows of a relationship have the same seq, so their order is not known",
            "Restore the relationship from a backup; an export of it can be mended by hand and imported.",
        ),
        Problem(
            "gap",
            "a number was given out and no turn, message or revision has it: rows are lost",
            "Nothing else keeps what they said. Restore the relationship from a backup that has them.",
        ),
    )
    statements = (_NUMBERS,)


_WITHOUT_MESSAGES = """
SELECT 'without_messages', t.relationship_id, t.id, '' FROM relationships_turn t
 WHERE t.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT 1 FROM relationships_message m WHERE m.relationship_id = t.relationship_id AND m.turn_id = t.id)
"""
_WITHOUT_TURN = """
SELECT 'message_without_turn', m.relationship_id, m.id, '' FROM relationships_message m
 WHERE m.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT 1 FROM relationships_turn t WHERE t.relationship_id = m.relationship_id AND t.id = m.turn_id)
"""
# An answer is applied in one transaction, so all that a model changed for a turn has the same time.
_CHANGES = """
SELECT CASE WHEN t.state IS NULL THEN 'change_of_no_turn'
            WHEN t.state <> 'applied' THEN 'not_applied' ELSE 'applied_twice' END,
       r.relationship_id, r.turn_id,
       CASE WHEN t.state <> 'applied' THEN 'the turn is ' || t.state WHEN t.state = 'applied' THEN r.times || ' times'
            ELSE '' END
  FROM (SELECT relationship_id, turn_id, count(DISTINCT recorded_at) FILTER (WHERE actor_kind = 'model') AS times
          FROM memory_entryrevision WHERE relationship_id = ANY(%(ids)s) AND turn_id IS NOT NULL
         GROUP BY relationship_id, turn_id) r
  LEFT JOIN relationships_turn t ON t.relationship_id = r.relationship_id AND t.id = r.turn_id
 WHERE t.state IS NULL OR r.times > 1 OR t.state <> 'applied' AND r.times > 0
"""
_NOT_WRITTEN = """
SELECT 'not_written', o.relationship_id, o.turn_id, count(*) || ' operations'
  FROM memory_operationresult o JOIN relationships_turn t ON t.relationship_id = o.relationship_id AND t.id = o.turn_id
 WHERE o.relationship_id = ANY(%(ids)s) AND t.state = 'applied'
   AND o.verdict IN ('applied', 'none') AND o.entry_id IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM memory_entryrevision r
        WHERE r.relationship_id = o.relationship_id AND r.turn_id = o.turn_id AND r.entry_id = o.entry_id)
 GROUP BY o.relationship_id, o.turn_id
"""
# While a turn is being processed, no other of its relationship may be claimed. Machines' clocks may differ a little.
_OVERTAKEN = """
SELECT 'overtaken', relationship_id, id, '' FROM (
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
    problems = (
        Problem("without_messages", "a turn has no message: what was said in it is lost", LOST),
        Problem("message_without_turn", "a message is of a turn that does not exist", LOST),
        Problem("change_of_no_turn", "a revision names a turn that does not exist", LOST),
        Problem(
            "not_applied",
            "a model's changes are there, but the turn that they are of is not applied, and would be read again",
            "Read the turn's trace and the changes. If they are right, leave it failed; if not, undo them and retry.",
        ),
        Problem(
            "applied_twice",
            "a turn was applied more than once",
            "Read its changes in the history, and delete the entries that came twice.",
        ),
        Problem(
            "not_written",
            "a turn says that an operation was carried out, and no revision does: a change is lost",
            "Say it again: add or change the entry by hand, or restore the relationship from a backup.",
        ),
        Problem(
            "overtaken",
            "a later turn was applied while an earlier one was being read, so they were read out of order",
            "Read the changes of both in the history, and mend the entries that the earlier one overruled.",
        ),
    )
    statements = (_WITHOUT_MESSAGES, _WITHOUT_TURN, _CHANGES, _NOT_WRITTEN, _OVERTAKEN)

"""What rows refer to must exist: actors, messages, turns, calls, entries, versions, and the sources of vectors."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from relationships.services.idempotency import TURNS
from upkeep.verification.invariant import Finding, Invariant, Level, Page, Problem, imports_of, rows

_UNPUBLISHED = """
SELECT 'not_there', c.id, NULL, 'version ' || c.prompt_version FROM relationships_companion c
 WHERE c.id = ANY(%(ids)s) AND c.prompt_version <> 0 AND NOT EXISTS (
       SELECT 1 FROM memory_ingestionprompt WHERE companion_id = c.id AND version = c.prompt_version)
"""
_GAPS = """
SELECT 'gap', companion_id, NULL, count(*) || ' of ' || max(version) FROM memory_ingestionprompt
 WHERE companion_id = ANY(%(ids)s) GROUP BY companion_id HAVING count(*) <> max(version)
"""


class PromptsInvariant(Invariant):
    slug = "prompts"
    promise = "The published prompt is there, and every version before the last is kept."
    level = Level.COMPANION
    problems = (
        Problem(
            "not_there",
            "a companion's published prompt is a version that does not exist, so none of its turns can be read",
            "Publish a version that is there: POST .../prompts/{version}/publish; 0 is the shipped one.",
        ),
        Problem(
            "gap",
            "versions of a companion's prompt are missing, and no version is ever deleted",
            "Restore them from a backup. What is published is not concerned.",
        ),
    )
    statements = (_UNPUBLISHED, _GAPS)


_PROFILES = """
SELECT 'differs', w.id, NULL,
       concat('version ', coalesce(p.version::text, 'none'), ', last ', coalesce(last.version::text, 'none'))
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w
  LEFT JOIN relationships_profile p ON p.relationship_id = w.id
  LEFT JOIN LATERAL (SELECT * FROM relationships_profilerevision WHERE relationship_id = w.id
                      ORDER BY version DESC LIMIT 1) last ON true
 WHERE (p.version, p.data) IS DISTINCT FROM (last.version, last.data)
"""


class ProfilesInvariant(Invariant):
    slug = "profiles"
    promise = "A profile is its last version."
    problems = (
        Problem(
            "differs",
            "a profile is not what its last version says",
            "Read both (GET .../profile; the versions are in the export) and PUT the right one.",
        ),
    )
    statements = (_PROFILES,)


NOBODY = Problem(
    "nobody",
    "a change was made by nobody there is: no such key, account, person or model",
    "Somebody wrote into the database by hand, or an account was deleted from it. Read the change in the history: it "
    "stands, and can be undone.",
)
# Keys are revoked, never deleted; operators lose their membership, not their account. A model must have made some call
# for the turn; if all calls are lost, `references` reports it.
_NOBODY = """
SELECT r.relationship_id, r.id, r.recorded_at, r.actor_kind
  FROM memory_entryrevision r JOIN relationships_relationship p ON p.id = r.relationship_id
 WHERE r.relationship_id = ANY(%(ids)s) AND NOT CASE r.actor_kind
       WHEN 'policy' THEN r.actor_id <> ''
       WHEN 'end_user' THEN r.actor_id = p.user_id::text
       WHEN 'developer' THEN EXISTS (
            SELECT 1 FROM relationships_apikey k WHERE k.prefix = r.actor_id AND k.project_id = p.project_id)
       WHEN 'operator' THEN EXISTS (
            SELECT 1 FROM relationships_operator o WHERE lower(o.email) = lower(r.actor_id))
       WHEN 'model' THEN (
            SELECT coalesce(bool_or(left(r.actor_id, 120) = c.model), r.actor_id <> '')
              FROM relationships_turn t CROSS JOIN unnest(t.model_call_ids) asked (id)
              JOIN memory_modelcall c ON c.relationship_id = t.relationship_id AND c.id = asked.id
             WHERE t.relationship_id = r.relationship_id AND t.id = r.turn_id)
       ELSE false END
"""


class ActorsInvariant(Invariant):
    slug = "actors"
    promise = "Every change was made by somebody there is: a key, an account, the person, a model, a rule."
    problems = (NOBODY,)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        """Find unknown actors. Imported rows keep the actors of the service they come from."""
        found = list(rows(_NOBODY, page))
        imports = imports_of({owner_id for owner_id, *_ in found})
        for owner_id, row_id, recorded_at, kind in found:
            if owner_id not in imports or imports[owner_id][0] < recorded_at:
                yield Finding(NOBODY, owner_id, row_id, kind)


LOST_CALL = Problem(
    "lost_call",
    "a turn was read by model calls that do not exist",
    "What was asked and answered is lost; what the turn changed stands. Restore the relationship from a backup.",
)
_CITATIONS = """
SELECT 'citation', e.relationship_id, e.id, count(*) || ' messages'
  FROM memory_scratchpadentry e, unnest(e.source_message_ids) cited (id)
 WHERE e.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT 1 FROM relationships_message m WHERE m.relationship_id = e.relationship_id AND m.id = cited.id)
 GROUP BY e.relationship_id, e.id
"""
# An erased entry is only in the history.
_HELD = """
SELECT 'held_deletion', h.relationship_id, h.id, '' FROM memory_helddeletion h
 WHERE h.relationship_id = ANY(%(ids)s) AND h.state = 'waiting' AND EXISTS (
       SELECT 1 FROM memory_operationresult o
        WHERE o.relationship_id = h.relationship_id AND o.held_id = h.id AND NOT EXISTS (
              SELECT 1 FROM memory_entryrevision r
               WHERE r.relationship_id = h.relationship_id AND r.entry_id = o.entry_id))
"""
_CALLS = """
SELECT 'model_call', c.relationship_id, c.id, '' FROM memory_modelcall c
 WHERE c.relationship_id = ANY(%(ids)s) AND cardinality(c.turn_ids) > 0 AND NOT EXISTS (
       SELECT 1 FROM relationships_turn t WHERE t.relationship_id = c.relationship_id AND t.id = ANY(c.turn_ids))
"""
_LOST_CALLS = """
SELECT t.relationship_id, t.id, t.recorded_at, count(*)
  FROM relationships_turn t, unnest(t.model_call_ids) asked (id)
 WHERE t.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT 1 FROM memory_modelcall c WHERE c.relationship_id = t.relationship_id AND c.id = asked.id)
 GROUP BY t.relationship_id, t.id, t.recorded_at
"""
_KEYS = f"""
SELECT 'idempotency_key', k.relationship_id, k.id, '' FROM relationships_idempotencykey k
 WHERE k.relationship_id = ANY(%(ids)s) AND k.route = '{TURNS}' AND NOT EXISTS (
       SELECT 1 FROM relationships_turn t WHERE t.relationship_id = k.relationship_id AND t.id = k.resource_id)
"""  # noqa: S608 - a constant of ours


class ReferencesInvariant(Invariant):
    slug = "references"
    promise = "What a row names is there: messages that are cited, turns that a call, key or held deletion is about."
    problems = (
        Problem(
            "citation",
            "an entry rests on a message that does not exist",
            "The message is lost: restore the relationship from a backup. The entry itself stands.",
        ),
        Problem(
            "held_deletion",
            "a held deletion is about an entry that never was in this relationship",
            "Decline it: POST .../held-deletions/{id}/decline, or on the relationship's page.",
        ),
        Problem(
            "model_call",
            "a model call was made for turns of which none is there",
            "The turns are lost: restore the relationship from a backup.",
        ),
        LOST_CALL,
        Problem(
            "idempotency_key",
            "an idempotency key stands for a turn that does not exist, so the call can't be made",
            repair="DELETE FROM relationships_idempotencykey WHERE relationship_id = %(owner)s AND id = ANY(%(rows)s)",
        ),
    )
    statements = (_CITATIONS, _HELD, _CALLS, _KEYS)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        """Find missing rows, without the calls that an import left behind because they were not exported."""
        yield from super().check(page, now=now)
        found = list(rows(_LOST_CALLS, page))
        imports = imports_of({owner_id for owner_id, *_ in found})
        missing: Counter[UUID] = Counter()  # of imported turns
        for owner_id, _, at, count in found:
            missing[owner_id] += count if owner_id in imports and at <= imports[owner_id][0] else 0
        for owner_id, turn_id, at, count in found:
            imported_at, left_behind = imports.get(owner_id, (None, 0))
            if imported_at is None or at > imported_at or missing[owner_id] > left_behind:
                yield Finding(LOST_CALL, owner_id, turn_id, f"{count} calls")


_DECAYED_VECTORS = """
SELECT CASE WHEN v.id IS NULL OR e.id IS NULL THEN 'of_nothing' ELSE 'out_of_step' END, d.relationship_id, d.id, ''
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w
  JOIN memory_decayedvector d ON d.relationship_id = w.id
  LEFT JOIN memory_embedding v ON v.relationship_id = w.id AND v.kind = 'entry' AND v.model = d.model
   AND v.dimensions = d.dimensions AND v.owner_id = d.owner_id
  LEFT JOIN memory_scratchpadentry e ON e.relationship_id = w.id AND e.id = d.owner_id
 WHERE v.id IS NULL OR e.id IS NULL
    OR NOT d.stale AND ((d.importance, d.effective_at) IS DISTINCT FROM (e.importance, e.effective_at)
                        OR vector_dims(d.vector) <> d.dimensions)
"""


class DecayedVectorsInvariant(Invariant):
    """The vectors of the ranker `decay`. Repair deletes those that are not compared, and makes others again."""

    slug = "decayed_vectors"
    promise = "A decayed vector is fresh or marked stale, and of a vector that is there."
    problems = (
        Problem(
            "of_nothing",
            "a decayed vector is of a vector or an entry that does not exist",
            repair="DELETE FROM memory_decayedvector WHERE relationship_id = %(owner)s AND id = ANY(%(rows)s)",
        ),
        Problem(
            "out_of_step",
            "a decayed vector passes for fresh and was made from other values than its entry has",
            repair="UPDATE memory_decayedvector SET stale = true"
            " WHERE relationship_id = %(owner)s AND id = ANY(%(rows)s)",
        ),
    )
    statements = (_DECAYED_VECTORS,)

from collections.abc import Iterator
from datetime import datetime

from upkeep.verification.invariant import Finding, Invariant, Page, Problem, imports_of, rows

NOBODY = Problem(
    "nobody",
    "a change was made by nobody there is: no such key, account, person or model",
    "Somebody wrote into the database by hand, or an account was deleted from it. Read the change in the history: it "
    "stands, and can be undone.",
)

# Keys are revoked, never deleted; operators lose their place in a project, not their account. Of a model, some call for
# the turn was made with it; where all of them are lost, `references` says so.
_NOBODY = """
SELECT r.relationship_id, r.id, r.recorded_at, r.actor_kind
  FROM memory_entryrevision r JOIN relationships_relationship p ON p.id = r.relationship_id
 WHERE r.relationship_id = ANY(%(ids)s) AND NOT CASE r.actor_kind
       WHEN 'policy' THEN r.actor_id <> ''
       WHEN 'end_user' THEN r.actor_id = p.user_id::text
       WHEN 'developer' THEN EXISTS (
            SELECT FROM relationships_apikey k WHERE k.prefix = r.actor_id AND k.project_id = p.project_id)
       WHEN 'operator' THEN EXISTS (
            SELECT FROM relationships_operator o WHERE lower(o.email) = lower(r.actor_id))
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

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        """What was imported keeps who did it where it comes from."""
        found = list(rows(_NOBODY, page))
        imports = imports_of({owner_id for owner_id, *_ in found})
        for owner_id, row_id, recorded_at, kind in found:
            origin = imports.get(owner_id)
            if origin is None or origin.at < recorded_at:
                yield Finding(NOBODY, owner_id, row_id, kind)

from collections.abc import Iterator
from datetime import datetime

from relationships.ids import relationship_id
from upkeep.verification.invariant import Finding, Invariant, Page, Problem, rows

OTHER_ID = Problem(
    "other_id",
    "a relationship's ID is not the one that follows from its companion and user, so the pair may get a second one",
    "Export it, erase it, and import it into the relationship that POST /v1/relationships makes.",
)
TWO_PROJECTS = Problem(
    "two_projects",
    "a relationship, its companion and its user are not of one project",
    "Restore these rows from a backup; until then erase the relationship, so that no project sees another's.",
)

_ROWS = """
SELECT r.id, r.companion_id, r.user_id, r.project_id = c.project_id AND r.project_id = u.project_id
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_enduser u ON u.id = r.user_id
 WHERE r.id = ANY(%(ids)s)
"""


class PairsInvariant(Invariant):
    slug = "pairs"
    promise = "A relationship has the ID of its pair, and is of the same project as both."

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for own_id, companion_id, user_id, of_one_project in rows(_ROWS, page):
            if own_id != relationship_id(companion_id, user_id):
                yield Finding(OTHER_ID, own_id)
            if not of_one_project:
                yield Finding(TWO_PROJECTS, own_id)

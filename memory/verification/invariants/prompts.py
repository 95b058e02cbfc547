from collections.abc import Iterator
from datetime import datetime

from memory.verification.base import Finding, Invariant, Level, Page, Problem
from memory.verification.statements import rows

UNPUBLISHED = Problem(
    "not_there",
    "a companion's published prompt is a version that is not there, so none of its turns can be read",
    "Publish a version that is there: POST /v1/companions/{id}/prompts/{version}/publish; 0 is the shipped one.",
)
GAP = Problem(
    "gap",
    "versions of a companion's prompt are missing, and no version is ever deleted",
    "Restore them from a backup. What is published is not concerned.",
)

_ROWS = """
SELECT c.id, c.prompt_version, p.there, p.highest, p.published
  FROM relationships_companion c, LATERAL (
       SELECT count(*) AS there, coalesce(max(version), 0) AS highest,
              coalesce(bool_or(version = c.prompt_version), false) AS published
         FROM memory_ingestionprompt WHERE companion_id = c.id) p
 WHERE c.id = ANY(%(ids)s)
   AND (p.there <> p.highest OR (c.prompt_version IS NOT NULL AND c.prompt_version <> 0 AND NOT p.published))
"""


class PromptsInvariant(Invariant):
    slug = "prompts"
    promise = "The published prompt is there, and every version before the last is kept."
    level = Level.COMPANION

    def look(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for owner_id, wanted, there, highest, published in rows(_ROWS, page):
            if wanted and not published:
                yield Finding(UNPUBLISHED, owner_id, detail=f"version {wanted}")
            if there != highest:
                yield Finding(GAP, owner_id, detail=f"{there} of {highest}")

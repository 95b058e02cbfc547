from upkeep.verification.invariant import Invariant, Level, Problem

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

_UNPUBLISHED = """
SELECT c.id, NULL, 'version ' || c.prompt_version FROM relationships_companion c
 WHERE c.id = ANY(%(ids)s) AND c.prompt_version <> 0 AND NOT EXISTS (
       SELECT FROM memory_ingestionprompt WHERE companion_id = c.id AND version = c.prompt_version)
"""
_GAPS = """
SELECT companion_id, NULL, count(*) || ' of ' || max(version) FROM memory_ingestionprompt
 WHERE companion_id = ANY(%(ids)s) GROUP BY companion_id HAVING count(*) <> max(version)
"""


class PromptsInvariant(Invariant):
    slug = "prompts"
    promise = "The published prompt is there, and every version before the last is kept."
    level = Level.COMPANION
    statements = ((UNPUBLISHED, _UNPUBLISHED), (GAP, _GAPS))

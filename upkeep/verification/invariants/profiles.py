from upkeep.verification.invariant import Invariant, Problem

DIFFERS = Problem(
    "differs",
    "a profile is not what its last version says",
    "Read both (GET .../profile; the versions are in the export) and PUT the right one.",
)

_PROFILES = """
SELECT w.id, NULL,
       concat('version ', coalesce(p.version::text, 'none'), ', last ', coalesce(last.version::text, 'none'))
  FROM unnest(%(ids)s::uuid[]) w (id)
  LEFT JOIN relationships_profile p ON p.relationship_id = w.id
  LEFT JOIN LATERAL (SELECT * FROM relationships_profilerevision WHERE relationship_id = w.id
                      ORDER BY version DESC LIMIT 1) last ON true
 WHERE (p.version, p.data) IS DISTINCT FROM (last.version, last.data)
"""


class ProfilesInvariant(Invariant):
    slug = "profiles"
    promise = "A profile is its last version."
    statements = ((DIFFERS, _PROFILES),)

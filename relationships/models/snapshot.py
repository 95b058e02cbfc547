from django.db import models

from relationships.models.owned import OwnedQuerySet, RelationshipOwned


class Snapshot(RelationshipOwned):
    """What a context needs and is known at write time, one row a relationship, one column a section.

    Each section is written by its owner in the transaction of the change. `fresh_until` is when time alone makes
    the scratchpad section untrue (something expires, or becomes valid); readers then look at each line's own times.
    """

    profile = models.JSONField(default=dict)
    sessions = models.JSONField(default=dict)  # open sessions: {session: state}
    scratchpad = models.JSONField(default=list)  # active entries, newest first; memory.entries.snapshots
    hot_context = models.JSONField(null=True)  # {content, version}; workspace.hot_context
    fresh_until = models.DateTimeField(null=True)
    # Whether anything is in the archive, so that a context looks there only then; null: not written down yet.
    has_archive = models.BooleanField(null=True)
    summary = models.JSONField(
        default=dict, db_default={}
    )  # the newest of the conversation; summaries.snapshot
    updated_at = models.DateTimeField(auto_now=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["relationship"], name="%(class)s_one_each")]

from django.db import models

from relationships.models.owned import OwnedQuerySet, RelationshipOwned


class Snapshot(RelationshipOwned):
    """What a context needs, prepared when it changes: one row per relationship, one column per section.

    Each section is written by its owner in the transaction of the change. `fresh_until` is when the scratchpad
    section becomes outdated by time alone (something expires, or becomes valid); from then on readers check the times
    of each line.
    """

    profile = models.JSONField(default=dict)
    sessions = models.JSONField(default=dict)  # open sessions: {session: state}
    scratchpad = models.JSONField(default=list)  # active entries, newest first; memory.entries.snapshots
    hot_context = models.JSONField(null=True)  # {content, version}; workspace.hot_context
    fresh_until = models.DateTimeField(null=True)
    # Whether there are archived entries; if not, a context doesn't search there. null: not known yet.
    has_archive = models.BooleanField(null=True)
    summary = models.JSONField(
        default=dict, db_default={}
    )  # the newest of the conversation; summaries.snapshot
    updated_at = models.DateTimeField(auto_now=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["relationship"], name="%(class)s_one_each")]

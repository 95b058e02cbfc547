from django.db import migrations, models

# For what merges have left open.
FILL = """
UPDATE workspace_heldchange h SET session_deleted = TRUE
  FROM workspace_agentsession s
  JOIN workspace_commit merge ON merge.relationship_id = s.relationship_id AND merge.id = s.merged_id
  JOIN workspace_commit theirs ON theirs.relationship_id = s.relationship_id AND theirs.id = merge.parents[2]
  JOIN workspace_tree t ON t.relationship_id = s.relationship_id AND t.id = theirs.tree_id
 WHERE s.relationship_id = h.relationship_id AND s.id = h.session_id
   AND h.kind = 'conflict' AND h.kept_as = '' AND NOT jsonb_exists(t.files, h.path)
"""


class Migration(migrations.Migration):
    dependencies = [("workspace", "0004_what_a_step_knew_as_forgotten")]

    operations = [
        migrations.AddField(
            "heldchange", "session_deleted", models.BooleanField(default=False, db_default=False)
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]

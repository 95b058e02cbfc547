from django.db import migrations

# What is told off the record is so from its intake on, so no later change would tell the index.
SKIP = """
UPDATE memory_searchtext s SET state = 'skipped', embed_due_at = NULL, embed_attempts = 0, embed_error = ''
  FROM relationships_turn t
  JOIN relationships_message m ON m.relationship_id = t.relationship_id AND m.turn_id = t.id
 WHERE t.state = 'skipped'
   AND (t.error_code = 'paused' OR t.config -> 'ingestion' -> 'enabled' = 'false'::jsonb)
   AND s.relationship_id = t.relationship_id AND s.kind = 'message' AND s.owner_id = m.id
"""
SHOW = "UPDATE memory_searchtext SET state = 'active' WHERE kind = 'message' AND state = 'skipped'"


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0010_find_words"),
        ("relationships", "0006_turns_not_read"),
    ]

    operations = [migrations.RunSQL(SKIP, SHOW)]

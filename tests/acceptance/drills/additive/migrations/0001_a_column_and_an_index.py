"""What a later version might add to tables that are written all the time."""

from django.db import migrations

TABLES = ("relationships_turn", "relationships_message", "memory_scratchpadentry", "memory_searchtext")


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_entries_and_history")]

    operations = [
        migrations.RunSQL(
            [
                f"ALTER TABLE {table} ADD COLUMN drill_note text NOT NULL DEFAULT '';"
                f"CREATE INDEX drill_{table} ON {table} (relationship_id, drill_note)"
                for table in TABLES
            ],
            [f"ALTER TABLE {table} DROP COLUMN drill_note" for table in TABLES],
        )
    ]

"""What can't outlive another row of its relationship goes with it. Over the shard's key, so that the tables can
still be distributed.
"""

from django.db import migrations

REFERENCES = [
    ("memory_helddeletion", "memory_helddeletion_of_turn", "FOREIGN KEY (relationship_id, turn_id) REFERENCES relationships_turn(relationship_id, id) ON DELETE CASCADE"),
    ("memory_operationresult", "memory_operationresult_of_turn", "FOREIGN KEY (relationship_id, turn_id) REFERENCES relationships_turn(relationship_id, id) ON DELETE CASCADE"),
]


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_decayed_vectors"), ("relationships", "0001_people_and_turns")]

    operations = [
        migrations.RunSQL(
            f"ALTER TABLE {table} ADD CONSTRAINT {name} {rule}", f"ALTER TABLE {table} DROP CONSTRAINT {name}"
        )
        for table, name, rule in REFERENCES
    ]

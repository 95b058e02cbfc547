import django.contrib.postgres.fields
import django.db.models.deletion
import relationships.ids
from django.db import migrations, models


# What can't outlive its turn goes with it. Over the shard's key, so that the tables can still be distributed.
_WITH_THE_TURN = """
ALTER TABLE {table} ADD CONSTRAINT {table}_of_turn FOREIGN KEY (relationship_id, turn_id)
REFERENCES relationships_turn (relationship_id, id) ON DELETE CASCADE
"""
_WITHOUT = "ALTER TABLE {table} DROP CONSTRAINT {table}_of_turn"
TABLES = ("memory_operationresult", "memory_helddeletion")


class Migration(migrations.Migration):
    """The operations of a turn, and what of them is held, as rows instead of JSON on the turn and the deletion."""

    dependencies = [
        ("memory", "0015_exact_search"),
        ("relationships", "0011_operations_as_rows"),
    ]

    operations = [
        migrations.RemoveField(
            model_name="helddeletion",
            name="deletions",
        ),
        migrations.CreateModel(
            name="OperationResult",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "relationship_id", "id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("id", models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ("project_id", models.UUIDField()),
                ("turn_id", models.UUIDField()),
                ("number", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("add", "Add"),
                            ("update", "Update"),
                            ("delete", "Delete"),
                            ("replace", "Replace"),
                            ("none", "None"),
                            ("other", "Other"),
                            ("unreadable", "Unreadable"),
                        ],
                        max_length=12,
                    ),
                ),
                ("operation", models.JSONField(null=True)),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("applied", "Applied"),
                            ("none", "None"),
                            ("refused", "Refused"),
                            ("held", "Held"),
                        ],
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("entry_id", models.UUIDField(null=True)),
                ("call_id", models.UUIDField(null=True)),
                (
                    "entry_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), default=list, size=None
                    ),
                ),
                (
                    "message_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), default=list, size=None
                    ),
                ),
                ("content_hash", models.BinaryField(max_length=32, null=True)),
                ("text", models.TextField(blank=True)),
                ("erased", models.BooleanField(default=False)),
                ("held_id", models.UUIDField(null=True)),
                ("entry_version", models.PositiveIntegerField(null=True)),
                ("held_reason", models.TextField(blank=True)),
                (
                    "relationship",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="relationships.relationship",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("held_id__isnull", False)),
                        fields=["relationship", "held_id"],
                        name="operation_held",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("relationship", "turn_id", "number"), name="operation_place_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                ["add", "update", "delete", "replace", "none", "other", "unreadable"],
                            )
                        ),
                        name="operation_known_kind",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("verdict__in", ["applied", "none", "refused", "held"])),
                        name="operation_known_verdict",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("held_id", None),
                            models.Q(("entry_id__isnull", False), ("entry_version__isnull", False)),
                            _connector="OR",
                        ),
                        name="operation_held_is_of_an_entry",
                    ),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="operationresult",
            constraint=models.CheckConstraint(
                condition=models.Q(erased=False)
                | models.Q(reason="", text="", held_reason="", content_hash=None),
                name="operation_erased_is_empty",
            ),
        ),
        migrations.AddConstraint(
            model_name="entryrevision",
            constraint=models.CheckConstraint(
                condition=models.Q(redacted_at=None)
                | models.Q(before__isnull=True, after__isnull=True, reason=""),
                name="revision_redacted_is_empty",
            ),
        ),
        migrations.AddConstraint(
            model_name="modelcall",
            constraint=models.CheckConstraint(
                condition=models.Q(redacted_at=None) | models.Q(system="", prompt="", answer="", error=""),
                name="model_call_redacted_is_empty",
            ),
        ),
        *[
            migrations.RunSQL(_WITH_THE_TURN.format(table=table), _WITHOUT.format(table=table))
            for table in TABLES
        ],
    ]

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0011_skipped_messages"),
        ("relationships", "0008_why_turns_wait"),
    ]

    operations = [
        migrations.CreateModel(
            name="ModelSpending",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "day", "project_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField()),
                ("calls", models.PositiveBigIntegerField(default=0)),
                ("tokens", models.PositiveBigIntegerField(default=0)),
                ("cost", models.DecimalField(decimal_places=8, default=0, max_digits=16)),
                ("unpriced", models.PositiveBigIntegerField(default=0)),
                ("answered_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="spending",
                        to="relationships.project",
                    ),
                ),
            ],
        ),
    ]

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """What is due of each project by itself, for a sweep that is fair between projects."""

    atomic = False  # turns are written while the index is made
    dependencies = [("relationships", "0009_rate_limits")]

    operations = [
        AddIndexConcurrently(
            model_name="turn",
            index=models.Index(
                fields=["project_id", "due_at", "relationship"],
                condition=models.Q(state="pending", due_at__isnull=False),
                name="turn_due_in_project",
            ),
        )
    ]

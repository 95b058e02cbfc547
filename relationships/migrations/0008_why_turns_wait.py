from django.db import migrations, models


class Migration(migrations.Migration):
    """Since when a turn was tried in vain, and whose matter that is; and a project's model budget of a day."""

    dependencies = [("relationships", "0007_turns_of_sessions")]

    operations = [
        migrations.AddField("turn", "waiting_since", models.DateTimeField(null=True)),
        migrations.AddField(
            "turn", "waits_on", models.CharField(blank=True, db_default="", default="", max_length=60)
        ),
        migrations.AddIndex(
            "turn",
            models.Index(
                fields=["waits_on", "waiting_since"],
                condition=models.Q(("state__in", ["pending", "processing"]), ("waiting_since__isnull", False)),
                name="turn_waiting",
            ),
        ),
        migrations.AddField("project", "daily_tokens", models.PositiveBigIntegerField(null=True)),
        migrations.AddField(
            "project", "daily_usd", models.DecimalField(decimal_places=4, max_digits=12, null=True)
        ),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):
    """A key's own limits, and the windows in which what is asked is counted: unlogged, as a crash may forget them."""

    dependencies = [("relationships", "0008_why_turns_wait")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="rate_limits",
            field=models.JSONField(default=dict, db_default=models.Value({}, models.JSONField())),
        ),
        migrations.CreateModel(
            name="RateWindow",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "holder", "name", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("holder", models.UUIDField()),
                ("name", models.CharField(max_length=20)),
                ("seconds", models.PositiveIntegerField()),
                ("ends_at", models.DateTimeField()),
                ("taken", models.BigIntegerField()),
                ("granted", models.BigIntegerField()),
            ],
        ),
        migrations.RunSQL(
            # Half of each page stays free, so that a count is changed where it stands.
            "ALTER TABLE relationships_ratewindow SET UNLOGGED, SET (fillfactor = 50)",
            migrations.RunSQL.noop,
        ),
    ]

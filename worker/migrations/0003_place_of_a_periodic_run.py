"""How far a task has come that goes through a whole table in many runs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("worker", "0002_fair_queue")]

    operations = [migrations.AddField("periodicrun", "place", models.JSONField(null=True))]

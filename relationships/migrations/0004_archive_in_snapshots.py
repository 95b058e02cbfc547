from django.db import migrations, models


class Migration(migrations.Migration):
    """Snapshots that are there say nothing of an archive: contexts look, until the next change writes it down."""

    dependencies = [("relationships", "0003_worker_counters")]

    operations = [
        migrations.AddField(model_name="snapshot", name="has_archive", field=models.BooleanField(null=True)),
    ]

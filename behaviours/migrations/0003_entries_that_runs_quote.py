import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('behaviours', '0002_index_of_failed_runs'),
    ]

    operations = [
        migrations.AddField(
            model_name='behaviourrun',
            name='entry_ids',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), db_default=[], default=list, size=None),
        ),
    ]

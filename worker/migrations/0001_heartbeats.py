"""The sign of life of each worker machine."""

from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='WorkerHeartbeat',
            fields=[
                ('name', models.CharField(max_length=120, primary_key=True, serialize=False)),
                ('started_at', models.DateTimeField()),
                ('beat_at', models.DateTimeField()),
                ('pool_restarts', models.PositiveIntegerField(default=0)),
                ('counters', models.JSONField(default=dict)),
            ],
            options={
                'db_table': 'relationships_workerheartbeat',
            },
        ),
    ]

"""The sign of life of each worker machine, and when periodic tasks are due."""

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
        migrations.CreateModel(
            name='PeriodicRun',
            fields=[
                ('name', models.CharField(max_length=60, primary_key=True, serialize=False)),
                ('next_at', models.DateTimeField()),
            ],
        ),
    ]

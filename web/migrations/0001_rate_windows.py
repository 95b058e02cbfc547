"""How much of its limits each key and token has used."""

from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='RateWindow',
            fields=[
                ('pk', models.CompositePrimaryKey('holder', 'name', blank=True, editable=False, primary_key=True, serialize=False)),
                ('holder', models.UUIDField()),
                ('name', models.CharField(max_length=20)),
                ('seconds', models.PositiveIntegerField()),
                ('ends_at', models.DateTimeField()),
                ('taken', models.BigIntegerField()),
                ('granted', models.BigIntegerField()),
            ],
            options={
                'db_table': 'relationships_ratewindow',
            },
        ),
    ]

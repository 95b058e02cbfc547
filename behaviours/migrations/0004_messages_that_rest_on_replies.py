from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('behaviours', '0003_entries_that_runs_quote'),
    ]

    operations = [
        migrations.AddField(
            model_name='outboxmessage',
            name='rests_on_reply',
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]

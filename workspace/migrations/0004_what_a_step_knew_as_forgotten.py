"""What had been forgotten before an agent's step; of those that are there: nothing, so that none tells of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workspace", "0003_index_of_sessions_in_hand")]

    operations = [
        migrations.AddField("agentstep", "forgettings", models.BigIntegerField(default=0, db_default=0)),
    ]

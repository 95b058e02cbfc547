"""Of which agent's session a token is, if of one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("relationships", "0002_append_only_history")]

    operations = [
        migrations.AddField("relationshiptoken", "session_id", models.UUIDField(null=True)),
    ]

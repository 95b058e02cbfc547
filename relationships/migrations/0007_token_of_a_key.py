"""Which API key made a token, if one did: what the token asks counts towards that key's limits."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("relationships", "0006_accepted_invitations")]

    operations = [
        migrations.AddField(
            "relationshiptoken", "key_prefix", models.CharField(max_length=24, default="", db_default="")
        ),
    ]

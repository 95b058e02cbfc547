from typing import Any

from django.db import migrations, models


def keep_open(apps: Any, schema_editor: Any) -> None:
    """Who has not set a password yet is still invited; they need a new link."""
    invited = apps.get_model("relationships", "Membership").objects.filter(operator__password__startswith="!")
    invited.update(invited_at=models.F("created_at"))


class Migration(migrations.Migration):
    """Everybody accepts each project's invitation, as an account may be somebody else's."""

    dependencies = [("relationships", "0005_indexes_of_projects")]

    operations = [
        migrations.AddField("membership", "invited_at", models.DateTimeField(null=True)),
        migrations.RunPython(keep_open, migrations.RunPython.noop),
    ]

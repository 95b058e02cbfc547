"""Versions of hot context can be added to and nothing else, except by the erasure function."""

from django.db import migrations

TABLE = "workspace_hotcontextversion"


class Migration(migrations.Migration):
    dependencies = [("workspace", "0001_files_and_sessions"), ("relationships", "0002_append_only_history")]

    operations = [
        migrations.RunSQL(
            f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION rapport_append_only()",
            f"DROP TRIGGER append_only ON {TABLE}",
        )
    ]

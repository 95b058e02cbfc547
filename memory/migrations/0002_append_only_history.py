"""Entry revisions and model calls can be added to and nothing else, except by the erasure function."""

from django.db import migrations

TABLES = ["memory_entryrevision", "memory_modelcall"]


def trigger(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION rapport_append_only()",
        f"DROP TRIGGER append_only ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_entries_and_history"), ("relationships", "0002_append_only_history")]

    operations = [trigger(table) for table in TABLES]

"""History can be added to and nothing else, except by the erasure function, which sets a flag for its transaction.

A row that is told to be hidden, or shown again, stays as it was: `hidden_at` may change.

The flag is set by the statement SET LOCAL rapport.erasing = 'on'; where it is missing the trigger refuses.
"""

from django.db import migrations

FUNCTION = """
CREATE FUNCTION rapport_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND to_jsonb(NEW) ? 'hidden_at' AND to_jsonb(NEW) - 'hidden_at' = to_jsonb(OLD) - 'hidden_at' THEN
        RETURN NEW;
    END IF;
    IF coalesce(current_setting('rapport.erasing', true), '') <> 'on' THEN
        RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END
$$
"""
TABLES = ["relationships_message", "relationships_profilerevision", "relationships_auditevent"]


def trigger(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION rapport_append_only()",
        f"DROP TRIGGER append_only ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = [("relationships", "0001_people_and_turns")]

    operations = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION rapport_append_only()"),
        *[trigger(table) for table in TABLES],
    ]

"""Vectors and search texts in hash partitions, and the triggers that mark a fold stale.

Every large relationship has indexes of its own, and each index costs every statement that plans on its table. In
partitions a statement meets only those of its own.
"""

from django.db import migrations

PARTITIONS = 32
TABLES = ("memory_embedding", "memory_decayfold", "memory_searchtext")

_CONSTRAINTS = """
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
 WHERE conrelid = %s::regclass AND contype IN ('p', 'u', 'c', 'f') ORDER BY contype DESC
"""
_INDEXES = """
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
 WHERE i.indrelid = %s::regclass
   AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = i.indrelid)
"""

TRIGGERS = """
CREATE FUNCTION rapport_fold_entry_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE memory_decayfold SET stale = true
     WHERE relationship_id = NEW.relationship_id AND owner_id = NEW.id AND NOT stale;
    RETURN NULL;
END $$;

CREATE FUNCTION rapport_fold_vector_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM memory_decayfold
         WHERE relationship_id = OLD.relationship_id AND model = OLD.model AND dimensions = OLD.dimensions
           AND owner_id = OLD.owner_id;
    ELSE
        INSERT INTO memory_decayfold (relationship_id, id, project_id, owner_id, model, dimensions, stale)
        SELECT NEW.relationship_id, NEW.id, NEW.project_id, NEW.owner_id, NEW.model, NEW.dimensions, true
          FROM memory_largeindex i
         WHERE i.relationship_id = NEW.relationship_id AND i.kind = NEW.kind AND i.model = NEW.model
           AND i.dimensions = NEW.dimensions AND i.purpose = 'decay'
        ON CONFLICT (relationship_id, model, dimensions, owner_id) DO UPDATE SET stale = true;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER fold_entry_changed AFTER UPDATE OF importance, effective_at ON memory_scratchpadentry
    FOR EACH ROW WHEN (OLD.importance IS DISTINCT FROM NEW.importance
                       OR OLD.effective_at IS DISTINCT FROM NEW.effective_at)
    EXECUTE FUNCTION rapport_fold_entry_changed();
CREATE TRIGGER fold_vector_changed AFTER INSERT OR UPDATE OR DELETE ON memory_embedding
    FOR EACH ROW EXECUTE FUNCTION rapport_fold_vector_changed();
"""
WITHOUT_TRIGGERS = """
DROP TRIGGER fold_vector_changed ON memory_embedding;
DROP TRIGGER fold_entry_changed ON memory_scratchpadentry;
DROP FUNCTION rapport_fold_vector_changed();
DROP FUNCTION rapport_fold_entry_changed();
"""


def into_partitions(apps, schema_editor):
    for table in TABLES:
        _make_anew(schema_editor, table, PARTITIONS)


def into_one_table(apps, schema_editor):
    for table in TABLES:
        _make_anew(schema_editor, table, 0)


def _make_anew(schema_editor, table, partitions):
    """The same table with the same rows, constraints and indexes, in so many partitions (0: none)."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_CONSTRAINTS, [table])
        constraints = cursor.fetchall()
        cursor.execute(_INDEXES, [table])
        indexes = [row[0] for row in cursor.fetchall()]
        cursor.execute(f"ALTER TABLE {table} RENAME TO {table}_before")
        divided = "PARTITION BY HASH (relationship_id)" if partitions else ""
        cursor.execute(f"CREATE TABLE {table} (LIKE {table}_before INCLUDING DEFAULTS) {divided}")
        for place in range(partitions):
            cursor.execute(
                f"CREATE TABLE {table}_{place:02} PARTITION OF {table}"
                f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {place})"
            )
        cursor.execute(f"INSERT INTO {table} SELECT * FROM {table}_before")
        cursor.execute(f"DROP TABLE {table}_before")
        for name, definition in constraints:
            cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
        for definition in indexes:
            cursor.execute(definition.replace(f"{table}_before", table).replace(" ON ONLY ", " ON "))


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_large_relationships")]

    operations = [
        migrations.RunPython(into_partitions, into_one_table),
        migrations.RunSQL(TRIGGERS, WITHOUT_TRIGGERS),
    ]

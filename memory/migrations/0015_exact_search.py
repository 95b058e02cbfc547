"""Search is exact in every relationship: no indexes made at run time, and no hash partitions to keep them apart.

Decayed vectors are derived: the housekeeping makes them anew.
"""

import django.db.models.deletion
import pgvector.django.vector
import relationships.ids
from django.db import migrations, models

TABLES = ("memory_embedding", "memory_searchtext")

_CONSTRAINTS = """
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
 WHERE conrelid = %s::regclass AND contype IN ('p', 'u', 'c', 'f') ORDER BY contype DESC
"""
_INDEXES = """
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
 WHERE i.indrelid = %s::regclass
   AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = i.indrelid)
"""

WITHOUT_TRIGGERS = """
DROP TRIGGER fold_vector_changed ON memory_embedding;
DROP TRIGGER fold_entry_changed ON memory_scratchpadentry;
DROP FUNCTION rapport_fold_vector_changed();
DROP FUNCTION rapport_fold_entry_changed();
"""
TRIGGERS = """
CREATE FUNCTION rapport_decayed_entry_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE memory_decayedvector SET stale = true
     WHERE relationship_id = NEW.relationship_id AND owner_id = NEW.id AND NOT stale;
    RETURN NULL;
END $$;

CREATE FUNCTION rapport_decayed_vector_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM memory_decayedvector
         WHERE relationship_id = OLD.relationship_id AND model = OLD.model AND dimensions = OLD.dimensions
           AND owner_id = OLD.owner_id;
    ELSE
        INSERT INTO memory_decayedvector (relationship_id, id, project_id, owner_id, model, dimensions,
                                          half_life_days, reference, stale)
        SELECT NEW.relationship_id, NEW.id, NEW.project_id, NEW.owner_id, NEW.model, NEW.dimensions,
               d.half_life_days, d.reference, true
          FROM memory_decayedvector d
         WHERE d.relationship_id = NEW.relationship_id AND d.model = NEW.model AND d.dimensions = NEW.dimensions
         LIMIT 1
        ON CONFLICT (relationship_id, model, dimensions, owner_id) DO UPDATE SET stale = true;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER decayed_entry_changed AFTER UPDATE OF importance, effective_at ON memory_scratchpadentry
    FOR EACH ROW WHEN (OLD.importance IS DISTINCT FROM NEW.importance
                       OR OLD.effective_at IS DISTINCT FROM NEW.effective_at)
    EXECUTE FUNCTION rapport_decayed_entry_changed();
-- A message's vector never decays.
CREATE TRIGGER decayed_vector_written AFTER INSERT OR UPDATE ON memory_embedding
    FOR EACH ROW WHEN (NEW.kind = 'entry') EXECUTE FUNCTION rapport_decayed_vector_changed();
CREATE TRIGGER decayed_vector_deleted AFTER DELETE ON memory_embedding
    FOR EACH ROW WHEN (OLD.kind = 'entry') EXECUTE FUNCTION rapport_decayed_vector_changed();
"""


def into_one_table(apps, schema_editor):
    """The same tables with the same rows, constraints and indexes, without partitions."""
    with schema_editor.connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(_CONSTRAINTS, [table])
            constraints = cursor.fetchall()
            cursor.execute(_INDEXES, [table])
            indexes = [row[0] for row in cursor.fetchall()]
            cursor.execute(f"ALTER TABLE {table} RENAME TO {table}_before")
            cursor.execute(f"CREATE TABLE {table} (LIKE {table}_before INCLUDING DEFAULTS)")
            cursor.execute(f"INSERT INTO {table} SELECT * FROM {table}_before")
            cursor.execute(f"DROP TABLE {table}_before")
            for name, definition in constraints:
                cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
            for definition in indexes:
                cursor.execute(definition.replace(f"{table}_before", table).replace(" ON ONLY ", " ON "))


class Migration(migrations.Migration):

    dependencies = [('memory', '0014_find_words_in_time')]

    operations = [
        migrations.RunSQL(WITHOUT_TRIGGERS),
        migrations.DeleteModel(name='DecayFold'),
        migrations.DeleteModel(name='LargeIndex'),
        migrations.RunPython(into_one_table),
        migrations.CreateModel(
            name='DecayedVector',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('owner_id', models.UUIDField()),
                ('model', models.CharField(max_length=120)),
                ('dimensions', models.PositiveIntegerField()),
                ('half_life_days', models.FloatField()),
                ('reference', models.DateTimeField()),
                ('stale', models.BooleanField(default=True)),
                ('vector', pgvector.django.vector.VectorField(null=True)),
                ('importance', models.FloatField(null=True)),
                ('effective_at', models.DateTimeField(null=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('stale', True)), fields=['relationship', 'owner_id'], name='decayedvector_stale')],
                'constraints': [models.UniqueConstraint(fields=('relationship', 'model', 'dimensions', 'owner_id'), name='decayedvector_once'), models.CheckConstraint(condition=models.Q(('stale', True), ('vector__isnull', False), _connector='OR'), name='decayedvector_fresh_is_made')],
            },
        ),
        migrations.RunSQL(TRIGGERS),
    ]

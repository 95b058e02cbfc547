"""Triggers that mark a decayed vector stale in the transaction that changes what it was made from."""

from django.db import migrations

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
WITHOUT_TRIGGERS = """
DROP TRIGGER decayed_entry_changed ON memory_scratchpadentry;
DROP TRIGGER decayed_vector_written ON memory_embedding;
DROP TRIGGER decayed_vector_deleted ON memory_embedding;
DROP FUNCTION rapport_decayed_entry_changed();
DROP FUNCTION rapport_decayed_vector_changed();
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0002_append_only_history")]

    operations = [migrations.RunSQL(TRIGGERS, WITHOUT_TRIGGERS)]

from django.db import migrations, models

INDEXES = {
    "relationships_enduser_project_id_457813dd": "relationships_enduser",
    "relationships_relationship_project_id_2b3f2469": "relationships_relationship",
}


def project_of(rows: str) -> models.ForeignKey:
    return models.ForeignKey("relationships.project", models.CASCADE, related_name=rows, db_index=False)


class Migration(migrations.Migration):
    """Drops two indexes that others begin with. Django would drop the foreign keys too, and check all rows again."""

    dependencies = [("relationships", "0004_hidden_messages")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"DROP INDEX IF EXISTS {index}", f"CREATE INDEX {index} ON {table} (project_id)"
                )
                for index, table in INDEXES.items()
            ],
            state_operations=[
                migrations.AlterField("enduser", "project", project_of("end_users")),
                migrations.AlterField("relationship", "project", project_of("relationships")),
            ],
        )
    ]

from django.db import migrations, models


class Migration(migrations.Migration):
    """Sessions that are there begin with as many turns as were stored."""

    dependencies = [("relationships", "0006_turns_not_read")]

    operations = [
        migrations.AddField(
            model_name="sessionstate", name="turns", field=models.BigIntegerField(default=0, db_default=0)
        ),
        migrations.RunSQL(
            """
            UPDATE relationships_sessionstate s SET turns = counted.turns
              FROM (SELECT relationship_id, session, count(*) AS turns
                      FROM relationships_turn GROUP BY relationship_id, session) counted
             WHERE s.relationship_id = counted.relationship_id AND s.session = counted.session
            """,
            migrations.RunSQL.noop,
        ),
    ]

"""Whose each waiting task is, and its place in the fair order (worker.fairness).

Two columns of django-q2's own table, with defaults: it neither reads nor writes them, and a row that it puts in by
itself is claimed first.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("worker", "0001_heartbeats"),
        ("django_q", "0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more"),
    ]

    operations = [
        migrations.RunSQL(
            """
            ALTER TABLE django_q_ormq
                ADD COLUMN project_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
                ADD COLUMN fair_place bigint NOT NULL DEFAULT 0;
            CREATE INDEX rapport_queue_fair ON django_q_ormq (key, fair_place, id);
            CREATE INDEX rapport_queue_project ON django_q_ormq (key, project_id, fair_place);
            """,
            """
            DROP INDEX rapport_queue_fair;
            DROP INDEX rapport_queue_project;
            ALTER TABLE django_q_ormq DROP COLUMN project_id, DROP COLUMN fair_place;
            """,
        )
    ]

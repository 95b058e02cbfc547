"""The claim of the queue: oldest claimable row of one key. django-q2's own table has no index for it."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0002_append_only_history"), ("django_q", "0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more")]

    operations = [
        migrations.RunSQL(
            "CREATE INDEX rapport_queue_claim ON django_q_ormq (key, lock)",
            "DROP INDEX rapport_queue_claim",
        )
    ]

from django.db import migrations, models


class Migration(migrations.Migration):
    """What a turn's operations were is told by rows of their own: memory.OperationResult. What is erased is empty."""

    dependencies = [("relationships", "0010_due_in_project")]

    operations = [
        migrations.RemoveField(model_name="turn", name="operations"),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.CheckConstraint(
                condition=models.Q(erased_at=None) | models.Q(content=""), name="message_erased_is_empty"
            ),
        ),
        migrations.AddConstraint(
            model_name="sessionstate",
            constraint=models.CheckConstraint(
                condition=models.Q(ended_at=None) | models.Q(state={}), name="sessionstate_ended_is_empty"
            ),
        ),
    ]

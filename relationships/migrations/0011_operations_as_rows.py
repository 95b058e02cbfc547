from django.db import migrations


class Migration(migrations.Migration):
    """What a turn's operations were is told by rows of their own: memory.OperationResult."""

    dependencies = [("relationships", "0010_due_in_project")]

    operations = [migrations.RemoveField(model_name="turn", name="operations")]

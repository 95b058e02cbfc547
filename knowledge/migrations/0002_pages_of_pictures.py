from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0001_documents")]

    operations = [
        migrations.AddField(
            "document", "picture_pages", models.PositiveIntegerField(db_default=0, default=0)
        ),
    ]

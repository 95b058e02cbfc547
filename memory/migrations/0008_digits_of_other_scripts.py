"""The index of words anew: `Folded` writes the digits of other scripts in ASCII."""

import django.contrib.postgres.indexes
from django.db import migrations
from django.db.models import Q

from memory.models.entry import ENTRY_WORDS


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_words_of_more_scripts")]

    operations = [
        migrations.RemoveIndex(model_name="scratchpadentry", name="entry_words"),
        migrations.AddIndex(
            model_name="scratchpadentry",
            index=django.contrib.postgres.indexes.GinIndex(
                ENTRY_WORDS, condition=Q(state="active"), name="entry_words"
            ),
        ),
    ]

"""The index of words anew: `Folded` leaves out the points of Hebrew and Arabic, and joins letters that stand for one."""

import django.contrib.postgres.indexes
from django.db import migrations
from django.db.models import Q

from memory.models.entry import ENTRY_WORDS


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_index_of_replays_in_hand")]

    operations = [
        migrations.RemoveIndex(model_name="scratchpadentry", name="entry_words"),
        migrations.AddIndex(
            model_name="scratchpadentry",
            index=django.contrib.postgres.indexes.GinIndex(
                ENTRY_WORDS, condition=Q(state="active"), name="entry_words"
            ),
        ),
    ]

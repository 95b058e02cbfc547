"""pgvector, which the retriever stands on: a database without it should say so now and not later."""

from django.db import migrations
from pgvector.django import VectorExtension


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_queue_claim_index")]

    operations = [VectorExtension()]

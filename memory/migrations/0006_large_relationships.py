"""What a large relationship has beside its rows: indexes of its own, and the fold of the ranker `decay`."""

import django.db.models.deletion
import pgvector.django.vector
import relationships.ids
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0005_search_texts_and_embeddings'),
        ('relationships', '0004_archive_in_snapshots'),
    ]

    operations = [
        migrations.CreateModel(
            name='DecayFold',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('owner_id', models.UUIDField()),
                ('model', models.CharField(max_length=120)),
                ('dimensions', models.PositiveIntegerField()),
                ('stale', models.BooleanField(default=True)),
                ('vector', pgvector.django.vector.VectorField(null=True)),
                ('importance', models.FloatField(null=True)),
                ('effective_at', models.DateTimeField(null=True)),
                ('half_life_days', models.FloatField(null=True)),
                ('reference', models.DateTimeField(null=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('stale', True)), fields=['relationship', 'owner_id'], name='decayfold_stale')],
                'constraints': [models.UniqueConstraint(fields=('relationship', 'model', 'dimensions', 'owner_id'), name='decayfold_once'), models.CheckConstraint(condition=models.Q(('stale', True), ('vector__isnull', False), _connector='OR'), name='decayfold_fresh_is_folded')],
            },
        ),
        migrations.CreateModel(
            name='LargeIndex',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('kind', models.CharField(choices=[('entry', 'Entry'), ('message', 'Message')], max_length=10)),
                ('purpose', models.CharField(choices=[('nearest', 'Nearest'), ('decay', 'Decay'), ('text', 'Text')], max_length=10)),
                ('model', models.CharField(blank=True, max_length=120)),
                ('dimensions', models.PositiveIntegerField(default=0)),
                ('state', models.CharField(choices=[('wanted', 'Wanted'), ('ready', 'Ready'), ('failed', 'Failed')], default='wanted', max_length=10)),
                ('rows', models.PositiveIntegerField(default=0)),
                ('mean_length', models.FloatField(default=0.0)),
                ('mean', pgvector.django.vector.VectorField(null=True)),
                ('half_life_days', models.FloatField(null=True)),
                ('reference', models.DateTimeField(null=True)),
                ('due_at', models.DateTimeField(null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('error', models.CharField(blank=True, max_length=60)),
                ('built_at', models.DateTimeField(null=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='largeindex_owed')],
                'constraints': [models.UniqueConstraint(fields=('relationship', 'kind', 'purpose', 'model', 'dimensions'), name='largeindex_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['entry', 'message'])), name='largeindex_known_kind'), models.CheckConstraint(condition=models.Q(('purpose__in', ['nearest', 'decay', 'text'])), name='largeindex_known_purpose'), models.CheckConstraint(condition=models.Q(('state__in', ['wanted', 'ready', 'failed'])), name='largeindex_known_state')],
            },
        ),
    ]

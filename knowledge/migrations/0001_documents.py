"""The documents of companions, cut into chunks that are found by words and by vectors."""

import django.contrib.postgres.search
import django.db.models.deletion
import pgvector.django.halfvec
import relationships.ids
from django.db import migrations, models
from pgvector.django import VectorExtension


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('relationships', '0001_people_and_turns'),
    ]

    operations = [
        VectorExtension(),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('due_at', models.DateTimeField(null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('lease_token', models.UUIDField(null=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('leased_by', models.CharField(blank=True, db_default='', default='', max_length=120)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('kind', models.CharField(max_length=20)),
                ('sha256', models.BinaryField(max_length=32)),
                ('size', models.BigIntegerField()),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('processing', 'Processing'), ('ready', 'Ready'), ('failed', 'Failed')], default='pending', max_length=12)),
                ('error', models.TextField(blank=True)),
                ('reread', models.BooleanField(default=True)),
                ('pages', models.PositiveIntegerField(null=True)),
                ('characters', models.PositiveIntegerField(default=0)),
                ('language', models.CharField(blank=True, max_length=20)),
                ('chunk_count', models.PositiveIntegerField(default=0)),
                ('chunks_done', models.PositiveIntegerField(default=0)),
                ('embedding_model', models.CharField(blank=True, max_length=120)),
                ('embedding_dimensions', models.PositiveIntegerField(null=True)),
                ('added_by_kind', models.CharField(max_length=20)),
                ('added_by_id', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('settled_at', models.DateTimeField(null=True)),
                ('companion', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='relationships.companion')),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='relationships.project')),
            ],
            options={
                'db_table': 'context_document',
            },
        ),
        migrations.CreateModel(
            name='DocumentFile',
            fields=[
                ('document', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='file', serialize=False, to='knowledge.document')),
                ('content', models.BinaryField()),
            ],
            options={
                'db_table': 'context_documentfile',
            },
        ),
        migrations.CreateModel(
            name='DocumentChunk',
            fields=[
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('place', models.PositiveIntegerField()),
                ('page_from', models.PositiveIntegerField(null=True)),
                ('page_to', models.PositiveIntegerField(null=True)),
                ('heading', models.CharField(blank=True, max_length=300)),
                ('content', models.TextField()),
                ('repeats', models.PositiveIntegerField(default=0)),
                ('tokens', models.PositiveIntegerField()),
                ('lexemes', django.contrib.postgres.search.SearchVectorField()),
                ('length', models.PositiveIntegerField()),
                ('embed_error', models.CharField(blank=True, max_length=60)),
                ('companion', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='relationships.companion')),
                ('document', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='knowledge.document')),
            ],
            options={
                'db_table': 'context_documentchunk',
            },
        ),
        migrations.CreateModel(
            name='ChunkEmbedding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(max_length=120)),
                ('dimensions', models.PositiveIntegerField()),
                ('vector', pgvector.django.halfvec.HalfVectorField()),
                ('companion', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='relationships.companion')),
                ('chunk', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='knowledge.documentchunk')),
            ],
            options={
                'db_table': 'context_chunkembedding',
            },
        ),
        migrations.AddIndex(
            model_name='document',
            index=models.Index(fields=['companion', '-created_at', '-id'], name='document_newest'),
        ),
        migrations.AddIndex(
            model_name='document',
            index=models.Index(condition=models.Q(('state__in', ['pending', 'processing'])), fields=['due_at'], name='document_owed'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.UniqueConstraint(fields=('companion', 'sha256'), name='document_once'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'processing', 'ready', 'failed'])), name='document_known_state'),
        ),
        migrations.AddIndex(
            model_name='documentchunk',
            index=models.Index(fields=['companion'], name='chunk_ranked'),
        ),
        migrations.AddConstraint(
            model_name='documentchunk',
            constraint=models.UniqueConstraint(fields=('document', 'place'), name='chunk_place_once'),
        ),
        migrations.AddIndex(
            model_name='chunkembedding',
            index=models.Index(fields=['companion', 'model', 'dimensions'], name='chunkembedding_space'),
        ),
        migrations.AddConstraint(
            model_name='chunkembedding',
            constraint=models.UniqueConstraint(fields=('chunk', 'model', 'dimensions'), name='chunkembedding_once'),
        ),
        migrations.AddConstraint(
            model_name='chunkembedding',
            constraint=models.CheckConstraint(condition=models.Q(('dimensions__gte', 1)), name='chunkembedding_has_dimensions'),
        ),
    ]

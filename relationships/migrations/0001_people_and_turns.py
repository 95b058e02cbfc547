"""Projects and who may enter them, companions and people, and what was said."""

import config.tracing
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.text
import django.utils.timezone
import relationships.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('config', models.JSONField(blank=True, default=dict)),
                ('daily_tokens', models.PositiveBigIntegerField(null=True)),
                ('daily_usd', models.DecimalField(decimal_places=4, max_digits=12, null=True)),
                ('version', models.PositiveIntegerField(default=1)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Operator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('project_id', models.UUIDField()),
                ('action', models.CharField(max_length=60)),
                ('target_kind', models.CharField(max_length=40)),
                ('target_id', models.UUIDField(null=True)),
                ('actor_kind', models.CharField(max_length=20)),
                ('actor_id', models.CharField(blank=True, max_length=200)),
                ('detail', models.JSONField(default=dict)),
                ('recorded_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'indexes': [models.Index(fields=['project_id', '-recorded_at', '-id'], name='audit_by_project')],
            },
        ),
        migrations.CreateModel(
            name='ModelSpending',
            fields=[
                ('pk', models.CompositePrimaryKey('day', 'project_id', 'part', blank=True, editable=False, primary_key=True, serialize=False)),
                ('day', models.DateField()),
                ('part', models.PositiveSmallIntegerField(default=0)),
                ('calls', models.PositiveBigIntegerField(default=0)),
                ('tokens', models.PositiveBigIntegerField(default=0)),
                ('cost', models.DecimalField(decimal_places=8, default=0, max_digits=16)),
                ('unpriced', models.PositiveBigIntegerField(default=0)),
                ('answered_at', models.DateTimeField(null=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='spending', to='relationships.project')),
            ],
            options={
                'db_table': 'memory_modelspending',
            },
        ),
        migrations.CreateModel(
            name='EndUser',
            fields=[
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('external_id', models.CharField(max_length=200)),
                ('display_name', models.CharField(blank=True, max_length=200)),
                ('metadata', models.JSONField(blank=True, default=dict)),
                ('ingestion_paused', models.BooleanField(default=False)),
                ('version', models.PositiveIntegerField(default=1)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='end_users', to='relationships.project')),
            ],
        ),
        migrations.CreateModel(
            name='Companion',
            fields=[
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('slug', models.CharField(max_length=80)),
                ('name', models.CharField(max_length=200)),
                ('config', models.JSONField(blank=True, default=dict)),
                ('prompt_version', models.PositiveIntegerField(null=True)),
                ('version', models.PositiveIntegerField(default=1)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='companions', to='relationships.project')),
            ],
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('prefix', models.CharField(max_length=24, unique=True)),
                ('key_hash', models.BinaryField(max_length=32)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read'), ('write', 'Write'), ('admin', 'Admin')], max_length=10), size=None)),
                ('rate_limits', models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_used_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to='relationships.project')),
            ],
        ),
        migrations.CreateModel(
            name='Relationship',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('config', models.JSONField(blank=True, default=dict)),
                ('timezone', models.CharField(default='UTC', max_length=64)),
                ('language', models.CharField(blank=True, default='', max_length=20)),
                ('last_seq', models.BigIntegerField(default=0)),
                ('message_count', models.BigIntegerField(db_default=0, default=0)),
                ('last_turn_at', models.DateTimeField(null=True)),
                ('version', models.PositiveIntegerField(default=1)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('companion', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relationships', to='relationships.companion')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relationships', to='relationships.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relationships', to='relationships.enduser')),
            ],
        ),
        migrations.CreateModel(
            name='ProfileRevision',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('version', models.PositiveIntegerField()),
                ('data', models.JSONField()),
                ('actor_kind', models.CharField(max_length=20)),
                ('actor_id', models.CharField(blank=True, max_length=200)),
                ('recorded_at', models.DateTimeField(auto_now_add=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
        ),
        migrations.CreateModel(
            name='Profile',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('data', models.JSONField(default=dict)),
                ('version', models.PositiveIntegerField(default=1)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('turn_id', models.UUIDField()),
                ('seq', models.BigIntegerField()),
                ('session', models.CharField(max_length=200)),
                ('role', models.CharField(choices=[('user', 'User'), ('assistant', 'Assistant'), ('system', 'System'), ('tool', 'Tool')], max_length=10)),
                ('speaker', models.CharField(blank=True, max_length=200)),
                ('content', models.TextField()),
                ('metadata', models.JSONField(default=dict)),
                ('occurred_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField(auto_now_add=True)),
                ('erased_at', models.DateTimeField(null=True)),
                ('hidden_at', models.DateTimeField(null=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
        ),
        migrations.CreateModel(
            name='IdempotencyKey',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('route', models.CharField(max_length=40)),
                ('key_hash', models.BinaryField(max_length=32)),
                ('request_hash', models.BinaryField(max_length=32)),
                ('resource_id', models.UUIDField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
        ),
        migrations.CreateModel(
            name='RelationshipToken',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('token_hash', models.BinaryField(max_length=32)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=10), size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(null=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
        ),
        migrations.CreateModel(
            name='SessionState',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('session', models.CharField(default='current', max_length=200)),
                ('state', models.JSONField(default=dict)),
                ('version', models.PositiveIntegerField(default=1)),
                ('turns', models.BigIntegerField(db_default=0, default=0)),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('last_active_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('idle_at', models.DateTimeField(null=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('profile', models.JSONField(default=dict)),
                ('sessions', models.JSONField(default=dict)),
                ('scratchpad', models.JSONField(default=list)),
                ('hot_context', models.JSONField(null=True)),
                ('fresh_until', models.DateTimeField(null=True)),
                ('has_archive', models.BooleanField(null=True)),
                ('summary', models.JSONField(db_default={}, default=dict)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
        ),
        migrations.CreateModel(
            name='Turn',
            fields=[
                ('due_at', models.DateTimeField(null=True)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('lease_token', models.UUIDField(null=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('leased_by', models.CharField(blank=True, db_default='', default='', max_length=120)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('pk', models.CompositePrimaryKey('relationship_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False)),
                ('project_id', models.UUIDField()),
                ('seq', models.BigIntegerField()),
                ('session', models.CharField(default='current', max_length=200)),
                ('occurred_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField(auto_now_add=True)),
                ('config', models.JSONField(blank=True, default=dict)),
                ('tags', models.JSONField(default=dict)),
                ('category', models.CharField(blank=True, max_length=60)),
                ('modality', models.CharField(default='text', max_length=20)),
                ('interrupted', models.BooleanField(db_default=False, default=False)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('processing', 'Processing'), ('applied', 'Applied'), ('skipped', 'Skipped'), ('failed', 'Failed')], default='pending', max_length=12)),
                ('waits_for', models.CharField(blank=True, max_length=20)),
                ('claimed_at', models.DateTimeField(null=True)),
                ('settled_at', models.DateTimeField(null=True)),
                ('error', models.TextField(blank=True)),
                ('waiting_since', models.DateTimeField(null=True)),
                ('waits_on', models.CharField(blank=True, db_default='', default='', max_length=60)),
                ('prompt_version', models.PositiveIntegerField(null=True)),
                ('model_call_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('traceparent', models.CharField(default=config.tracing.traceparent, max_length=55, null=True)),
                ('relationship', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='relationships.relationship')),
            ],
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.UUIDField(default=relationships.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('role', models.CharField(choices=[('viewer', 'Viewer'), ('editor', 'Editor'), ('owner', 'Owner')], max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('operator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='relationships.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('operator', 'project'), name='membership_one_role_each'), models.CheckConstraint(condition=models.Q(('role__in', ['viewer', 'editor', 'owner'])), name='membership_known_role')],
            },
        ),
        migrations.AddConstraint(
            model_name='enduser',
            constraint=models.UniqueConstraint(fields=('project', 'external_id'), name='enduser_external_id_once'),
        ),
        migrations.AddIndex(
            model_name='enduser',
            index=models.Index(models.F('project'), django.db.models.functions.text.Lower(django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.NullIf('display_name', models.Value('')), 'external_id')), name='person_by_name'),
        ),
        migrations.AddConstraint(
            model_name='companion',
            constraint=models.UniqueConstraint(fields=('project', 'slug'), name='companion_slug_once'),
        ),
        migrations.AddConstraint(
            model_name='apikey',
            constraint=models.CheckConstraint(condition=models.Q(('scopes__contained_by', ['read', 'write', 'admin']), models.Q(('scopes', []), _negated=True)), name='apikey_known_scopes'),
        ),
        migrations.AddIndex(
            model_name='relationship',
            index=models.Index(fields=['project', '-created_at', '-id'], name='relationship_by_project'),
        ),
        migrations.AddConstraint(
            model_name='profilerevision',
            constraint=models.UniqueConstraint(fields=('relationship', 'version'), name='profilerevision_version_once'),
        ),
        migrations.AddConstraint(
            model_name='profile',
            constraint=models.UniqueConstraint(fields=('relationship',), name='profile_one_each'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(fields=['relationship', 'turn_id', 'seq'], name='message_of_turn'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(fields=['relationship', 'session', '-seq'], name='message_of_session'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.UniqueConstraint(fields=('relationship', 'seq'), name='message_seq_once'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['user', 'assistant', 'system', 'tool'])), name='message_known_role'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.CheckConstraint(condition=models.Q(('erased_at', None), models.Q(('content', ''), ('metadata', {})), _connector='OR'), name='message_erased_is_empty'),
        ),
        migrations.AddIndex(
            model_name='idempotencykey',
            index=models.Index(fields=['created_at'], name='idempotency_age'),
        ),
        migrations.AddConstraint(
            model_name='idempotencykey',
            constraint=models.UniqueConstraint(fields=('relationship', 'route', 'key_hash'), name='idempotencykey_once'),
        ),
        migrations.AddIndex(
            model_name='relationshiptoken',
            index=models.Index(fields=['expires_at'], name='token_expiry'),
        ),
        migrations.AddConstraint(
            model_name='relationshiptoken',
            constraint=models.CheckConstraint(condition=models.Q(('scopes__contained_by', ['read', 'write']), models.Q(('scopes', []), _negated=True)), name='relationshiptoken_known_scopes'),
        ),
        migrations.AddIndex(
            model_name='sessionstate',
            index=models.Index(condition=models.Q(('ended_at', None)), fields=['idle_at'], name='session_idle'),
        ),
        migrations.AddConstraint(
            model_name='sessionstate',
            constraint=models.UniqueConstraint(fields=('relationship', 'session'), name='sessionstate_once'),
        ),
        migrations.AddConstraint(
            model_name='sessionstate',
            constraint=models.CheckConstraint(condition=models.Q(('ended_at', None), ('state', {}), _connector='OR'), name='sessionstate_ended_is_empty'),
        ),
        migrations.AddConstraint(
            model_name='snapshot',
            constraint=models.UniqueConstraint(fields=('relationship',), name='snapshot_one_each'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=django.contrib.postgres.indexes.BrinIndex(fields=['recorded_at'], name='turn_by_time'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(fields=['relationship', 'occurred_at'], include=['session'], name='turn_when_said'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(condition=models.Q(('state__in', ['pending', 'processing'])), fields=['relationship', 'seq'], name='turn_open'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['due_at'], name='turn_due'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(condition=models.Q(('due_at__isnull', False), ('state', 'pending')), fields=['project_id', 'due_at', 'relationship'], name='turn_due_in_project'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(condition=models.Q(('state', 'processing')), fields=['lease_until'], name='turn_leased'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(condition=models.Q(('state__in', ['pending', 'processing']), ('waiting_since__isnull', False)), fields=['waits_on', 'waiting_since'], name='turn_waiting'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(condition=models.Q(('state__in', ['failed', 'skipped'])), fields=['project_id', 'state', '-recorded_at'], name='turn_not_read'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(fields=['project_id', '-recorded_at', '-id'], include=['state'], name='turn_by_project'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=django.contrib.postgres.indexes.BrinIndex(fields=['occurred_at'], name='turn_by_time_said'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.UniqueConstraint(fields=('relationship', 'seq'), name='turn_seq_once'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'processing', 'applied', 'skipped', 'failed'])), name='turn_known_state'),
        ),
        migrations.AddConstraint(
            model_name='turn',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lease_token__isnull', False), ('lease_until__isnull', False), ('state', 'processing')), models.Q(models.Q(('state', 'processing'), _negated=True), ('lease_token', None), ('lease_until', None)), _connector='OR'), name='turn_lease_while_processing'),
        ),
    ]

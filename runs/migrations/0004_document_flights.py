from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0003_switches'),
    ]

    operations = [
        migrations.CreateModel(
            name='DocumentFlight',
            fields=[
                ('cache_key', models.TextField(primary_key=True, serialize=False)),
                ('state', models.TextField(choices=[('DOWNLOADING', 'Downloading'), ('CACHED', 'Cached'), ('UNCACHED', 'Uncached')])),
                ('owner', models.UUIDField()),
                ('touched_at', models.DateTimeField()),
                ('settled_until', models.DateTimeField(null=True)),
            ],
            options={
                'db_table': 'document_flights',
                'indexes': [models.Index(fields=['touched_at'], name='document_flights_swept')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('settled_until__isnull', True), ('state', 'DOWNLOADING')), models.Q(('settled_until__isnull', False), ('state__in', ['CACHED', 'UNCACHED'])), _connector='OR'), name='document_flights_settled_when_landed')],
            },
        ),
    ]

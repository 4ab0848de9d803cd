from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0011_client_of_a_run")]

    operations = [
        migrations.AddField("apikey", "packs", models.JSONField(blank=True, null=True)),
        migrations.AddField("apikey", "read_only", models.BooleanField(default=False)),
        migrations.AddField("apikey", "allowed_networks", models.JSONField(blank=True, null=True)),
    ]

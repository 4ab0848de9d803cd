import uuid

from django.db import models


class PlainRun(models.Model):
    run_id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    tenant = models.TextField()
    pack_type = models.TextField()
    inputs = models.JSONField()
    max_cost_usd = models.DecimalField(max_digits=14, decimal_places=4)
    status = models.TextField(default="QUEUED")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "plain"
        db_table = "bench_plain_runs"

    def __str__(self) -> str:
        return str(self.run_id)

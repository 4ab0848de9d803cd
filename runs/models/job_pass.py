from django.db import models


class JobPass(models.Model):
    """The last pass of a beat job, and the last one that found something. One row a job; see `runs.jobs.history`."""

    name = models.TextField(primary_key=True)
    finished_at = models.DateTimeField()
    duration_ms = models.BigIntegerField()
    counts = models.JSONField(default=dict)
    found_at = models.DateTimeField(null=True)
    found_counts = models.JSONField(null=True)

    class Meta:
        db_table = "job_passes"
        verbose_name_plural = "jobs"

    def __str__(self) -> str:
        return self.name

"""The index of what lies in object storage. Rows are inserted only in the winner's commit."""

from django.db import models
from django.db.models.functions import Now


class StoredObject(models.Model):
    run = models.ForeignKey("runs.Run", on_delete=models.PROTECT, related_name="objects_stored")
    key = models.TextField(unique=True)
    name = models.TextField()
    sha256 = models.TextField()
    size = models.BigIntegerField()
    mime = models.TextField()
    etag = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "stored_objects"

    def __str__(self) -> str:
        return self.key


class DamagedObject(models.Model):
    """A stored object that was not found as it was written. The row goes when the object is sound again."""

    class Problem(models.TextChoices):
        MISSING = "missing"
        DIFFERS = "differs"

    stored = models.OneToOneField(StoredObject, primary_key=True, on_delete=models.CASCADE, related_name="damage")
    problem = models.TextField(choices=Problem.choices)
    found_at = models.DateTimeField()
    checked_at = models.DateTimeField()

    class Meta:
        db_table = "damaged_objects"
        verbose_name_plural = "damaged results"

    def __str__(self) -> str:
        return f"{self.stored_id} {self.problem}"


class Upload(models.Model):
    """A file that a tenant announced, and may have put into the bucket since. Good for a day."""

    upload_id = models.UUIDField(primary_key=True)
    tenant = models.ForeignKey("runs.Tenant", on_delete=models.PROTECT, related_name="uploads", db_index=False)
    name = models.TextField()
    size = models.BigIntegerField()
    sha256 = models.TextField()
    mime = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "uploads"
        indexes = [models.Index(name="uploads_by_tenant", fields=["tenant", "created_at"])]

    def __str__(self) -> str:
        return str(self.upload_id)

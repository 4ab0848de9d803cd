"""The index of what lies in object storage. Rows are inserted only in the winner's commit."""

from django.db import models


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

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

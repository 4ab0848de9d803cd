from django.db import models
from django.db.models import Q


class DocumentFlight(models.Model):
    """The single-flight lock of one document is this row. `runs.documents.flights` writes it, by single statements."""

    class State(models.TextChoices):
        DOWNLOADING = "DOWNLOADING"
        CACHED = "CACHED"
        UNCACHED = "UNCACHED"

    cache_key = models.TextField(primary_key=True)
    state = models.TextField(choices=State.choices)
    owner = models.UUIDField()
    touched_at = models.DateTimeField()
    settled_until = models.DateTimeField(null=True)

    class Meta:
        db_table = "document_flights"
        constraints = [
            models.CheckConstraint(
                name="document_flights_settled_when_landed",
                condition=Q(state="DOWNLOADING", settled_until__isnull=True)
                | Q(state__in=["CACHED", "UNCACHED"], settled_until__isnull=False),
            ),
        ]
        indexes = [models.Index(name="document_flights_swept", fields=["touched_at"])]

    def __str__(self) -> str:
        return f"{self.cache_key[:12]} {self.state}"

from django.db import models


class DeadLetter(models.Model):
    """A message that fits no run, kept for `manage.py requeue_dead_letters`."""

    message_id = models.TextField(unique=True)
    body = models.TextField()
    problem = models.TextField()
    received_at = models.DateTimeField(auto_now_add=True)
    requeued_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "dead_letters"

    def __str__(self) -> str:
        return f"{self.message_id}: {self.problem}"

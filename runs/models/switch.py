from django.db import models


class SwitchState(models.Model):
    """A kill switch as it stands. No row: its default. Flipped by `runs.access.switches.flip`, which audits it."""

    name = models.TextField(primary_key=True)
    on = models.BooleanField()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "switch_states"

    def __str__(self) -> str:
        return f"{self.name}: {'on' if self.on else 'off'}"


class SwitchChange(models.Model):
    """Who flipped a switch, when and why. Append-only in the database."""

    name = models.TextField()
    on = models.BooleanField()
    who = models.TextField()
    why = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "switch_changes"
        indexes = [models.Index(name="switch_changes_by_name", fields=["name", "-at"])]

    def __str__(self) -> str:
        return f"{self.name} {'on' if self.on else 'off'} by {self.who}"

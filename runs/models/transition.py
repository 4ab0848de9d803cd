from django.contrib.postgres.indexes import BrinIndex
from django.db import models

from runs.states import Actor


class RunTransition(models.Model):
    """The audit trail: who moved a run from where to where, and on which version. Append-only in the database."""

    run = models.ForeignKey("runs.Run", on_delete=models.PROTECT, related_name="transitions", db_index=False)
    actor = models.TextField(choices=Actor.choices)
    from_status = models.TextField(null=True)
    to_status = models.TextField()
    from_money = models.TextField(null=True)
    to_money = models.TextField()
    finalize_stage = models.TextField(null=True)
    version_before = models.BigIntegerField(null=True)
    version_after = models.BigIntegerField()
    reason_code = models.TextField(null=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "run_transitions"
        constraints = [
            # Two winners of one version cannot both be recorded, whatever the code above does.
            models.UniqueConstraint(name="run_transitions_one_winner", fields=["run", "version_after"]),
        ]
        indexes = [
            # The plots read the latest hours. Rows are only ever appended, so that a block range summary, which costs
            # an insert next to nothing, finds them as well as a tree would.
            BrinIndex(name="run_transitions_latest", fields=["at"], autosummarize=True, pages_per_range=32),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}: {self.from_status} -> {self.to_status} by {self.actor}"

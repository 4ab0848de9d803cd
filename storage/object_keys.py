"""Object keys. Built from ids and fixed names only: nothing a caller wrote ever becomes part of a key."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from dpp_project.profile import PROFILE

# All of ours lies under these two: the policies allow nothing else of the bucket, not even to look.
ROOT = "dpp/"
# Of results that a plan keeps for longer than the profile: the bucket's own rule deletes what lies under `ROOT`.
LONG_ROOT = "dpp-long/"
ENVELOPE = "pack_envelope.json"
INPUTS = "inputs.json"

_ARTIFACT_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}(?:\.[a-z0-9]{1,8})?")


# Beginning with what no tenant's id begins with. A file that a caller put there is deleted after a day.
UPLOADS = f"{ROOT}_uploads/"


# Documents too large for Redis, from one process to the others: removed within hours, by the bucket after a day.
HANDOVERS = f"{ROOT}_handover/"


def handover(tenant_id: str, digest: str) -> str:
    return f"{HANDOVERS}{tenant_id}/{digest}.json"


def upload(tenant_id: str, upload_id: UUID) -> str:
    return f"{UPLOADS}{tenant_id}/{upload_id}"


@dataclass(frozen=True)
class RunFolder:
    """Where the objects of one run lie: under a root whose rule deletes nothing before the run's retention ends."""

    tenant_id: str
    run_id: UUID
    created_at: datetime
    kept_for: timedelta

    @property
    def prefix(self) -> str:
        root = ROOT if self.kept_for <= PROFILE.retention else LONG_ROOT
        return f"{root}{self.tenant_id}/{self.created_at.astimezone(UTC):%Y/%m/%d}/{self.run_id}/"

    @property
    def envelope(self) -> str:
        return self.prefix + ENVELOPE

    @property
    def inputs(self) -> str:
        return self.prefix + INPUTS

    def artifact(self, name: str) -> str:
        if not _ARTIFACT_NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot be the name of an artifact")
        return f"{self.prefix}artifacts/{name}"

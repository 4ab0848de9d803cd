"""Object keys. Built from ids and fixed names only: nothing a caller wrote ever becomes part of a key."""

import re
from datetime import UTC, datetime
from uuid import UUID

# All of ours lies under it: the policies allow nothing else of the bucket, not even to look.
ROOT = "dpp/"
ENVELOPE = "pack_envelope.json"
INPUTS = "inputs.json"

_ARTIFACT_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}(?:\.[a-z0-9]{1,8})?")


# Beginning with what no tenant's id begins with. A file that a caller put there is deleted after a day.
UPLOADS = f"{ROOT}_uploads/"


def upload(tenant_id: str, upload_id: UUID) -> str:
    return f"{UPLOADS}{tenant_id}/{upload_id}"


def prefix(tenant_id: str, run_id: UUID, created_at: datetime) -> str:
    day = created_at.astimezone(UTC)
    return f"{ROOT}{tenant_id}/{day:%Y/%m/%d}/{run_id}/"


def envelope(tenant_id: str, run_id: UUID, created_at: datetime) -> str:
    return prefix(tenant_id, run_id, created_at) + ENVELOPE


def inputs(tenant_id: str, run_id: UUID, created_at: datetime) -> str:
    return prefix(tenant_id, run_id, created_at) + INPUTS


def artifact(tenant_id: str, run_id: UUID, created_at: datetime, name: str) -> str:
    if not _ARTIFACT_NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be the name of an artifact")
    return f"{prefix(tenant_id, run_id, created_at)}artifacts/{name}"

"""Files that callers put into the bucket themselves, for packs to read. Each is announced first: size, hash and
type are bound to the link, and a tenant has so many for a day."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Now

from dpp_project.profile import PROFILE
from runs.exceptions import UploadQuotaReached
from runs.models import Tenant
from storage import object_keys, store
from storage.models import Upload
from storage.object_store import UploadLink


@dataclass(frozen=True)
class AnnouncedUpload:
    upload: Upload
    link: UploadLink
    expires_at: datetime
    """Until then a run may name it."""


@transaction.atomic
def announce_upload(tenant: Tenant, *, name: str, size: int, sha256: str, mime: str) -> AnnouncedUpload:
    # One after the other: of two at the same moment each would find room for itself. Runs are accepted meanwhile.
    Tenant.objects.select_for_update(no_key=True).only("pk").get(pk=tenant.pk)
    kept = _kept(tenant.pk).aggregate(number=Count("pk"), size=Sum("size"))
    if kept["number"] >= PROFILE.uploads_per_tenant or (kept["size"] or 0) + size > PROFILE.upload_bytes_per_tenant:
        raise UploadQuotaReached
    upload = Upload(upload_id=uuid4(), tenant=tenant, name=name, size=size, sha256=sha256, mime=mime)
    key = object_keys.upload(tenant.pk, upload.pk)
    link = store.upload_link(key, size=size, sha256=sha256, mime=mime, seconds=PROFILE.upload_link_ttl_sec)
    upload.save(force_insert=True)
    upload.refresh_from_db(fields=["created_at"])
    return AnnouncedUpload(upload, link, upload.created_at + timedelta(seconds=PROFILE.upload_kept_sec))


def find_upload(tenant_id: str, upload_id: UUID) -> Upload | None:
    """By the database's clock; another tenant's is none."""
    return _kept(tenant_id).filter(pk=upload_id).first()


def _kept(tenant_id: str) -> QuerySet[Upload]:
    since = Now() - timedelta(seconds=PROFILE.upload_kept_sec)
    return Upload.objects.filter(tenant_id=tenant_id, created_at__gt=since)

"""Which of the keys that streams were opened with count no longer. Asked of the database, not of a cache."""

import logging
from collections.abc import Collection
from uuid import UUID

from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Q
from django.db.models.functions import Now

from dpp_project.dependency import begin_request
from dpp_project.logging import fields
from runs.models import ApiKey

log = logging.getLogger("dpp.events")


def unusable(api_key_ids: Collection[UUID]) -> set[UUID]:
    """Revoked, expired or gone. None if the database does not answer: an outage revokes nobody. Runs in a thread."""
    begin_request()
    unexpired = Q(expires_at__isnull=True) | Q(expires_at__gt=Now())
    try:
        usable = ApiKey.objects.filter(unexpired, pk__in=api_key_ids, status=ApiKey.Status.ACTIVE)
        return set(api_key_ids) - set(usable.values_list("pk", flat=True))
    except (DatabaseError, InterfaceError) as error:
        log.warning("stream_keys_unchecked", extra=fields(keys=len(api_key_ids), error=type(error).__name__))
        return set()
    finally:
        connection.close()

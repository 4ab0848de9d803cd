"""What `manage.py check` and every start says of the configured object store."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Warning, register
from django.core.files.storage import FileSystemStorage, storages

from storage import store
from storage.object_store import Promise


@register
def object_store_keeps_its_promises(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    backend = storages["default"]
    name = f"{type(backend).__module__}.{type(backend).__qualname__}"
    found: list[CheckMessage] = [
        Warning(f"{name} does not {promise}.", hint="docs/operations.md, “Object storage”.", id=f"dpp.W{number:03d}")
        for number, promise in enumerate(Promise, start=10)
        if promise in store.missing_promises()
    ]
    if isinstance(backend, FileSystemStorage) and not str(backend.base_url or "").startswith(("https://", "http://")):
        found.append(
            Error(
                f"{name} has no absolute base_url: results could not be linked to.",
                hint="Set base_url in DPP_STORAGE_OPTIONS to where a web server serves these files.",
                id="dpp.E010",
            )
        )
    return found

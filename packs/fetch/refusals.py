"""Refuse at submit what may never be fetched: a URL whose very text is forbidden."""

from collections.abc import Callable, Mapping
from typing import Any

from packs.base import InputError, JsonObject
from packs.fetch.document import Fetcher


def refuse_urls(name: str) -> Callable[[JsonObject, Mapping[str, Any]], list[InputError]]:
    """A pack's `refuse` for the list of URLs under this input. Looks nothing up: what only a resolver or a redirect
    reveals is logged while the run goes on."""

    def refuse(inputs: JsonObject, services: Mapping[str, Any]) -> list[InputError]:
        fetcher: Fetcher = services["fetcher"]
        refusals = ((position, fetcher.refusal(url)) for position, url in enumerate(inputs.get(name) or []))
        return [
            InputError(f"/inputs/{name}/{position}", refusal.detail)
            for position, refusal in refusals
            if refusal is not None
        ]

    return refuse

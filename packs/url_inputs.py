"""Refuse at submit what may never be fetched: a URL whose very text is forbidden."""

from collections.abc import Callable

from packs.base import InputError, JsonObject, UrlCheck


def refuse_urls(name: str) -> Callable[[JsonObject, UrlCheck], list[InputError]]:
    """A pack's `refuse` for the list of URLs under this input. Looks nothing up: what only a resolver or a redirect
    reveals is logged while the run goes on."""

    def refuse(inputs: JsonObject, refusal_of: UrlCheck) -> list[InputError]:
        refusals = ((position, refusal_of(url)) for position, url in enumerate(inputs.get(name) or []))
        return [
            InputError(f"/inputs/{name}/{position}", refusal) for position, refusal in refusals if refusal is not None
        ]

    return refuse

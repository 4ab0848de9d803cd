"""The Host header is checked, but not where it is asked by address: balancers and scrapers know no public name."""

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware

# Their answers tell nothing of the host.
_ASKED_BY_ADDRESS = frozenset({"/healthz", "/readyz", "/metrics"})


class Hosts(CommonMiddleware):
    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        return None if request.path_info in _ASKED_BY_ADDRESS else super().process_request(request)

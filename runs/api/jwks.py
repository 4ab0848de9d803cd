"""GET /.well-known/jwks.json: the public keys that verify results, for everybody."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from dpp_project import signing
from runs.api.json_bodies import json_bytes


@csrf_exempt  # nothing can be changed here: another method is simply not there
@require_safe
def jwks(request: HttpRequest) -> HttpResponse:
    return HttpResponse(
        json_bytes(signing.jwks()),
        content_type="application/jwk-set+json",
        headers={"Cache-Control": "public, max-age=300"},
    )

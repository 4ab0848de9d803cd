"""GET /docs: Swagger UI over /v1/openapi.json, from files of an installed package. Nothing comes from elsewhere."""

from collections.abc import Mapping
from pathlib import Path

import drf_spectacular_sidecar
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

_UI = Path(drf_spectacular_sidecar.__file__).parent / "static/drf_spectacular_sidecar/swagger-ui-dist"
_FILES: Mapping[str, str] = {
    "swagger-ui.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "favicon-32x32.png": "image/png",
}
_START = "start.js"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>DPP API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
_SCRIPT = 'SwaggerUIBundle({url: "/v1/openapi.json", dom_id: "#api", deepLinking: true, validatorUrl: null});\n'

# Styles are set by the program itself, and its icons are data URLs.
_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_PAGE, headers={"Content-Security-Policy": _POLICY})


@require_safe
def asset(request: HttpRequest, name: str) -> HttpResponse | FileResponse:
    """One of the few files that the page needs, by its exact name."""
    if name == _START:
        return HttpResponse(_SCRIPT, content_type="text/javascript; charset=utf-8")
    if name not in _FILES:
        raise Http404
    response = FileResponse((_UI / name).open("rb"), content_type=_FILES[name])
    response["Cache-Control"] = "public, max-age=3600"
    return response

"""GET /v1/openapi.json"""

from django.http import HttpResponse
from rest_framework.request import Request

from runs.api.answers import ApiView, bytes_response
from runs.api.openapi import operations
from runs.api.openapi.document import openapi_bytes


class OpenApiView(ApiView):
    @operations.GET_OPENAPI
    def get(self, request: Request) -> HttpResponse:
        return bytes_response(openapi_bytes(), headers={"Cache-Control": "public, max-age=300"})

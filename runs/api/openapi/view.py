"""GET /v1/openapi.json"""

from rest_framework.request import Request
from rest_framework.response import Response

from runs.api.api_view import OpenView
from runs.api.openapi import operations
from runs.api.openapi.document import openapi_bytes


class OpenApiView(OpenView):
    @operations.GET_OPENAPI
    def get(self, request: Request) -> Response:
        return Response(openapi_bytes(), headers={"Cache-Control": "public, max-age=300"})

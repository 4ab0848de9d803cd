"""POST /v1/uploads: announce a file, get the link to put it to."""

from datetime import timedelta

from rest_framework.request import Request
from rest_framework.response import Response

from dpp_project.metrics import UPLOADS
from dpp_project.profile import PROFILE
from runs.api.api_view import ApiView, tenant_of
from runs.api.openapi import operations
from runs.api.request_body import read_body
from runs.api.serializers.upload import UPLOAD, UPLOAD_REQUEST
from runs.lifecycle.uploads import announce_upload


class UploadsView(ApiView):
    @operations.ANNOUNCE_UPLOAD
    def post(self, request: Request) -> Response:
        announced = announce_upload(tenant_of(request), **read_body(UPLOAD_REQUEST, request))
        UPLOADS.inc()
        values = {
            "upload_id": announced.upload.pk,
            "url": announced.link.url,
            "headers": dict(announced.link.headers),
            "url_expires_at": announced.upload.created_at + timedelta(seconds=PROFILE.upload_link_ttl_sec),
            "expires_at": announced.expires_at,
        }
        return Response(UPLOAD.to_representation(values), status=201)

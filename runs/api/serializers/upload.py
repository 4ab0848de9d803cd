"""POST /v1/uploads: what is announced, and where it goes."""

from typing import Any

from dpp_project.profile import PROFILE
from runs.api.serializers.base import AnswerSerializer, StrictSerializer
from runs.api.serializers.fields import Choice, Constant, Id, Instant, MapOf, Schema, Text, WholeNumber

# What the packs can read; the content is looked at all the same.
MEDIA_TYPES = ("application/pdf", "image/png", "image/jpeg", "image/webp", "image/tiff")
_NAME_CHARS = 200


class FileName(Text):
    default_error_messages = {"invalid": f"must be a string of 1 to {_NAME_CHARS} characters"}

    def json_schema(self) -> Schema:
        return {"type": "string", "minLength": 1, "maxLength": _NAME_CHARS}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or not 1 <= len(data) <= _NAME_CHARS:
            self.fail("invalid")
        return data


class FileHash(Text):
    default_error_messages = {"invalid": "must be the SHA-256 of the file, 64 hexadecimal digits in lower case"}

    def __init__(self, **more: Any) -> None:
        super().__init__(pattern="^[0-9a-f]{64}$", **more)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or len(data) != 64 or not set(data) <= set("0123456789abcdef"):
            self.fail("invalid")
        return data


class UploadRequestSerializer(StrictSerializer):
    name = FileName(help_text="How the file is called in results.")
    size = WholeNumber(minimum=1, maximum=PROFILE.upload_max_bytes, help_text="In bytes.")
    sha256 = FileHash()
    mime = Choice(MEDIA_TYPES)


class UploadSerializer(AnswerSerializer):
    upload_id = Id()
    method = Constant("PUT")
    url = Text(help_text="Put the file there, as it is. Needs no key; takes exactly the announced bytes.")
    headers = MapOf({"type": "string"}, help_text="To be sent with the PUT as they stand.")
    url_expires_at = Instant()
    expires_at = Instant(help_text='Until then a run may name it: `{"kind": "upload", "upload_id": …}`.')


UPLOAD_REQUEST = UploadRequestSerializer()
UPLOAD = UploadSerializer()

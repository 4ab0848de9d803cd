"""A JSON body read by its serializer: its values, or one problem that names all that is wrong with it."""

from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from runs.api.problems import INVALID_MONEY_SCALE, INVALID_PARAMS
from runs.api.serializers.base import MAX_ERRORS, StrictSerializer, all_errors
from runs.api.serializers.fields import MONEY_SCALE


def read_body(serializer: StrictSerializer, request: Request) -> dict[str, Any]:
    try:
        values: dict[str, Any] = serializer.run_validation(request.data)
    except ValidationError as error:
        found = list(all_errors(error.detail))[:MAX_ERRORS]
        problem = INVALID_MONEY_SCALE if all(one.code == MONEY_SCALE for one in found) else INVALID_PARAMS
        errors = [{"pointer": one.pointer, "detail": one.detail} for one in found]
        raise problem.error(errors[0]["detail"], errors=errors) from None
    return values

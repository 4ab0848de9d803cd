"""/v1/keys: a key makes keys that may do and spend less than itself, lists and revokes them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from dpp_project import clock
from dpp_project.metrics import KEYS_MADE
from runs.access import key_budgets, sub_keys
from runs.access.key_budgets import Limits
from runs.access.sub_keys import MayNotMakeKeys, SubKeyRefused, TooManyKeys, WantedKey
from runs.api.api_view import ApiView, key_of
from runs.api.openapi import operations
from runs.api.problems import INVALID_PARAMS, KEY_NOT_ALLOWED, KEY_NOT_FOUND, KEY_QUOTA_REACHED
from runs.api.request_body import read_body
from runs.api.serializers.key import KEY_LIST, KEY_REQUEST, NEW_KEY, budget_values
from runs.models import ApiKey


class KeysView(ApiView):
    @operations.LIST_KEYS
    def get(self, request: Request) -> Response:
        found = sub_keys.family(key_of(request))
        return Response(KEY_LIST.to_representation({"keys": _shown(found)}))

    @operations.MAKE_KEY
    def post(self, request: Request) -> Response:
        wanted = _wanted(request)
        try:
            key, text = sub_keys.make(key_of(request), wanted, now=clock.now())
        except MayNotMakeKeys as error:
            raise KEY_NOT_ALLOWED.error(str(error)) from error
        except TooManyKeys as error:
            raise KEY_QUOTA_REACHED.error(str(error)) from error
        except SubKeyRefused as error:
            raise INVALID_PARAMS.error(str(error)) from error
        KEYS_MADE.inc()
        [shown] = _shown([key])
        body = NEW_KEY.to_representation({**shown, "api_key": text})
        return Response(body, status=201, headers={"Cache-Control": "no-store"})


class KeyView(ApiView):
    http_method_names = ["delete"]

    @operations.REVOKE_KEY
    def delete(self, request: Request, key_id: str) -> HttpResponse:
        wanted = _uuid(key_id)
        if wanted is None or not sub_keys.revoke(key_of(request), wanted):
            raise KEY_NOT_FOUND.error("No key with this id is the calling one or below it.")
        response = HttpResponse(status=204)
        del response["Content-Type"]
        return response


def _wanted(request: Request) -> WantedKey:
    asked = read_body(KEY_REQUEST, request)
    limits = Limits(asked.pop("max_total_usd", None), asked.pop("max_per_run_usd", None))
    return WantedKey(limits=limits, **asked)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _shown(keys: Sequence[ApiKey]) -> list[dict[str, Any]]:
    left = key_budgets.left_of([key.budget for key in keys if key.budget])
    budgets = {budget.pk: budget_values(budget, left[budget.pk]) for key in keys if (budget := key.budget)}
    return [{**vars(key), "budget": budgets[key.budget_id] if key.budget_id else None} for key in keys]

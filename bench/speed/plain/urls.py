import json
import os

from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bench.speed.plain.celery import execute
from bench.speed.plain.models import PlainRun

_BYTES = bytes.fromhex(os.environ.get("BENCH_BYTES", ""))


class PlainRunSerializer(serializers.ModelSerializer[PlainRun]):
    class Meta:
        model = PlainRun
        fields = ("run_id", "tenant", "pack_type", "inputs", "max_cost_usd", "status", "created_at")
        read_only_fields = ("run_id", "status", "created_at")


class Runs(APIView):
    def post(self, request: Request) -> Response:
        serializer = PlainRunSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        run = serializer.save()
        execute.delay(str(run.pk), json.dumps(run.inputs))
        return Response(serializer.data, status=202)


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_BYTES, content_type="application/json")


urlpatterns = [path("runs", Runs.as_view()), path("bare", bare)]

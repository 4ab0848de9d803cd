"""All routes."""

from django.contrib import admin
from django.urls import path

from runs.api import health, runs

urlpatterns = [
    path("v1/runs", runs.RunsView.as_view()),
    path("v1/runs/<str:run_id>", runs.RunView.as_view()),
    path("v1/runs/<str:run_id>/cancel", runs.CancelView.as_view()),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("admin/", admin.site.urls),
]

"""What the gateway process serves through Django."""

from django.urls import path

from runs.api.runs import RUN_ROUTE
from runs.gateway.view import EventsView, WaitView

urlpatterns = [
    path(RUN_ROUTE, WaitView.as_view()),
    path("v1/runs/<str:run_id>/events", EventsView.as_view()),
]

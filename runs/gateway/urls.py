"""What the gateway process serves through Django."""

from django.urls import path

from runs.gateway.view import EventsView

urlpatterns = [path("v1/runs/<str:run_id>/events", EventsView.as_view())]

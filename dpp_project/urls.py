"""All routes."""

from django.contrib import admin
from django.urls import path
from django_otp.plugins.otp_totp.models import TOTPDevice

from runs.admin.overview import overview
from runs.api import (
    budget,
    docs,
    guides,
    health,
    jwks,
    keys,
    metrics,
    packs,
    quotes,
    runs,
    statements,
    uploads,
    webhooks,
)
from runs.api.openapi.view import OpenApiView

admin.autodiscover()
# Devices are made by `manage.py enrol_second_factor`: no page shows the key of one.
admin.site.unregister(TOTPDevice)

urlpatterns = [
    path("v1/runs", runs.RunsView.as_view()),
    path(runs.RUN_ROUTE, runs.RunView.as_view()),
    path("v1/runs/<str:run_id>/inputs", runs.InputsView.as_view()),
    path("v1/runs/<str:run_id>/cancel", runs.CancelView.as_view()),
    path("v1/statements/<str:month>", statements.StatementView.as_view()),
    path("v1/uploads", uploads.UploadsView.as_view()),
    path("v1/webhooks", webhooks.WebhooksView.as_view()),
    path("v1/webhooks/<str:webhook_id>", webhooks.WebhookView.as_view()),
    path("v1/webhooks/<str:webhook_id>/rotate", webhooks.RotateWebhookView.as_view()),
    path("v1/webhooks/<str:webhook_id>/enable", webhooks.EnableWebhookView.as_view()),
    path("v1/webhooks/<str:webhook_id>/test", webhooks.TestWebhookView.as_view()),
    path("v1/webhooks/<str:webhook_id>/deliveries", webhooks.DeliveriesView.as_view()),
    path("v1/webhooks/<str:webhook_id>/deliveries/<str:delivery_id>/redeliver", webhooks.RedeliverView.as_view()),
    path("v1/quotes", quotes.QuotesView.as_view()),
    path("v1/keys", keys.KeysView.as_view()),
    path("v1/keys/<str:key_id>", keys.KeyView.as_view()),
    path("v1/budget", budget.BudgetView.as_view()),
    path("v1/packs", packs.PacksView.as_view()),
    path("v1/openapi.json", OpenApiView.as_view()),
    path("", guides.front_page),
    path("llms.txt", guides.llms_txt),
    path("guides/<path:name>", guides.guide),
    path("docs", docs.page),
    path("docs/", docs.page),
    path("docs/<str:name>", docs.asset),
    path(".well-known/jwks.json", jwks.jwks),
    path("healthz", health.HealthView.as_view()),
    path("readyz", health.ReadyView.as_view()),
    path("metrics", metrics.metrics),
    # In the place of the admin's own front page.
    path("admin/", admin.site.admin_view(overview)),
    path("admin/", admin.site.urls),
]

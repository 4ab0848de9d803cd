"""Webhooks in the admin: no secret and no path is shown; operators switch off, on, and send again."""

from django.test import Client

from runs.models import WebhookDelivery
from tests.builders import Customer
from tests.runs.webhooks.receivers import completed_run, subscribed


def test_lists_and_pages_tell_what_arrived_and_show_no_secret(vera: Client, acme: Customer) -> None:
    hook = subscribed(acme)
    completed_run(acme)
    WebhookDelivery.objects.update(last_status_code=503, last_problem="HTTP_STATUS", attempts=2)
    delivery = hook.only_delivery()
    pages = {
        "/admin/runs/webhook/": ["hooks.example.org", "run.completed", "ACTIVE"],
        f"/admin/runs/webhook/{hook.webhook.pk}/change/": ["hooks.example.org"],
        "/admin/runs/webhookdelivery/": ["503 HTTP_STATUS", "PENDING"],
        f"/admin/runs/webhookdelivery/?webhook_id={hook.webhook.pk}": [str(delivery.pk)],
        f"/admin/runs/webhookdelivery/{delivery.pk}/change/": ["503 HTTP_STATUS"],
    }
    for address, told in pages.items():
        answer = vera.get(address)
        page = answer.content.decode()
        assert answer.status_code == 200, address
        assert all(text in page for text in told), address
        assert "/in?x=1" not in page, "a path may be a password"
        assert "Switch off</a>" not in page, "a viewer is offered no action"


def test_a_secret_cannot_be_guessed_by_filters(vera: Client, acme: Customer) -> None:
    subscribed(acme)
    for lookup in ("url__startswith", "sealed_secrets__startswith"):
        assert vera.get(f"/admin/runs/webhook/?{lookup}=h").status_code in (302, 400)
    assert vera.get("/admin/runs/webhookdelivery/?webhook__url__startswith=h").status_code in (302, 400)


def test_an_operator_switches_off_and_on_and_sends_again(otto: Client, vera: Client, acme: Customer) -> None:
    hook = subscribed(acme)
    completed_run(acme)
    WebhookDelivery.objects.update(state="FAILED")
    webhook = f"/admin/runs/webhook/{hook.webhook.pk}"
    again = f"/admin/runs/webhookdelivery/{hook.only_delivery().pk}/redeliver/"

    assert vera.post(f"{webhook}/disable/", {"why": "no"}).status_code == 403
    assert otto.post(f"{webhook}/disable/", {"why": "a nuisance"}).status_code == 302
    assert (hook.now().status, hook.now().disabled_reason) == ("DISABLED", "OPERATOR")
    assert "switched off or deleted" in otto.post(again, {"why": "now"}).content.decode()

    assert otto.post(f"{webhook}/enable/", {"why": "repaired"}).status_code == 302
    assert otto.post(again, {"why": "asked for"}).status_code == 302
    assert hook.only_delivery().state == "PENDING"

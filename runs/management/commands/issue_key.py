"""manage.py issue_key acme --label "batch importer" --json"""

import json
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dpp_project import clock
from dpp_project.clock import instant
from dpp_project.money import InvalidMoney, Micros, parse_usd
from runs.access import api_keys
from runs.access.api_keys import UNRESTRICTED
from runs.access.key_budgets import Limits
from runs.access.key_restrictions import BadRestriction, Restrictions
from runs.models import ApiKey, Tenant


class Command(BaseCommand):
    help = (
        "Issue an API key for a tenant; its text is shown now and never again. With --replace the new key takes the "
        "place of an old one, which works on for the overlap, so that callers can change keys without a pause."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tenant_id")
        parser.add_argument("--label", default=None, help="what the key is for; shown beside it")
        parser.add_argument("--expires-in-days", type=int, help="the key stops working after so many days")
        parser.add_argument("--pack", action="append", default=[], help="it submits only this pack (may be repeated)")
        parser.add_argument("--read-only", action="store_true", help="it only reads: no submit, no cancel")
        parser.add_argument(
            "--from", dest="networks", action="append", default=[], metavar="CIDR", help="it works only from there"
        )
        parser.add_argument("--max-total-usd", help="it spends no more than this in all, such as 2.0000")
        parser.add_argument("--max-per-run-usd", help="it spends no more than this on one run")
        parser.add_argument("--may-create-keys", action="store_true", help="it makes keys below itself by the API")
        parser.add_argument("--replace", metavar="KEY", help="key_id or prefix (dpp_sk_XXXXXXXX) of the key to replace")
        parser.add_argument(
            "--overlap-hours", type=int, default=24, help="how long the replaced key still works (default 24)"
        )
        parser.add_argument("--json", action="store_true", help="machine-readable output")

    def handle(self, *args: Any, **options: Any) -> None:
        now = clock.now()
        tenant = Tenant.objects.filter(pk=options["tenant_id"]).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {options['tenant_id']}. Create it with seed_tenant.")
        days = options["expires_in_days"]
        if days is not None and days < 1:
            raise CommandError("--expires-in-days must be at least 1.")
        if options["overlap_hours"] < 0:
            raise CommandError("--overlap-hours must not be negative.")
        try:
            restrictions = Restrictions.read(
                packs=options["pack"], read_only=options["read_only"], networks=options["networks"]
            )
        except BadRestriction as error:
            raise CommandError(str(error)) from error
        limits = Limits(_amount(options["max_total_usd"]), _amount(options["max_per_run_usd"]))
        if options["may_create_keys"] and (options["replace"] or options["read_only"]):
            raise CommandError("--may-create-keys goes neither with --replace (a key keeps its right) nor --read-only.")
        if limits and options["replace"]:
            raise CommandError("A key that replaces another spends from the same budget: leave the limits out.")
        old = _old_key(tenant, options["replace"])
        expires_at = now + timedelta(days=days) if days else None
        if old:
            overlap = timedelta(hours=options["overlap_hours"])
            key, text = api_keys.rotate(
                old,
                overlap=overlap,
                now=now,
                label=options["label"],
                expires_at=expires_at,
                restrictions=None if restrictions == UNRESTRICTED else restrictions,
            )
        else:
            key, text = api_keys.issue(
                tenant,
                label=options["label"] or "",
                expires_at=expires_at,
                restrictions=restrictions,
                limits=limits,
                may_create_keys=options["may_create_keys"],
            )
        result = {
            "tenant_id": tenant.pk,
            "key_id": str(key.pk),
            "api_key": text,
            "expires_at": _shown(key),
            "restrictions": Restrictions.of(key).shown() or None,
            "replaced": {"key_id": str(old.pk), "expires_at": _shown(old)} if old else None,
        }
        if options["json"]:
            self.stdout.write(json.dumps(result))
            return
        self.stdout.write(f"API key of {tenant.pk}, shown only now: {text}")
        if old:
            self.stdout.write(f"The replaced key {old} works until {_shown(old)}.")


def _amount(text: str | None) -> Micros | None:
    if text is None:
        return None
    try:
        amount = parse_usd(text)
    except InvalidMoney as error:
        raise CommandError(f"{text!r} is no amount such as 2.0000.") from error
    if amount <= 0:
        raise CommandError("A limit must be more than nothing.")
    return amount


def _shown(key: ApiKey) -> str | None:
    return instant(key.expires_at) if key.expires_at else None


def _old_key(tenant: Tenant, text: str | None) -> ApiKey | None:
    if text is None:
        return None
    old = api_keys.named(text)
    if old is None or old.tenant_id != tenant.pk:
        raise CommandError(f"{tenant.pk} has no key {api_keys.prefix_of(text)}.")
    if old.status != ApiKey.Status.ACTIVE:
        raise CommandError(f"The key {old} is revoked: there is nothing to replace.")
    return old

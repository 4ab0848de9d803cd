"""Who may do what in the admin: three roles, which are Django groups, made and kept up to date with every migrate.

viewer     sees everything but customers' results, changes nothing
operator   and opens results, flips switches, suspends tenants, makes and sets plans, issues, rotates and revokes keys,
           cancels runs, starts jobs, switches webhooks off and on
finance    sees as a viewer does, tops tenants up, resolves disputes
"""

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission
from django.db.models import Q

_SEEN = {
    "admin": ("logentry",),
    "budget": ("bookfinding", "ledgerentry", "tenantbalance"),
    "runs": (
        *("run", "tenant", "plan", "apikey", "switchstate", "switchchange", "jobpass"),
        *("runtransition", "deadletter", "documentflight", "webhook", "webhookdelivery"),
    ),
    "storage": ("damagedobject",),
}
_VIEWER = tuple(f"{app}.view_{model}" for app, models in _SEEN.items() for model in models)

ROLES: dict[str, tuple[str, ...]] = {
    "viewer": _VIEWER,
    "operator": (
        *_VIEWER,
        *("storage.view_storedobject", "runs.change_tenant", "runs.change_switchstate"),
        *("runs.add_plan", "runs.change_plan"),
        *("runs.add_apikey", "runs.change_apikey"),
        *("runs.cancel_run", "runs.change_jobpass", "runs.change_webhook"),
    ),
    "finance": (*_VIEWER, "budget.add_ledgerentry", "runs.change_run"),
}


def make_roles(apps: Apps) -> None:
    """Called after the last of our applications is migrated: all the models these permissions are for exist then."""
    for label in _SEEN:
        create_permissions(apps.get_app_config(label), verbosity=0)
    for name, permissions in ROLES.items():
        group, _ = Group.objects.get_or_create(name=name)
        wanted = Q()
        for permission in permissions:
            app, codename = permission.split(".")
            wanted |= Q(content_type__app_label=app, codename=codename)
        found = Permission.objects.filter(wanted)
        assert len(found) == len(permissions), f"{name}: some permissions do not exist"
        group.permissions.set(found)

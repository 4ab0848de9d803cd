from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(_make_admin_roles, sender=self, dispatch_uid="dpp_admin_roles")


def _make_admin_roles(app_config: Any, **_: Any) -> None:
    # Imported here: every process loads the applications, few of them the admin's pages.
    from runs.admin.roles import make_roles

    make_roles(app_config.apps)

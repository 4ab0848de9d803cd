from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Not with the admin's pages, which `migrate` never loads: the groups are made by it.
        from runs import groups  # noqa: F401

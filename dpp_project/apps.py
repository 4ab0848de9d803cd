from django.apps import AppConfig


class DppProjectConfig(AppConfig):
    name = "dpp_project"

    def ready(self) -> None:
        from dpp_project import checks  # noqa: F401  (registers the system checks)

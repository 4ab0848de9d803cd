from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig


class DppProjectConfig(AppConfig):
    name = "dpp_project"
    # There are two here: without a word Django takes neither, and no check of ours would be made.
    default = True

    def ready(self) -> None:
        from dpp_project import checks  # noqa: F401  (registers the system checks)


class OperatorAdminConfig(SimpleAdminConfig):
    # Found by name when a page of it is first asked for.
    default_site = "runs.admin.site.OperatorSite"

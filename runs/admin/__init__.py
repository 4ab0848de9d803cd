"""The admin: what the people who run the service see and do. It reads, or calls the platform's own functions."""

from django.contrib import admin

from runs.admin import books, jobs, keys, runs, switches, tenants
from runs.admin.login import LimitedLoginForm

__all__ = ["books", "jobs", "keys", "runs", "switches", "tenants"]

admin.site.site_header = "DPP"
admin.site.site_title = "DPP"
admin.site.login_form = LimitedLoginForm
# The pages have their own row of links on top.
admin.site.enable_nav_sidebar = False

"""The admin: what the people who run the service see and do. It reads, or calls the platform's own functions."""

from django.contrib import admin

from runs.admin import api_keys, append_only, documents, jobs, plans, runs, switches, tenants, webhooks

__all__ = ["api_keys", "append_only", "documents", "jobs", "plans", "runs", "switches", "tenants", "webhooks"]

admin.site.site_header = "DPP"
admin.site.site_title = "DPP"
# The pages have their own row of links on top.
admin.site.enable_nav_sidebar = False

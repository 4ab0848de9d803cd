#!/usr/bin/env python
"""Django's command line for DPP."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpp_project.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed in this Python. Run `make up`, then use .venv/bin/python manage.py …")
    from dpp_project.logging import name_service

    name_service("manage")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()

"""Settings for tools that read the models but start no service (mypy's Django plugin, makemigrations --check)."""

import os

os.environ.setdefault("DPP_ENV", "test")
os.environ.setdefault("DPP_SECRET_KEY", "static")
os.environ.setdefault("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
os.environ.setdefault("REDIS_URL", "redis://127.0.0.1:1/0")
os.environ.setdefault("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
os.environ.setdefault("AWS_ACCESS_KEY_ID", "none")
os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "none")

from dpp_project.settings import *  # noqa: F403

"""Loaded before Django's settings: gives the session its own servers' addresses. They start when first needed."""

import os

from tests.services import SessionServices

SERVICES = SessionServices()

# Times are shortened by configuration; the code under test is the same.
os.environ.update(SERVICES.environment())
os.environ.setdefault("DPP_LOG_LEVEL", "CRITICAL")
os.environ.setdefault("DPP_DB_POOL_MAX", "40")
# A machine that runs tests is busy: opening forty connections at once takes it longer than a server.
os.environ.setdefault("DPP_DB_POOL_TIMEOUT_SEC", "5")

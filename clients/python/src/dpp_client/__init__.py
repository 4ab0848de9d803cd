"""Client of the Decision Pack Platform. `Client` blocks, `AsyncClient` is awaited; `reasons` has the errors."""

from dpp_client import models, reasons
from dpp_client.async_client import AsyncClient
from dpp_client.client import Client
from dpp_client.errors import (
    ApiProblem,
    ConnectionFailed,
    DppError,
    NotAFile,
    NotVerified,
    StillRunning,
    UnexpectedAnswer,
)
from dpp_client.exchange import Retries
from dpp_client.flows import Order, UploadedFile, new_key
from dpp_client.results import RunResult
from dpp_client.settings import VERSION, NotConfigured
from dpp_client.verification import verify_envelope, verify_statement
from dpp_client.webhooks import verify_webhook

__version__ = VERSION

__all__ = [
    "ApiProblem",
    "AsyncClient",
    "Client",
    "ConnectionFailed",
    "DppError",
    "NotAFile",
    "NotConfigured",
    "NotVerified",
    "Order",
    "Retries",
    "RunResult",
    "StillRunning",
    "UnexpectedAnswer",
    "UploadedFile",
    "models",
    "new_key",
    "reasons",
    "verify_envelope",
    "verify_statement",
    "verify_webhook",
]

"""The customers of the API's tests."""

from tests.api.conftest import acme_api

__all__ = ["acme_api"]

"""The event gateway: an ASGI process of its own that streams a run's events to its owner (SSE).

`application` serves, `hub` keeps recent events and wakes listeners, `stream` writes to one listener, `resume` says
where a listener goes on. `django_bridge` sends a request through the same middleware and authentication as REST.
"""

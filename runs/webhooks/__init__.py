"""Webhooks: addresses of tenants that are told of events, by the Standard Webhooks specification.

The message of an ended run is a row, inserted by the statement that ends it (`runs.lifecycle.statements`). A process of
its own sends what is due (`sender`), one attempt at a time per message, until it is delivered or given up.
"""

"""Run events: what happened to a run, published once, in order, for whoever listens.

`publish` and `progress` are called by the API, the worker and the jobs; `long_poll` waits for a change; `runs.gateway`
serves the streams. PostgreSQL stays the truth: an event that was never published is read from the run's row, later.
"""

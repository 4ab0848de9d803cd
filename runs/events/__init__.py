"""Run events: what happened to a run, told once, in order, to whoever listens (SPEC §14).

`publish` and `progress` are called by the API, the worker and the jobs; `gateway` serves the streams in a process of
its own; `wait` is the long poll of GET; `client` is the listener that the commands use. PostgreSQL stays the truth:
an event that was never published is told from the run's row, later.
"""

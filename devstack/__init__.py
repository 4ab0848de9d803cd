"""The embedded stack of `make up`: real servers from pinned wheels, on private ports, under `.dpp/`.

Knows nothing of Django: the application's own processes and commands are started as processes, by name.
"""

"""Documents fetched once for the whole fleet: shared cache levels, the single-flight row, slots per host.

Nothing here may fail a run: without Redis or the database a document is simply fetched.
"""

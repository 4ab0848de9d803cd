"""The same product without our guarantees: a DRF view, a row, `delay()`; a view of fixed bytes; a task of one put.

What a good engineer writes in an afternoon. It shares servers and libraries with the platform.
"""

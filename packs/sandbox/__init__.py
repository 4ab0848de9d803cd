"""One confined process for every byte a stranger wrote: parsers and decoders run here and nowhere else.

`process.py` is the worker's side, `child.py` the confined side. Nothing here needs more than the standard library:
the child confines itself before it loads anything else.
"""

"""One confined process for every byte a stranger wrote: parsers and decoders run here and nowhere else.

`process.py` and `templates.py` are the worker's side, `template.py` and `child.py` the confined side. Nothing here
needs more than the standard library: a template confines itself before it loads anything else.
"""

"""`manage.py warm_documents` over the sites of the load: `python -m bench.load.warm LIST`."""

import sys

from tests import zoo_worker  # first of all: it puts the sites in the place of the web

from django.core.management import call_command  # isort: skip

if __name__ == "__main__":
    assert zoo_worker.app
    call_command("warm_documents", sys.argv[1])

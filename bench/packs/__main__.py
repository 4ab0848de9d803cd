"""`make bench-packs`: every pack's table over its labelled cases, written into its page of the documentation.

A pack takes part by a module `bench/packs/<name>.py` with `PAGE` (the page's path) and `table() -> str` (Markdown).
With CASES=<folder>, a folder of further cases files, each module also scores those.
"""

import importlib
import os
import pkgutil
import sys
from pathlib import Path

import bench.packs
from bench.packs.markers import write_between


def main() -> None:
    wanted = set(sys.argv[1:])
    for found in sorted(pkgutil.iter_modules(bench.packs.__path__), key=lambda module: module.name):
        if found.name in ("__main__", "markers") or (wanted and found.name not in wanted):
            continue
        module = importlib.import_module(f"bench.packs.{found.name}")
        if not hasattr(module, "table"):
            continue
        table = module.table()
        print(f"## {found.name}\n\n{table}\n")
        # Figures over somebody's own cases are theirs: the documentation shows ours.
        if "CASES" not in os.environ and not write_between(Path(module.PAGE), "bench-packs", table):
            print(f"{module.PAGE} has no part called bench-packs", file=sys.stderr)


if __name__ == "__main__":
    main()

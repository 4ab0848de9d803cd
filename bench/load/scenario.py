"""One scenario of `make load`: `python -m bench.load.scenario NAME REPORT TIME USERS`."""

import json
import sys
from pathlib import Path

from bench.load.__main__ import Options, run_scenario, with_verdict

if __name__ == "__main__":
    name, report, time_share, user_share = sys.argv[1:]
    found = with_verdict(run_scenario(name, Options(float(time_share), float(user_share))))
    Path(report).write_text(json.dumps(found, indent=2) + "\n")

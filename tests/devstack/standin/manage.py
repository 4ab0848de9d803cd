"""Commands of an application that does nothing, for trying the supervisor: each notes that it was called."""

import json
import os
import sys
from pathlib import Path

command = sys.argv[1]
with Path("commands-called").open("a") as notes:
    notes.write(command + "\n")
if command == "seed_tenant":
    key = {} if "--no-key" in sys.argv else {"api_key": "standin-key"}
    print(json.dumps({"tenant_id": "demo", "balance_usd": "5.0000", **key}))
if command == "setup_database" and os.environ.get("STANDIN_MIGRATE_FAILS"):
    sys.exit("the migration is broken on purpose")

"""python -m runs.worker.recompute: reads `{"envelope": …, "request": …}` from its input and tells whether the packs of
this checkout compute the same. `dpp verify --recompute` calls it. It needs no setting and reaches no service.
"""

import json
import os
import sys

# Nothing of a running platform may take part: no server, no key, no model.
_NOWHERE = {
    "DPP_ENV": "development",
    "DPP_SECRET_KEY": "signs nothing that leaves this process",
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "DJANGO_SETTINGS_MODULE": "dpp_project.settings",
}


def main() -> None:
    for name in [name for name in os.environ if name.startswith("DPP_")]:
        del os.environ[name]
    os.environ.update(_NOWHERE)

    import django

    django.setup(set_prefix=False)
    from runs.worker.recomputation import NotRecomputable, differences

    asked = json.load(sys.stdin)
    try:
        found = differences(asked["envelope"], asked["request"])
    except NotRecomputable as reason:
        told: dict[str, object] = {"cannot": str(reason)}
    else:
        told = {"same": not found, "differs_at": found}
    print(json.dumps(told))


if __name__ == "__main__":
    main()

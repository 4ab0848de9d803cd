"""openapi.json, docs/errors.md and the client's modules, written anew: `python -m tests.api.write_documents .`"""

import sys
from pathlib import Path


def write_documents(root: Path) -> list[str]:
    """The names of those that changed."""
    from runs.api.openapi.document import openapi_bytes
    from tests.api.error_page import error_page
    from tests.clients.generated_modules import client_modules

    openapi = openapi_bytes()
    documents = {"openapi.json": openapi, "docs/errors.md": error_page(), **client_modules(openapi)}
    return [name for name, body in documents.items() if _write(root / name, body)]


def _write(path: Path, body: bytes) -> bool:
    if path.exists() and path.read_bytes() == body:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return True


def main(root: str) -> None:
    import django

    django.setup()
    changed = write_documents(Path(root))
    print(f"Wrote {' and '.join(changed)}." if changed else "Nothing changed.")


if __name__ == "__main__":
    main(sys.argv[1])

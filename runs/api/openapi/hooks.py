"""What drf-spectacular does after it has looked at all views: adds what no view can say, writes the rest down once."""

from collections.abc import Iterator
from typing import Any

from dpp_project.profile import PROFILE
from runs.api.openapi.operations import JWKS, LINKS, MESSAGE, MESSAGE_POST, MESSAGE_SCHEMA, METRICS, TAGS

PROFILE_VERSION = "x-profile-version"

Document = dict[str, Any]


def complete(result: Document, generator: Any, request: Any, public: bool) -> Document:
    result["info"][PROFILE_VERSION] = PROFILE.version
    result["tags"] = [{"name": name, "description": words} for name, words in TAGS.items()]
    # As a callback: of a `webhooks` section public generators make clients that do not compile.
    result["components"]["schemas"][MESSAGE] = MESSAGE_SCHEMA
    result["paths"]["/v1/webhooks"]["post"]["callbacks"] = {"message": {"{$request.body#/url}": {"post": MESSAGE_POST}}}
    result["paths"]["/metrics"] = {"get": METRICS}
    result["paths"]["/.well-known/jwks.json"] = {"get": JWKS}
    for operation in _operations(result):
        for status, response in operation["responses"].items():
            _add_links(operation["operationId"], status, response)
        operation.setdefault("security", [])
        if "requestBody" in operation:
            operation["requestBody"]["required"] = True
    return result


def write_once(result: Document, generator: Any, request: Any, public: bool) -> Document:
    """Headers, examples and parameters become components: every operation has nearly the same."""
    components = result["components"]
    for operation in _operations(result):
        parameters = operation.get("parameters", [])
        operation["parameters"] = [_shared(components, "parameters", item["name"], item) for item in parameters]
        for response in operation["responses"].values():
            _share(components, "headers", response.get("headers", {}))
        for body in (operation.get("requestBody", {}), *operation["responses"].values()):
            for content in body.get("content", {}).values():
                _share(components, "examples", content.get("examples", {}))
    return result


def _operations(result: Document) -> Iterator[Document]:
    return (operation for path in result["paths"].values() for operation in path.values())


def _add_links(operation_id: str, status: str, response: Document) -> None:
    """What can be done next with the run that the answer tells of."""
    names = LINKS.get((operation_id, status))
    if names:
        parameters = {"run_id": "$response.body#/run_id"}
        response["links"] = {name: {"operationId": name, "parameters": parameters} for name in names}


def _share(components: Document, kind: str, members: Document) -> None:
    for name, value in members.items():
        members[name] = _shared(components, kind, name, value)


def _shared(components: Document, kind: str, name: str, value: Document) -> Document:
    known = components.setdefault(kind, {}).setdefault(name, value)
    assert known == value, f"two different {kind} are called {name}"
    return {"$ref": f"#/components/{kind}/{name}"}

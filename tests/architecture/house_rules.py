"""The house rules that can be executed, as functions over source text: each returns the lines that break it."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CLONE = Path(__file__).resolve().parent.parent.parent

_PRODUCT_FOLDERS = ("devstack", "dpp_project", "runs", "budget", "packs", "storage")

# Floats in money modules that measure something else: module, function or field, and what they are.
OTHER_FLOATS = {
    "dpp_project/profile.py": {
        "EventLimits.keep_alive_sec": "seconds",
        "EventLimits.grace_sec": "seconds",
        "EventLimits.send_timeout_sec": "seconds",
    },
    "packs/base.py": {
        "Deadline.remaining_sec": "seconds",
        "Checkpoint.__call__": "progress",
        "PackResult.reliability": "a score",
    },
    "runs/admin/display.py": {"lasting": "seconds"},
    "runs/api/polled_runs.py": {"_PATIENCE_SEC": "seconds"},
    "runs/api/middleware.py": {"_measure": "seconds"},
    "runs/api/openapi/examples.py": {
        "_run": "a score",
        "_examples": "progress",
        "_completed": "progress",
        "_failed": "progress",
    },
    "runs/api/serializers/fields.py": {"WholeNumber._fits": "any number", "Number.to_internal_value": "any number"},
    "runs/api/shown_run.py": {"RunColumns.progress": "progress", "_READER_OF_TYPE": "progress"},
    "runs/events/event.py": {"Event.version_and_progress": "progress"},
    "runs/lifecycle/admission.py": {"_BACKOFF_SEC": "seconds", "Admission.admit": "seconds"},
    "runs/lifecycle/envelope.py": {"score": "a score"},
    "runs/lifecycle/request.py": {"RunRequest.min_reliability_score": "a score"},
    "runs/lifecycle/transitions.py": {"_FULL_PROGRESS": "progress"},
    "runs/worker/execution.py": {"Execution._run_pack": "progress", "Execution._latency_ms": "milliseconds"},
}

STATE_COLUMNS = {"status", "money_state", "version", "finalize_stage", "finalize_token"}


class Float(NamedTuple):
    scope: str
    """The function, method, field or constant that it is in."""
    line: int
    what: str


def money_modules() -> dict[str, str]:
    """Path and source of every module that imports `Micros`, and of the one that declares it."""
    sources = {
        path.relative_to(CLONE).as_posix(): path.read_text(encoding="utf-8")
        for folder in _PRODUCT_FOLDERS
        for path in sorted((CLONE / folder).rglob("*.py"))
    }
    return {path: source for path, source in sources.items() if handles_money(source)}


def handles_money(source: str) -> bool:
    return any(
        (isinstance(node, ast.ImportFrom) and any(alias.name == "Micros" for alias in node.names))
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "Micros")
        for node in ast.walk(ast.parse(source))
    )


def floats(source: str) -> Iterator[Float]:
    """Floats near money: literals, the type, true division, rounding."""
    for scope, statement in _scopes(ast.parse(source).body):
        for node in ast.walk(statement):
            if what := _float(node):
                yield Float(scope, getattr(node, "lineno", 0), what)


def _float(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return f"float literal {node.value}"
    if isinstance(node, ast.Name) and node.id in ("float", "round"):
        return node.id
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div) and not _joins_paths(node):
        return "true division"
    return ""


def _scopes(body: list[ast.stmt], outer: str = "") -> Iterator[tuple[str, ast.stmt]]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _scopes(statement.body, f"{outer}{statement.name}.")
        else:
            yield outer + _name(statement), statement


def _name(statement: ast.stmt) -> str:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return statement.name
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    return ast.unparse(target) if target is not None else ""


def state_writes(source: str) -> Iterator[str]:
    """`Run.objects….update(status=…)` and `run.status = …` outside the transitions module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update":
            names = {str(keyword.arg) for keyword in node.keywords} & STATE_COLUMNS
            if names and "Run.objects" in ast.unparse(node.func):
                yield f"line {node.lineno}: update of {', '.join(sorted(names))}"
        elif isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Attribute) and target.attr in STATE_COLUMNS and _is_run(target.value):
                    yield f"line {node.lineno}: {ast.unparse(target)} is assigned"


def pointer_escapes(source: str) -> Iterator[str]:
    """JSON Pointers escaped by hand: `dpp_project.json_pointer` does it for everybody."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and node.value in ("~0", "~1"):
            yield f"line {node.lineno}: {node.value}"


def _joins_paths(node: ast.BinOp | ast.AugAssign) -> bool:
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node))


def _is_run(node: ast.expr) -> bool:
    return ast.unparse(node).split(".")[-1] in ("run", "started", "winner", "zombie")

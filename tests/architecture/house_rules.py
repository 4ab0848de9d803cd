"""The house rules that can be executed, as functions over source text: each returns the lines that break it."""

import ast
from collections.abc import Iterator
from pathlib import Path

CLONE = Path(__file__).resolve().parent.parent.parent

# Where amounts live. A float, a true division or a round() in any of these is a defect.
MONEY_MODULES = [
    *sorted((CLONE / "budget").glob("*.py")),
    *(CLONE / "dpp_project" / name for name in ("money.py", "prices.py")),
    *(CLONE / "runs" / name for name in ("outcomes.py", "submit.py", "finalize.py", "tenants.py", "poll_cost.py")),
    *(CLONE / "runs" / "worker" / name for name in ("meter.py",)),
    *(CLONE / "runs" / "api" / name for name in ("costs.py",)),
]

STATE_COLUMNS = {"status", "money_state", "version", "finalize_stage", "finalize_token"}


def floats(source: str) -> Iterator[str]:
    """Floats near money: literals, the type, true division, rounding."""
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield f"line {line}: float literal {node.value}"
        elif isinstance(node, ast.Name) and node.id in ("float", "round"):
            yield f"line {line}: {node.id}"
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div) and not _joins_paths(node):
            yield f"line {line}: true division"


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


def _joins_paths(node: ast.BinOp | ast.AugAssign) -> bool:
    return "Path(" in ast.unparse(node) or "_LUA" in ast.unparse(node)


def _is_run(node: ast.expr) -> bool:
    return ast.unparse(node).split(".")[-1] in ("run", "started", "winner", "zombie")

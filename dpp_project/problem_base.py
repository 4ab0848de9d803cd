"""Where the `type` of every problem begins. Read by the API and by the MCP gateway, which has settings of its own."""

from dpp_project.env import Env

_DEFAULT = "https://dpp.api/errors/"


def problem_type_base(env: Env) -> str:
    """With a slash at its end, given or not: the slug follows."""
    return env.text("DPP_PROBLEM_TYPE_BASE", _DEFAULT).rstrip("/") + "/"

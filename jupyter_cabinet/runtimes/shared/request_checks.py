"""Checks the parts of a request that could break any CLI: ids, names of models, tools and tool servers. Pure.

Each check raises `Invalid`. Called by the `check` of each CLI's arguments.
"""

from __future__ import annotations

import re

from ...core.errors import Invalid
from ...core.ids import is_foreign_id
from ..model import Request

_TOOL = re.compile(r"[A-Za-z0-9_.:-]+")
_SERVER = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def check_ids(request: Request) -> None:
    """Raise `Invalid` for ids that may not be used in arguments or as names of files."""
    if request.resume is not None and not is_foreign_id(request.resume):
        raise Invalid("The id of the session to continue is not valid.", field="resume")
    if not is_foreign_id(request.session_id):
        raise Invalid("The session's id is not valid.", field="session_id")


def check_model(request: Request) -> None:
    """Raise `Invalid` for a name that is empty or would be an option. Whether the model exists is not checked."""
    if request.model is not None and (not request.model or request.model.startswith("-")):
        raise Invalid("The name of the model is not valid.", field="model")


def check_model_of_provider(request: Request, title: str) -> None:
    """Raise `Invalid` as `check_model` does, and for a name that is not `provider/model`."""
    check_model(request)
    if request.model is not None and not all(request.model.partition("/")):
        raise Invalid(f"{title} names a model together with its provider: provider/model.", field="model")


def check_tool_servers(request: Request) -> None:
    """Raise `Invalid` for a tool server without a command, or with a name that is unfit for settings and files."""
    if not all(_SERVER.fullmatch(server.name) and server.command for server in request.mcp_servers):
        raise Invalid("The name or the command of a tool server is not valid.", field="mcp_servers")


def check_tool_names(request: Request, title: str) -> None:
    """Raise `Invalid` unless all names are plain ones of whole tools, without patterns. `title`: the CLI."""
    if not all(_TOOL.fullmatch(tool) and not tool.startswith("-") for tool in request.allowed_tools or ()):
        raise Invalid(f"{title} can only be limited to whole tools, by their plain names.", field="allowed_tools")

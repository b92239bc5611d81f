"""A run's rules in opencode's form, which it calls permissions. Pure. Facts: opencode 1.18.33.

`plugin.js` applies the rules over the person's own. Without them opencode allows almost everything.
"""

from __future__ import annotations

from ...core.errors import Invalid
from ..model import Request

Rule = str | dict[str, str]
# Tools that change more than files of the folder. `task`: a separate agent, under the same rules.
_BEYOND_FILES = ("bash", "external_directory")
_ASKED = ("edit", *_BEYOND_FILES, "webfetch", "websearch", "task")
OTHER_PERMISSIONS = ("doom_loop", "plan_enter", "plan_exit")  # with an underscore, as tools of tool servers have one
# One permission covers all tools that write: a list cannot distinguish them.
_WRITERS = ("write", "patch", "apply_patch", "multiedit")


def check_writers(request: Request) -> None:
    """Raise `Invalid` for a list (of common names) that would allow more than it says: only one of Edit and Write."""
    tools = request.allowed_tools or ()
    if ("Edit" in tools) != ("Write" in tools):
        what = "opencode has one permission for all tools that write files: name both Edit and Write, or none."
        raise Invalid(what, field="allowed_tools")


def check_tools(request: Request) -> None:
    """Raise `Invalid` for a list of tools (opencode's own names) that opencode cannot enforce."""
    for tool in request.allowed_tools or ():
        if tool in _WRITERS:
            what = f"opencode has one permission for all tools that write files: name edit instead of {tool}."
            raise Invalid(what, field="allowed_tools")
        if not tool.replace("_", "").replace("-", "").replace(".", "").isalnum():
            raise Invalid("opencode can only be limited to whole tools, by their plain names.", field="allowed_tools")


def rules(request: Request) -> dict[str, Rule]:
    """Return permission → allow, deny or ask. Without a terminal, whatever would ask is denied.

    Empty in the mode `bypass` without a list and without tool servers. Raises `Invalid` for a tool server whose name is
    the beginning of one of opencode's permissions.
    """
    servers: dict[str, Rule] = {f"{server.name}_*": "allow" for server in request.mcp_servers}
    of_mode = _of_mode(request)
    for server in request.mcp_servers:
        if any(permission.startswith(f"{server.name}_") for permission in (*_ASKED, *OTHER_PERMISSIONS)):
            what = f"opencode has permissions that begin with {server.name}_. Give the tool server another name."
            raise Invalid(what, field="mcp_servers")
    found = {**of_mode, **servers}
    if request.allowed_tools is None:
        return found
    # a list is one of opencode's own tools; only *Ask first* asks for what it names
    asked = found if request.permission_mode == "ask" else {}
    listed = {tool: asked.get(tool, "allow") for tool in request.allowed_tools} | servers
    # whether a file is outside the folder is a separate question, whatever the tool
    return {**listed, "external_directory": found.get("external_directory", "allow")}


def _of_mode(request: Request) -> dict[str, Rule]:
    if request.permission_mode == "bypass":
        return {}
    ask = "ask" if request.mode == "terminal" else "deny"
    asked = _ASKED if request.permission_mode == "ask" else _BEYOND_FILES
    found: dict[str, Rule] = {} if request.permission_mode == "ask" else {"edit": "allow"}
    found |= dict.fromkeys(asked, ask)
    # a long instruction is read from a file there
    known = [request.run_directory, *request.readable] if request.run_directory else request.readable
    found["external_directory"] = {"*": ask, **{f"{folder}/*": "allow" for folder in known}} if known else ask
    return found

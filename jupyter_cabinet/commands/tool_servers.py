"""`jupyter cabinet tool-servers`: people's own tool servers, and which of their tools agents may use.

Descriptions of tools come from strangers, so that all of them are printed as `core/plain_text.py` shows them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..client.api import Api, converted
from ..core.plain_text import one_line, plain, table
from ..runtimes.own_tool_servers import Use
from ..tool_servers.model import ToolServerOfCli, ToolServerView, ToolState, ToolView
from .printing import Printed

COLUMNS = ("TOOL SERVER", "APPROVED", "OFFERED", "AGENTS", "OWNER", "PROBLEM")
OF_CLIS = ("CLI", "TOOL SERVER", "COMMAND OR ADDRESS", "RUNS WITHOUT AN AGENT", "FILE")
NONE_OF_CLIS = "The settings of the CLIs list no tool servers, neither for you nor for this folder."
USES: dict[Use, str] = {"yes": "have it", "if_trusted": "if the folder is trusted", "no": "switched off"}
NONE = "There are no tool servers yet. In JupyterLab, open Skills and Tools and choose New tool server."
APPROVE = "A person approves tools in JupyterLab: open Skills and Tools from the launcher."
LONGEST_PROBLEM = 80
STATES: dict[ToolState, str] = {
    "approved": "approved",
    "new": "not approved",
    "changed": "changed since it was approved",
    "gone": "no longer offered",
}


def listed(api: Api, _given: argparse.Namespace) -> Printed:
    """`tool-servers`, `tool-servers list`: by name, and how many tools of each are approved."""
    value = api.get("tool-servers")
    servers = converted(value["items"], list[ToolServerView])
    rows = list(table(COLUMNS, [_row(each) for each in servers])) if servers else [NONE]
    return Printed(value=value, lines=(*rows, *map(one_line, value.get("problems", ()))))


def shown(api: Api, given: argparse.Namespace) -> Printed:
    """`tool-servers show NAME`: its command or address, and all its tools."""
    value = api.get(f"tool-servers/{given.slug}")
    return Printed(value=value, lines=tuple(_lines(converted(value, ToolServerView))))


def of_clis(api: Api, _given: argparse.Namespace) -> Printed:
    """`tool-servers of-clis`: those in the settings of the CLIs, and whether runs without an agent have them."""
    value = api.get("tool-servers-of-clis")
    servers = converted(value["items"], list[ToolServerOfCli])
    rows = [
        tuple(map(one_line, (each.title, each.name, each.address or " ".join(each.command), USES[each.use], each.path)))
        for each in servers
    ]
    lines = list(table(OF_CLIS, rows)) if rows else [NONE_OF_CLIS]
    return Printed(value=value, lines=(*lines, *map(one_line, value.get("problems", ()))))


def _row(server: ToolServerView) -> tuple[str, ...]:
    approved = sum(tool.state == "approved" for tool in server.tools)
    offered = sum(tool.state != "gone" for tool in server.tools)
    problem = one_line(server.problem, most=LONGEST_PROBLEM)
    return server.name, str(approved), str(offered), ", ".join(server.agents), server.owner, problem


def _lines(server: ToolServerView) -> Iterator[str]:
    yield f"{server.name}: {one_line(server.address or ' '.join(server.command))}"
    if server.headers:
        yield f"Headers: {', '.join(server.headers)}"
    if server.variables:
        yield f"Variables: {', '.join(server.variables)}"
    yield from map(one_line, (*([server.problem] if server.problem else []), *server.warnings))
    for tool in server.tools:
        yield ""
        yield f"== {_title(tool)}"
        yield from plain(tool.description).splitlines()
    if any(tool.state in ("new", "changed") for tool in server.tools):
        yield ""
        yield APPROVE


def _title(tool: ToolView) -> str:
    hidden = f", {tool.hidden_characters} invisible characters" if tool.hidden_characters else ""
    return f"{one_line(tool.name)} ({STATES[tool.state]}{hidden})"

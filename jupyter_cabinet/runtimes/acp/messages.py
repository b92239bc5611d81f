"""Builds our messages to an ACP agent and checks its questions, with the models of the protocol's package.

The package `agent-client-protocol` (extra `acp`) is imported late: without it the rest of Jupyter Cabinet works. Pure;
called by `client.py`. Protocol version 1.
"""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from typing import Any

from ..model import McpServer

PROTOCOL_VERSION = 1
PACKAGE = "acp"
CLIENT = "jupyter-cabinet"


def is_installed() -> bool:
    """Return whether the extra is installed. Raises `ImportError` if it is damaged.

    The first call imports it for half a second: not on the event loop.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        return False
    _schema()
    return True


@lru_cache(maxsize=1)
def _schema() -> Any:
    import acp.schema

    return acp.schema


def initialize(version: str) -> dict[str, Any]:
    """Build the parameters of the request `initialize`. `version`: of Jupyter Cabinet.

    The agent is offered no files and no terminals: it uses its own.
    """
    schema = _schema()
    return _plain(
        schema.InitializeRequest(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(
                fs=schema.FileSystemCapabilities(read_text_file=False, write_text_file=False), terminal=False
            ),
            client_info=schema.Implementation(name=CLIENT, title="Jupyter Cabinet", version=version),
        )
    )


def new_session(cwd: str, servers: tuple[McpServer, ...]) -> dict[str, Any]:
    """Build the parameters of the request `session/new`. `cwd` is absolute."""
    return _plain(_schema().NewSessionRequest(cwd=cwd, mcp_servers=_servers(servers)))


def load_session(session: str, cwd: str, servers: tuple[McpServer, ...]) -> dict[str, Any]:
    """Build the parameters of the request `session/load`, which continues a session by the agent's own id."""
    return _plain(_schema().LoadSessionRequest(session_id=session, cwd=cwd, mcp_servers=_servers(servers)))


def set_mode(session: str, mode: str) -> dict[str, Any]:
    """Build the parameters of the request `session/set_mode`."""
    return _plain(_schema().SetSessionModeRequest(session_id=session, mode_id=mode))


def set_option(session: str, option: str, value: str) -> dict[str, Any]:
    """Build the parameters of the request `session/set_config_option` for an option that is a choice."""
    return _plain(_schema().SetSessionConfigOptionSelectRequest(session_id=session, config_id=option, value=value))


def prompt(session: str, text: str) -> dict[str, Any]:
    """Build the parameters of the request `session/prompt` for one instruction."""
    schema = _schema()
    blocks = [schema.TextContentBlock(type="text", text=text)]
    return _plain(schema.PromptRequest(session_id=session, prompt=blocks))


def answered(option: str | None) -> dict[str, Any]:
    """Build the reply to a question. None: nobody answers."""
    schema = _schema()
    if option is None:
        outcome = schema.DeniedOutcome(outcome="cancelled")
    else:
        outcome = schema.AllowedOutcome(outcome="selected", option_id=option)
    return _plain(schema.RequestPermissionResponse(outcome=outcome))


def permission(params: Any) -> list[tuple[str, str, str]] | None:
    """Return the possible answers to a question: id, label, kind. None if the question breaks the protocol.

    `kind` is one of the protocol's four.
    """
    schema = _schema()
    try:
        asked = schema.RequestPermissionRequest.model_validate(params)
    except ValueError:  # pydantic's own error is one
        return None
    return [(option.option_id, option.name, option.kind) for option in asked.options]


def _servers(servers: tuple[McpServer, ...]) -> list[Any]:
    schema = _schema()
    return [
        schema.McpServerStdio(
            name=server.name,
            command=server.command[0],
            args=list(server.command[1:]),
            env=[schema.EnvVariable(name=name, value=value) for name, value in server.environment.items()],
        )
        for server in servers
    ]


def _plain(model: Any) -> dict[str, Any]:
    said: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return said

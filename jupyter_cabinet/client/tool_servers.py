"""`cabinet.tool_servers`: people's own tool servers, and which of their tools agents may use."""

from __future__ import annotations

from ..tool_servers.model import ToolServerOfCli, ToolServerView
from .api import Api
from .methods import both_forms


class ToolServers:
    """Your tool servers and those that others share: `cabinet.tool_servers.get("github").tools`.

    A program can read them. Only a person adds them and approves their tools, in JupyterLab.
    """

    def __init__(self, api: Api) -> None:
        self._api = api

    @both_forms
    async def list(self) -> tuple[ToolServerView, ...]:
        """Return all of them as they are now, by name, each with its tools and the agents that list it."""
        return await self._api.fetch_items("tool-servers", ToolServerView)

    @both_forms
    async def get(self, name: str) -> ToolServerView:
        """Return one tool server. Raises `RequestRefused` (`not_found`) if there is none with this name."""
        return await self._api.fetch(f"tool-servers/{name}", ToolServerView)

    @both_forms
    async def of_clis(self) -> tuple[ToolServerOfCli, ...]:
        """Return those in the settings of the CLIs, of the server's user and of this folder, without secrets."""
        return await self._api.fetch_items("tool-servers-of-clis", ToolServerOfCli)

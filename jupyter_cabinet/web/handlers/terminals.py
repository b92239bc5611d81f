"""`terminals`: who may watch, who may type, the agent in one. The WebSocket is in `terminal_socket.py`."""

from __future__ import annotations

import msgspec

from ...runs.model import Run, StartAgent
from ...terminals.model import NewTerminal, SetRecording, Terminal, TerminalPatch, TypedInput
from ..handler import CabinetHandler
from ..operation import Query, operation


class TerminalList(msgspec.Struct, frozen=True, kw_only=True):
    """Oldest first."""

    items: tuple[Terminal, ...]
    next: str | None = None


class TerminalsHandler(CabinetHandler):
    """`terminals`"""

    auth_resource = "cabinet-terminals"

    @operation("read", gives=TerminalList)
    async def get(self) -> None:
        """List the terminals that the caller may see."""
        self.reply(TerminalList(items=tuple(self.services.terminals.list(self.principal))))

    @operation("execute", body=NewTerminal, gives=Terminal, status=201)
    async def post(self) -> None:
        """Open a terminal that the caller controls: with a shell, a program, or an agent CLI in it."""
        self.reply(await self.services.terminal_agents.open(self.body(NewTerminal), self.principal), 201)


class TerminalHandler(CabinetHandler):
    """`terminals/{id}`"""

    auth_resource = "cabinet-terminals"

    @operation("read", gives=Terminal)
    async def get(self, terminal_id: str) -> None:
        """Return one terminal as it is now."""
        self.reply(self.services.terminals.get(terminal_id, self.principal).view())

    @operation("execute", body=TerminalPatch, gives=Terminal)
    async def patch(self, terminal_id: str) -> None:
        """Share a terminal or make it private. For the person who started it."""
        patch = self.body(TerminalPatch)
        self.reply(self.services.terminal_agents.change(terminal_id, patch, self.principal))

    @operation("execute", status=204)
    async def delete(self, terminal_id: str) -> None:
        """Close a terminal and end its programs.

        For its controller, the person who started the terminal or its agent, and administrators.
        """
        await self.services.terminals.close_for(terminal_id, self.principal)
        self.reply_empty()


class TerminalInputHandler(CabinetHandler):
    """`terminals/{id}/input`"""

    auth_resource = "cabinet-terminals"

    @operation("execute", body=TypedInput, status=204)
    async def post(self, terminal_id: str) -> None:
        """Type as the caller. The rules of typing apply: it must be the caller's turn, and no agent may be running."""
        terminal = self.services.terminals.get(terminal_id, self.principal)
        await terminal.input.type_for(self.principal.person, self.body(TypedInput))
        self.reply_empty()


class TerminalRecordingHandler(CabinetHandler):
    """`terminals/{id}/recording`"""

    auth_resource = "cabinet-terminals"

    @operation(
        "read",
        media="application/x-asciicast",
        query=(Query(name="part", kind="integer", about="number of the part; default: the oldest that is kept"),),
    )
    async def get(self, terminal_id: str) -> None:
        """Return one part of a terminal's recording, as asciicast v2; also after the terminal was closed."""
        number = self.get_query_argument("part", None)
        part = None if number is None else self.integer_argument("part", 0)
        data = await self.services.recordings.cast(terminal_id, part, self.principal)
        self.set_header("Content-Type", "application/x-asciicast")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Content-Disposition", f'attachment; filename="terminal-{terminal_id}.cast"')
        self.finish(data)

    @operation("execute", body=SetRecording, gives=Terminal)
    async def put(self, terminal_id: str) -> None:
        """Start or end the recording.

        For the terminal's controller, the person who started the terminal or its agent, and administrators.
        """
        terminal = self.services.terminals.get(terminal_id, self.principal)
        self.reply(await terminal.record(self.body(SetRecording).on, self.principal))


class TerminalAgentHandler(CabinetHandler):
    """`terminals/{id}/agent`"""

    auth_resource = "cabinet-terminals"

    @operation("execute", body=StartAgent, gives=Run, status=201)
    async def post(self, terminal_id: str) -> None:
        """Start an agent in an open terminal, as a run."""
        self.reply(await self.services.terminal_agents.start(terminal_id, self.body(StartAgent), self.principal), 201)


class TerminalAgentPauseHandler(CabinetHandler):
    """`terminals/{id}/agent/pause`"""

    auth_resource = "cabinet-terminals"

    @operation("execute", gives=Terminal)
    async def post(self, terminal_id: str) -> None:
        """Pause the agent and show the shell. Answers when all of its processes are stopped."""
        self.reply(await self.services.terminal_agents.pause(terminal_id, self.principal))


class TerminalAgentResumeHandler(CabinetHandler):
    """`terminals/{id}/agent/resume`"""

    auth_resource = "cabinet-terminals"

    @operation("execute", gives=Terminal)
    async def post(self, terminal_id: str) -> None:
        """Resume a paused agent, and show it."""
        self.reply(await self.services.terminal_agents.resume(terminal_id, self.principal))


class AgentStopHandler(CabinetHandler):
    """`terminals/{id}/agent/stop`"""

    auth_resource = "cabinet-terminals"

    @operation("execute", gives=Terminal)
    async def post(self, terminal_id: str) -> None:
        """End the agent and everything it started. Answers when that is confirmed."""
        self.reply(await self.services.terminal_agents.stop(terminal_id, self.principal))

"""From a request to a queued run: what every kind has in common. Called by `service.py`."""

from __future__ import annotations

import asyncio
import shlex
import uuid
from typing import Literal

import msgspec

from ..core.errors import Conflict, Invalid, NotAllowed
from ..core.ids import new_id
from ..core.paths import folder_below
from ..core.people import Person, Principal, Visibility
from ..runtimes.command import title_of
from ..runtimes.model import RunMode
from ..runtimes.registry import COMMAND, Runtimes
from ..runtimes.shared.tool_names import PRESETS
from ..terminals.service import Terminals
from .model import NewRun, Run, Trigger
from .sessions import Sessions
from .settings import Surroundings

MAX_MODEL_NAME = 200
MAX_TOOLS, MAX_TOOL_NAME = 100, 200
MAX_TURNS = 1000
MAX_COMMAND_BYTES = 100_000
MODES = {"ask": "Ask first", "edit": "Edit files", "bypass": "No questions"}  # as people see them
PANE_SIDES = range(1, 1001)  # characters


class Intake:
    """Checks and completes requests, and makes the values of new runs."""

    def __init__(
        self,
        *,
        runtimes: Runtimes,
        sessions: Sessions,
        terminals: Terminals,
        surroundings: Surroundings,
    ) -> None:
        self._runtimes = runtimes
        self._terminals = terminals
        self._sessions = sessions
        self._places = surroundings
        self._settings = surroundings.settings

    async def complete(self, new: NewRun, principal: Principal) -> NewRun:
        """Fill in runtime, permission mode and mode. Raises `Invalid`, `UnknownRuntime`, `NotAllowed`, `NotFound`."""
        new = self._in_terminal(_of_command(new), principal)
        if new.session_id is not None:
            new = await self._of_session(new, principal)
        runtime = new.runtime
        if not runtime:
            runtime = await asyncio.to_thread(self._runtimes.default_name)
        self._runtimes.get(runtime)
        folder_below(self._places.root, new.cwd)
        self._check_model(new.model)
        self._check_size(new)
        if new.max_turns is not None and not 1 <= new.max_turns <= MAX_TURNS:
            raise Invalid(f"A run may have 1 to {MAX_TURNS} turns.", field="max_turns")
        new = msgspec.structs.replace(_with_tools(new), runtime=runtime, permission_mode=self._permission_mode(new))
        return msgspec.structs.replace(
            new,
            # a secret that slipped into an instruction must not spread through records and events
            instruction=self._places.redactor.redact(new.instruction),
            mode=await self._mode(new, runtime),
        )

    async def _mode(self, new: NewRun, runtime: str) -> RunMode:
        """Where it runs. What the found version cannot keep is refused now; a missing CLI fails at its start."""
        wanted: RunMode = new.mode or ("terminal" if new.kind == "editor" else "headless")
        can = await asyncio.to_thread(self._runtimes.capabilities, runtime)
        if can is None:
            return wanted
        title = self._runtimes.get(runtime).about.title
        if can.permission_modes and new.permission_mode not in can.permission_modes:
            offered = ", ".join(MODES[mode] for mode in can.permission_modes)
            asked = MODES[new.permission_mode or "edit"]
            raise Invalid(f"{title} cannot keep the mode {asked}. It offers: {offered}.", field="permission_mode")
        if new.allowed_tools is not None and not can.allowed_tools:
            raise Invalid(f"{title} cannot be held to a list of tools.", field="allowed_tools")
        if not can.interactive and new.mode is None and new.terminal_id is None:
            return "headless"
        if not (can.interactive if wanted == "terminal" else can.headless):
            where = "in a terminal" if wanted == "terminal" else "without a terminal"
            raise Invalid(f"{title} cannot work {where}.", field="mode")
        return wanted

    async def _of_session(self, new: NewRun, principal: Principal) -> NewRun:
        session = await self._sessions.get(new.session_id or "", principal)
        if new.runtime not in (None, session.runtime):
            raise Conflict(
                "This session belongs to another runtime. Start a new session to change it.", field="runtime"
            )
        if new.path not in (None, session.path):
            raise Conflict("This session belongs to another document.", field="path")
        return msgspec.structs.replace(new, runtime=session.runtime, path=session.path)

    def _in_terminal(self, new: NewRun, principal: Principal) -> NewRun:
        """An agent in an open terminal: for who may steer that, and one at a time."""
        if new.terminal_id is None and new.command is None:
            return new
        if new.kind != "manual" or new.session_id is not None:
            raise Invalid("A session has a terminal of its own.", field="terminal_id")
        if new.mode == "headless":
            raise Invalid("An agent in a terminal cannot be headless.", field="mode")
        if new.terminal_id is not None:
            terminal = self._terminals.get(new.terminal_id, principal)
            terminal.gate.must_steer(principal)
            if terminal.programs.occupied:
                raise Conflict("Another agent works in this terminal.")
        return msgspec.structs.replace(new, mode="terminal")

    def _permission_mode(self, new: NewRun) -> Literal["ask", "edit", "bypass"]:
        mode = new.permission_mode or self._settings.default_permission_mode
        if mode == "bypass" and not self._settings.allow_bypass:
            raise NotAllowed(
                "Running without questions is not allowed on this server. Its operator can set CabinetApp.allow_bypass."
            )
        return mode

    def _check_size(self, new: NewRun) -> None:
        for field, side in (("cols", new.cols), ("rows", new.rows)):
            if side is not None and side not in PANE_SIDES:
                raise Invalid("A terminal has 1 to 1000 columns and rows.", field=field)

    def _check_model(self, model: str | None) -> None:
        if model is not None and (not model.strip() or model.startswith("-") or len(model) > MAX_MODEL_NAME):
            raise Invalid("This is not the name of a model.", field="model")

    def make(
        self,
        new: NewRun,
        person: Person,
        *,
        trigger: Literal["person", "program", "terminal"],
        visibility: Visibility,
    ) -> Run:
        """The run of a completed request, as it enters the queue."""
        assert new.runtime is not None and new.permission_mode is not None and new.mode is not None
        return Run(
            id=new_id(),
            kind=new.kind,
            state="queued",
            instruction=new.instruction if new.instruction.strip() else self._title(new, person),
            path=new.path,
            cwd=new.cwd or ".",
            runtime=new.runtime,
            runtime_title=title_of(new.command) if new.command else self._runtimes.get(new.runtime).about.title,
            model=new.model,
            permission_mode=new.permission_mode,
            allowed_tools=new.allowed_tools,
            mode=new.mode,
            session_id=new.session_id or str(uuid.uuid4()),
            trigger=Trigger(kind=trigger, username=person.username, display_name=person.display_name),
            owner=person.username,
            visibility=visibility,
            queued_at=self._places.clock.now(),
        )

    def _title(self, new: NewRun, person: Person) -> str:
        """What stands for an instruction where there is none."""
        if new.command:
            return self._places.redactor.redact(shlex.join(new.command))
        return f"Opened by {person.display_name}"


def _with_tools(new: NewRun) -> NewRun:
    """A preset becomes its list."""
    if new.tool_preset is None:
        if len(new.allowed_tools or ()) > MAX_TOOLS or any(
            len(tool) > MAX_TOOL_NAME for tool in new.allowed_tools or ()
        ):
            raise Invalid(f"At most {MAX_TOOLS} tools can be named.", field="allowed_tools")
        return new
    if new.allowed_tools is not None:
        raise Invalid("Give a list of tools or a preset, not both.", field="tool_preset")
    return msgspec.structs.replace(new, allowed_tools=PRESETS[new.tool_preset], tool_preset=None)


def _of_command(new: NewRun) -> NewRun:
    if new.command is None:
        if new.runtime == COMMAND:
            raise Invalid("Name the program to start.", field="command")
        return new
    if new.runtime not in (None, COMMAND):
        raise Invalid("Give a runtime or a command, not both.", field="command")
    if not new.command or not new.command[0].strip() or any("\0" in part for part in new.command):
        raise Invalid("The command is empty or has a NUL character.", field="command")
    if sum(len(part.encode(errors="replace")) for part in new.command) > MAX_COMMAND_BYTES:
        raise Invalid("The command is longer than 100 kB.", field="command")
    if new.instruction.strip():
        raise Invalid("A command takes no instruction. Put it into its arguments.", field="instruction")
    return msgspec.structs.replace(new, runtime=COMMAND)

"""Turns a request into a run that can be queued, in the same way for every kind. Called by `service.py`.

A request leaves fields open. The run has all of them resolved: session, runtime, permission mode, mode, tools, folder.
"""

from __future__ import annotations

import asyncio
import shlex
import uuid
from datetime import datetime
from typing import Any

import msgspec

from ..core.clock import Clock
from ..core.errors import Conflict, Invalid, NotAllowed
from ..core.ids import new_id
from ..core.paths import folder_below
from ..core.people import Person, Principal, Visibility
from ..execution.settings import Surroundings
from ..runners.port import NO_TERMINAL
from ..runtimes.command import title_of
from ..runtimes.model import PermissionMode, RunMode
from ..runtimes.registry import COMMAND, Runtimes
from ..runtimes.shared.tool_names import PRESETS
from .kinds import RunKinds, RunSubject, name_of
from .model import NewRun, Run, Trigger, TriggerKind
from .rules.enforcement import RequestedLimits, enforceable, usable_model
from .rules.isolation import check_choice
from .rules.runners import check_runner
from .settings import RunSettings

MAX_MODEL_NAME = 200
MAX_TOOLS, MAX_TOOL_NAME = 100, 200
MAX_TURNS = 1000
PANE_SIDES = range(1, 1001)  # valid numbers of columns or rows of a terminal


class Intake:
    """Checks and resolves requests, and builds the `Run` of each."""

    def __init__(
        self, *, kinds: RunKinds, runtimes: Runtimes, settings: RunSettings, surroundings: Surroundings
    ) -> None:
        self.kinds = kinds
        self._runtimes = runtimes
        self._settings = settings
        self._root = surroundings.root
        self._redactor = surroundings.redactor
        self._clock: Clock = surroundings.clock

    async def resolve(self, new: NewRun, principal: Principal, trigger: Trigger | None = None) -> tuple[Run, NewRun]:
        """Return the run of a request, and the request as it will be stored, with secrets redacted.

        Nothing is stored here. `trigger`: what requested the run; None: the caller. Raises `Invalid`, also for a limit
        that the installed CLI does not enforce; `UnknownRuntime`; `NotAllowed` for the mode `bypass` if the server does
        not allow it; `NotFound`; `Conflict` if the session belongs to another runtime or document; and what
        `folder_below` and `RunKind.check` raise.
        """
        goal = await self.kinds.of(name_of(type(new))).check(new, principal)
        _check_goal(new, goal)
        new = _with_terms(new, goal)
        runtime = await self._runtime(new, goal)
        folder_below(self._root, new.cwd)
        _check_options(new)
        check_choice(new.isolate, self._settings.sandbox)
        check_runner(new, self._settings)
        wanted = RequestedLimits(tools=_tools(new), permission_mode=self._permission_mode(new))
        kept, warnings = await self._kept(wanted, runtime, goal)
        model, ignored = await self._model(new, runtime, goal)
        mode = await self._mode(new, goal, runtime)
        # A secret that slipped into an instruction must not spread through records and events.
        asked = msgspec.structs.replace(new, instruction=self._redactor.redact(new.instruction))
        run = Run(
            id=new_id(),
            kind=name_of(type(new)),
            state="queued",
            instruction=asked.instruction if asked.instruction.strip() else self._title(new, goal, principal),
            attached=tuple(self._redactor.redact(title) for title in goal.attached),
            path=goal.path,
            plan_id=goal.plan_id,
            step_id=goal.step_id,
            cwd=new.cwd or ".",
            runtime=runtime,
            runtime_title=self._runtime_title(new, runtime),
            model=model,
            permission_mode=kept.permission_mode,
            allowed_tools=kept.tools,
            warnings=(*warnings, *ignored),
            isolate=new.isolate,
            runner=new.runner,
            mode=mode,
            session_id=goal.session.id if goal.session else str(uuid.uuid4()),
            trigger=trigger or _trigger("person" if principal.in_browser else "program", principal, goal.source),
            queued_at=self._clock.now(),
            **{"owner": principal.username, "visibility": visibility_for(principal), **_of_agent(goal)},
        )
        return run, asked

    async def _runtime(self, new: NewRun, goal: RunSubject) -> str:
        if command_of(new):
            return COMMAND
        name = goal.session.runtime if goal.session else new.runtime
        if name == COMMAND:
            raise Invalid("Name the program to start.", field="command")
        if not name:
            name = await asyncio.to_thread(self._runtimes.default_name)
        self._runtimes.get(name)
        return name

    def _runtime_title(self, new: NewRun, runtime: str) -> str:
        if command := command_of(new):
            return title_of(command)
        return self._runtimes.get(runtime).about.title

    def _title(self, new: NewRun, goal: RunSubject, person: Person) -> str:
        """Return the title of a run that has no instruction."""
        if goal.title:
            return self._redactor.redact(goal.title)
        if command := command_of(new):
            return self._redactor.redact(shlex.join(command))
        return f"Opened by {person.display_name}"

    async def _kept(
        self, wanted: RequestedLimits, runtime: str, goal: RunSubject
    ) -> tuple[RequestedLimits, tuple[str, ...]]:
        """Return the limits that the installed CLI enforces, and one sentence for each that it does not.

        Nothing is checked if the CLI was not found: the run then fails when it starts. Raises `Invalid` for a limit
        that the CLI cannot enforce, unless the agent's configuration accepts that.
        """
        can = await asyncio.to_thread(self._runtimes.capabilities, runtime)
        if can is None:
            return wanted, ()
        kept, problems = enforceable(wanted, can, self._runtimes.get(runtime).about.title)
        if problems and not (goal.terms is not None and goal.terms.allow_unenforced):
            raise Invalid(problems[0].message, field=problems[0].field)
        return kept, tuple(f"{problem.message} {problem.instead}" for problem in problems)

    async def _model(self, new: NewRun, runtime: str, goal: RunSubject) -> tuple[str | None, tuple[str, ...]]:
        """Return the model to use, and a sentence if the agent's runtime ignores its configured model.

        A person's own choice is passed to the runtime, which refuses it if it cannot use it.
        """
        can = None if goal.terms is None else await asyncio.to_thread(self._runtimes.capabilities, runtime)
        if can is None:
            return new.model, ()
        return usable_model(new.model, can, self._runtimes.get(runtime).about.title)

    async def _mode(self, new: NewRun, goal: RunSubject, runtime: str) -> RunMode:
        """Return whether the run works in a terminal or headless. Raises `Invalid` if the runtime cannot do that."""
        if new.runner in NO_TERMINAL and goal.fixed_mode and goal.mode == "terminal":
            raise Invalid(NO_TERMINAL[new.runner], field="runner")
        by_default: RunMode = "headless" if new.runner in NO_TERMINAL else goal.mode
        wanted: RunMode = goal.mode if goal.fixed_mode else new.mode or by_default
        can = await asyncio.to_thread(self._runtimes.capabilities, runtime)
        if can is None:
            return wanted
        if not can.interactive and new.mode is None and not goal.fixed_mode:
            return "headless"
        if not (can.interactive if wanted == "terminal" else can.headless):
            where = "in a terminal" if wanted == "terminal" else "without a terminal"
            raise Invalid(f"{self._runtimes.get(runtime).about.title} cannot work {where}.", field="mode")
        return wanted

    def _permission_mode(self, new: NewRun) -> PermissionMode:
        mode = new.permission_mode or self._settings.default_permission_mode
        if mode == "bypass" and not self._settings.allow_bypass:
            raise NotAllowed(
                "Running without questions is not allowed on this server. Its operator can set CabinetApp.allow_bypass."
            )
        return mode


def of_typed(before: Run, instruction: str, person: Person, *, terminal_id: str, now: datetime) -> Run:
    """Build the run of an instruction that a person typed into another run's CLI, with that run's settings.

    Stores nothing. It is owned by this person. It belongs to no plan, and has no attachments, priority or further
    attempts.
    """
    return Run(
        id=new_id(),
        kind=before.kind,
        state="queued",
        instruction=instruction,
        path=before.path,
        cwd=before.cwd,
        runtime=before.runtime,
        runtime_title=before.runtime_title,
        model=before.model,
        permission_mode=before.permission_mode,
        allowed_tools=before.allowed_tools,
        agent=before.agent,
        own_tools=before.own_tools,
        allow_unenforced=before.allow_unenforced,
        network=before.network,
        isolate=before.isolate,
        isolated=before.isolated,
        runner=before.runner,
        image=before.image,
        where=before.where,
        tainted=before.tainted,
        mode="terminal",
        session_id=before.session_id,
        terminal_id=terminal_id,
        trigger=_trigger("terminal", person),
        owner=person.username,
        visibility=before.visibility,
        queued_at=now,
    )


def _with_terms(new: NewRun, goal: RunSubject) -> NewRun:
    """Fill the fields that the request leaves open with the settings of its agent. Raises `Invalid`."""
    terms = goal.terms
    if terms is None:
        return new
    chosen = goal.session.runtime if goal.session else new.runtime
    names: tuple[str, ...] = ("runtime", "permission_mode", "cwd", "max_turns", "runner")
    if None in (chosen, terms.runtime) or chosen == terms.runtime:  # model names differ between CLIs
        names += ("model",)
    if new.allowed_tools is None and new.tool_preset is None:
        names += ("allowed_tools",)
    if terms.isolate:
        if new.isolate is False:
            raise Invalid("This agent may only work isolated.", field="isolate")
        names += ("isolate",)
    found = {name: getattr(terms, name) for name in names if getattr(new, name) is None}
    return msgspec.structs.replace(new, **found)


def _of_agent(goal: RunSubject) -> dict[str, Any]:
    """Return the fields of `Run` that a request does not set.

    They come from the named agent, if there is one. `own_tools` are those of the agent and of the kind together.
    """
    terms = goal.terms
    if terms is None:
        return {"own_tools": goal.own_tools}
    limits = ("allow_unenforced", "network", "image", "max_attempts", "timeouts")
    names = ("agent", "parallel", "exclusive", "priority", "owner", "visibility", *limits)
    found = {name: getattr(terms, name) for name in names}
    return {**found, "own_tools": tuple(dict.fromkeys((*terms.own_tools, *goal.own_tools)))}


def command_of(new: NewRun) -> tuple[str, ...] | None:
    """Return the program and its arguments that a request names instead of a CLI; None if it names none."""
    return getattr(new, "command", None) or None


def _trigger(kind: TriggerKind, person: Person, source: str = "") -> Trigger:
    return Trigger(kind=kind, username=person.username, display_name=person.display_name, source=source)


def _check_goal(new: NewRun, goal: RunSubject) -> None:
    if goal.session is None:
        return
    if new.runtime not in (None, goal.session.runtime):
        raise Conflict("This session belongs to another runtime. Start a new session to change it.", field="runtime")
    if goal.path != goal.session.path:
        raise Conflict("This session belongs to another document.", field="path")


def _check_options(new: NewRun) -> None:
    model = new.model
    if model is not None and (not model.strip() or model.startswith("-") or len(model) > MAX_MODEL_NAME):
        raise Invalid("This is not the name of a model.", field="model")
    for field, side in (("cols", new.cols), ("rows", new.rows)):
        if side is not None and side not in PANE_SIDES:
            raise Invalid("A terminal has 1 to 1000 columns and rows.", field=field)
    if new.max_turns is not None and not 1 <= new.max_turns <= MAX_TURNS:
        raise Invalid(f"A run may have 1 to {MAX_TURNS} turns.", field="max_turns")


def _tools(new: NewRun) -> tuple[str, ...] | None:
    """Return the list of tools of the request, or that of its preset; None if it has neither.

    Raises `Invalid` if it has both, or if the list is too long.
    """
    if new.tool_preset is not None:
        if new.allowed_tools is not None:
            raise Invalid("Give a list of tools or a preset, not both.", field="tool_preset")
        return PRESETS[new.tool_preset]
    tools = new.allowed_tools or ()
    if len(tools) > MAX_TOOLS or any(len(tool) > MAX_TOOL_NAME for tool in tools):
        raise Invalid(f"At most {MAX_TOOLS} tools can be named.", field="allowed_tools")
    return new.allowed_tools


def visibility_for(principal: Principal) -> Visibility:
    """Return the default visibility of a person's objects: "server" if all users share one token, else "private"."""
    return "server" if principal.shared_token else "private"

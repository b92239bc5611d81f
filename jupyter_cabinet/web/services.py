"""What the handlers are given: the services, once they are up, else why they are not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..core.clock import Clock, SystemClock

if TYPE_CHECKING:
    from ..agents.assignments import AgentWork
    from ..agents.run_kinds.run_completion import Aftermath
    from ..agents.service import Agents
    from ..agents.steering_files import SteeringFiles
    from ..approvals.rulebook import Rulebook
    from ..approvals.service import Approvals
    from ..changes.service import RunChanges
    from ..editor.completion import FileIndex
    from ..editor.sessions import EditorSessions
    from ..plays.hooks import Hooks
    from ..plays.service import Plays
    from ..record.service import Record
    from ..runs.service import Runs
    from ..runs.terminal_agents import TerminalAgents
    from ..runtimes.registry import Runtimes
    from ..storage.event_log import EventLog
    from ..terminals.recording.recordings import Recordings
    from ..terminals.service import Terminals
    from ..trust.service import Trust

_SERVED = (
    "runs",
    "agents",
    "agent_work",
    "steering_files",
    "aftermath",
    "plays",
    "hooks",
    "approvals",
    "approval_rules",
    "changes",
    "record",
    "runtimes",
    "editor",
    "files",
    "terminals",
    "terminal_agents",
    "recordings",
    "trust",
    "events",
)


@dataclass
class Services:
    """`trouble` is why they are not up: starting, stopping, or what went wrong."""

    trouble: str = "Cabinet is starting. Try again in a moment."
    root_name: str = ""
    allow_bypass: bool = False
    idle_stop_seconds: int | None = None  # without activity, whatever is scheduled; None: it does not stop by itself
    clock: Clock = field(default_factory=SystemClock)
    # set together by `serve`, when `trouble` becomes empty
    runs: Runs = field(init=False)
    agents: Agents = field(init=False)
    agent_work: AgentWork = field(init=False)
    steering_files: SteeringFiles = field(init=False)
    aftermath: Aftermath = field(init=False)
    plays: Plays = field(init=False)
    hooks: Hooks = field(init=False)
    approvals: Approvals = field(init=False)
    approval_rules: Rulebook = field(init=False)
    changes: RunChanges = field(init=False)
    record: Record = field(init=False)
    runtimes: Runtimes = field(init=False)
    editor: EditorSessions = field(init=False)
    files: FileIndex = field(init=False)
    terminals: Terminals = field(init=False)
    terminal_agents: TerminalAgents = field(init=False)
    recordings: Recordings = field(init=False)
    trust: Trust = field(init=False)
    events: EventLog = field(init=False)

    def serve(self, backend: Any) -> None:
        """Take the services from what has built them, under the same names."""
        for name in _SERVED:
            setattr(self, name, getattr(backend, name))
        self.trouble = ""

"""What the handlers need of the rooms. Filled by `app.py` when the server's loop runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..core.clock import Clock, SystemClock

if TYPE_CHECKING:
    from ..editor.completion import FileIndex
    from ..editor.sessions import EditorSessions
    from ..runs.approvals import Approvals
    from ..runs.service import Runs
    from ..runs.terminal_agents import TerminalAgents
    from ..runtimes.registry import Runtimes
    from ..storage.event_log import EventLog
    from ..terminals.recording.recordings import Recordings
    from ..terminals.service import Terminals
    from ..trust.service import Trust


@dataclass
class Rooms:
    """`trouble` is why the rooms are not up: starting, stopping, or what went wrong."""

    trouble: str = "Cabinet is starting. Try again in a moment."
    root_name: str = ""
    allow_bypass: bool = False
    clock: Clock = field(default_factory=SystemClock)
    # set together, before `trouble` becomes empty
    runs: Runs = field(init=False)
    approvals: Approvals = field(init=False)
    runtimes: Runtimes = field(init=False)
    editor: EditorSessions = field(init=False)
    files: FileIndex = field(init=False)
    terminals: Terminals = field(init=False)
    terminal_agents: TerminalAgents = field(init=False)
    recordings: Recordings = field(init=False)
    trust: Trust = field(init=False)
    events: EventLog = field(init=False)

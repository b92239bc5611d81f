"""Every route of the API, below `<base_url>cabinet/api/`. A handler that is not here does not exist."""

from __future__ import annotations

from .approvals import ApprovalHandler, ApprovalsHandler
from .editor import (
    EditorMentionsHandler,
    EditorSessionCloseHandler,
    EditorSessionHandler,
    EditorSessionsHandler,
)
from .events import EventsHandler
from .handler import CabinetHandler
from .health import HealthHandler, OpenApiHandler
from .recordings import RecordingHandler, RecordingsHandler
from .run_output import RunOutputHandler
from .runs import RunCancelHandler, RunHandler, RunRawHandler, RunsHandler
from .runtimes import RuntimesHandler, RuntimeTestHandler
from .terminal_socket import TerminalSocket
from .terminals import (
    AgentPauseHandler,
    AgentResumeHandler,
    AgentStopHandler,
    TerminalAgentHandler,
    TerminalHandler,
    TerminalInputHandler,
    TerminalRecordingHandler,
    TerminalsHandler,
)
from .trust import TrustHandler

PREFIX = "cabinet/api"
PARTS = {"{id}": r"([0-9A-Za-z-]{1,64})", "{name}": r"([a-z0-9][a-z0-9-]{0,63})"}

ROUTES: tuple[tuple[str, type[CabinetHandler]], ...] = (
    ("health", HealthHandler),
    ("runtimes", RuntimesHandler),
    ("runtimes/{name}/test", RuntimeTestHandler),
    ("runs", RunsHandler),
    ("runs/{id}", RunHandler),
    ("runs/{id}/cancel", RunCancelHandler),
    ("runs/{id}/raw", RunRawHandler),
    ("runs/{id}/output", RunOutputHandler),
    ("approvals", ApprovalsHandler),
    ("approvals/{id}", ApprovalHandler),
    ("editor/sessions", EditorSessionsHandler),
    ("editor/sessions/{id}", EditorSessionHandler),
    ("editor/sessions/{id}/close", EditorSessionCloseHandler),
    ("editor/mentions", EditorMentionsHandler),
    ("terminals", TerminalsHandler),
    ("terminals/{id}", TerminalHandler),
    ("terminals/{id}/ws", TerminalSocket),
    ("terminals/{id}/input", TerminalInputHandler),
    ("terminals/{id}/agent", TerminalAgentHandler),
    ("terminals/{id}/agent/pause", AgentPauseHandler),
    ("terminals/{id}/agent/resume", AgentResumeHandler),
    ("terminals/{id}/agent/stop", AgentStopHandler),
    ("terminals/{id}/recording", TerminalRecordingHandler),
    ("recordings", RecordingsHandler),
    ("recordings/{id}", RecordingHandler),
    ("trust", TrustHandler),
    ("events", EventsHandler),
    ("openapi.json", OpenApiHandler),
)


def pattern(path: str) -> str:
    """The regular expression of a route, with one group for each part in braces."""
    expression = path.replace(".", r"\.")
    for name, part in PARTS.items():
        expression = expression.replace(name, part)
    return expression

"""The dialogue with headless opencode (`opencode run --format=json`): its lines become events, its end an outcome.

Pure: no process, no clock. Made by `runtime.py`. Facts: 1.18.33. It has no line for its end, and reports no retries,
refused questions and tool servers: our plugin adds lines of type `cabinet` (`plugin.js`).
"""

from __future__ import annotations

from typing import Any

from ..model import (
    AnswerFinished,
    AnyAgentEvent,
    Failure,
    Request,
    Retrying,
    TextBlock,
    Thinking,
    Usage,
    UsageReported,
    Warned,
)
from ..port import Exit
from ..shared.messages.json_stream import JsonStream
from ..shared.messages.json_values import inner, string
from . import failures
from .messages import Steps, retrying, tool_events


class OpencodeStream(JsonStream):
    """One headless run. Only a last step that ended with `stop` means success; an exit code never does."""

    title = "opencode"
    takes_system_text = True
    without_asking = f"{title} cannot ask without a terminal: it has only the tools that need no question."

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._steps = Steps()
        self._error: dict[str, Any] = {}
        self._retry: str | None = None  # why it is retrying
        self._asked = False  # for a permission, which it then refuses itself

    def usage(self) -> Usage | None:
        return self._steps.usage

    def cost_usd(self) -> float | None:
        return self._steps.cost_usd

    def failed(self, exit: Exit) -> Failure | None:
        if self._error:
            return failures.of_error(self._error)
        if self._retry is not None:
            return failures.of_retry(self._retry)
        if self._steps.finished(self.text):
            return None
        if exit.code == 0 and self._steps.reason:
            refused = self._asked or self._steps.refused
            return failures.of_reason(self._steps.reason, refused=refused, in_terminal=False)
        return failures.of_exit(exit, self.stderr)

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        if line.get("type") == "cabinet":
            return self._news(inner(line, "event"))
        session, part = string(line, "sessionID"), inner(line, "part")
        begun = self._begun(session)
        if session != self.native_id:  # of an agent that this one has started
            return begun
        return [*begun, *self._part(line, part)]

    def _begun(self, session: str) -> list[AnyAgentEvent]:
        return self.started(session) if session and self.native_id is None else []

    def _part(self, line: dict[str, Any], part: dict[str, Any]) -> list[AnyAgentEvent]:
        self._retry = None
        match line.get("type"):
            case "step_start":
                self._steps.reason = ""  # the previous step was not the last
            case "text" if text := string(part, "text"):
                self.text = text
                return [TextBlock(text=text)]
            case "reasoning" if text := string(part, "text"):
                return [Thinking(text=text)]
            case "tool_use":
                found = tool_events(part)
                self._steps.saw(found)
                return [*found]
            case "step_finish":
                return self._step_ended(part)
            case "error":
                self._error = self._error or inner(line, "error") or {"name": "an error"}
        return []

    def _step_ended(self, part: dict[str, Any]) -> list[AnyAgentEvent]:
        usage = self._steps.add(part)
        told: list[AnyAgentEvent] = [UsageReported(usage=usage, cost_usd=self._steps.cost_usd)]
        return [*told, AnswerFinished(text=self.text)] if self._steps.finished(self.text) else told

    def _news(self, event: dict[str, Any]) -> list[AnyAgentEvent]:
        properties = inner(event, "properties")
        match event.get("type"):
            case "session.status":
                return [*self._begun(string(properties, "sessionID")), *self._status(properties)]
            case "session.error" if string(properties, "sessionID") in ("", self.native_id):
                self._error = inner(properties, "error")  # it says more than the CLI's own line
            case "permission.asked":
                self._asked = True
            case "tools.failed":
                return self._failed_servers(properties.get("failed"))
        return []

    def _status(self, properties: dict[str, Any]) -> list[AnyAgentEvent]:
        attempt, reason = retrying(inner(properties, "status"))
        if not attempt or string(properties, "sessionID") != self.native_id:
            return []
        self._retry = reason
        return [Retrying(attempt=attempt, reason=reason)]

    def _failed_servers(self, names: Any) -> list[AnyAgentEvent]:
        ours = {server.name for server in self._request.mcp_servers}
        failed = sorted(ours & {name for name in names if isinstance(name, str)}) if isinstance(names, list) else []
        if not failed:
            return []
        return [Warned(message=f"These tool servers did not start: {', '.join(failed)}.")]

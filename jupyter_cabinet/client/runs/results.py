"""A run that has ended, with its events, as a `RunResult`. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ...agents.model import EffectReport
from ...runs.model import Run
from ...runtimes.edited_files import edited_files
from ...runtimes.model import TextBlock, ToolCall, ToolResult
from ..model import RunEvent, RunResult


class Said:
    """The parts of a run's events that a result keeps: complete texts and tool calls."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.tool_calls: list[ToolCall] = []
        self._failed: set[str] = set()

    def add(self, events: Iterable[RunEvent]) -> None:
        """Take in the next events."""
        for event in events:
            if isinstance(event, TextBlock):
                self.messages.append(event.text)
            elif isinstance(event, ToolCall):
                self.tool_calls.append(event)
            elif isinstance(event, ToolResult) and event.is_error:
                self._failed.add(event.call_id)

    def changed_files(self, runtime: str) -> tuple[str, ...]:
        """Return the paths that its edits named, each once; not those of failed or denied edits."""
        done = (call for call in self.tool_calls if call.call_id not in self._failed)
        return tuple(dict.fromkeys(path for call in done for path in edited_files(runtime, call)))


def result_of(run: Run, said: Said, effects: Iterable[EffectReport]) -> RunResult:
    """Return a run in a final state, with what it said and its effects, as one value."""
    return RunResult(
        run_id=run.id,
        state=run.state,
        reason=run.reason,
        text=run.result.text if run.result else "",
        messages=tuple(said.messages),
        tool_calls=tuple(said.tool_calls),
        usage=run.usage,
        cost_usd=run.cost_usd,
        duration_seconds=run.duration_seconds,
        changed_files=said.changed_files(run.runtime),
        directives=tuple(effects),
        failure=run.failure,
        warnings=run.warnings,
    )

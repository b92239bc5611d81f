"""The client's own values. All others are the server's: `runs.model.Run`, `agents.model.AgentView`, …"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import msgspec

from ..agents.model import AgentView, EffectReport
from ..approvals.model import Approval
from ..core.plain_text import plain
from ..core.safe_markdown import safe_markdown
from ..runs.model import Run, RunState
from ..runs.switch_model import Switch
from ..runtimes.model import AnyAgentEvent, Failure, ToolCall, Usage

if TYPE_CHECKING:
    import pandas as pd

# The values of `LiveRun.state`: before the server has accepted it, "submitting".
LiveState = RunState | Literal["submitting"]


class UnknownEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a run that this version does not know, complete, as JSON."""

    type: str
    raw: dict[str, Any]


RunEvent = AnyAgentEvent | UnknownEvent


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a run that has ended. `str(result)` is its text.

    `text`: the final answer, as the agent wrote it. `messages`: every complete text that it wrote, in order. `reason`:
    a sentence. `changed_files`: the paths that its edits named, as the CLI names them, each once, if the tools of the
    CLI are known. `directives`: the result of each. `cost_usd` (USD), `usage` (tokens) and `duration_seconds` are None
    if unknown.
    """

    run_id: str
    state: RunState
    reason: str = ""
    text: str = ""
    messages: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    cost_usd: float | None = None
    duration_seconds: float | None = None
    changed_files: tuple[str, ...] = ()
    directives: tuple[EffectReport, ...] = ()
    failure: Failure | None = None
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return plain(self.text)

    def _repr_markdown_(self) -> str:
        return safe_markdown(self.text)


class RunList(Sequence[Run]):
    """Runs, newest first, with only the beginning of long answers."""

    # Columns of `to_frame`, and their positions in a run.
    COLUMNS = (
        "id",
        "state",
        "reason",
        "kind",
        "agent",
        "path",
        "runtime",
        "model",
        "instruction",
        "text",
        "cost_usd",
        "input_tokens",
        "output_tokens",
        "queued_at",
        "started_at",
        "finished_at",
        "duration_seconds",
    )

    def __init__(self, runs: Iterable[Run] = ()) -> None:
        self._runs = tuple(runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> RunList: ...
    def __getitem__(self, index: int | slice) -> Run | RunList:
        return RunList(self._runs[index]) if isinstance(index, slice) else self._runs[index]

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunList) and self._runs == other._runs

    def __hash__(self) -> int:
        return hash(tuple(run.id for run in self._runs))

    def __repr__(self) -> str:
        return f"<RunList of {len(self)} runs>"

    def to_frame(self) -> pd.DataFrame:
        """Return the runs as a pandas `DataFrame`, a row each, with the columns `RunList.COLUMNS`.

        `text`: the beginning of the answer; tokens, cost (USD) and duration (seconds) are missing if they are not
        known; times have the zone UTC. Raises `ImportError` where pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("pandas is not installed. Install it with `pip install pandas`.") from error
        return pd.DataFrame([_row(run) for run in self._runs], columns=list(self.COLUMNS))


def _row(run: Run) -> dict[str, Any]:
    named = {name: getattr(run, name) for name in RunList.COLUMNS if hasattr(run, name)}
    usage = run.usage
    return {
        **named,
        "text": run.result.text if run.result else "",
        "input_tokens": usage.input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
    }


class RuntimeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """An agent CLI. `reason`: why it was not found, or cannot be used."""

    name: str
    title: str
    found: bool
    reason: str = ""
    version: str | None = None
    warning: str = ""
    login: Literal["yes", "no", "unknown"] = "unknown"
    is_default: bool = False


class CabinetStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the server and its current runs.

    `root`: the server's root folder. `trusted`: whether a person has confirmed it. `working`: runs that are starting,
    running or waiting for an answer. `queued`: runs that wait for their turn. `approvals`: questions that wait for a
    person. `switch`: None if the caller may not read it.
    """

    version: str
    root: str
    trusted: bool
    agents: tuple[AgentView, ...] = ()
    working: tuple[Run, ...] = ()
    queued: tuple[Run, ...] = ()
    approvals: tuple[Approval, ...] = ()
    runtimes: tuple[RuntimeStatus, ...] = ()
    switch: Switch | None = None

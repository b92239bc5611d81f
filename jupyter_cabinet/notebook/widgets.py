"""Widgets: `AgentCard`, `RunView`, `TerminalView`, `GoalPlot`. They work alone, or within ipywidgets' layouts.

A single widget in an output is drawn by the extension from its name, so it is there again after a restart of the kernel
and a reload of the page. Within a layout it is an ipywidget like the others. Without the extension it is shown as text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ..client.agents import AgentHandle
from ..client.cabinet import Cabinet
from ..client.model import RunResult
from ..client.runs.live_run import LiveRun
from ..client.terminals import TerminalHandle
from . import views
from .bundles import MIME_TYPE, Bundle


class CabinetWidget(anywidget.AnyWidget):
    """Base of the widgets. `view`: the content, as in the MIME type's JSON; `text`: the same as text."""

    _esm = Path(__file__).with_name("view.js")
    view = traitlets.Dict().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        # otherwise a row would make it as narrow as its longest letter
        layout = {"flex": "1 1 auto", "min_width": "320px", "width": "auto"}
        super().__init__(view=bundle[MIME_TYPE], text=bundle["text/plain"], layout=layout)

    def _repr_mimebundle_(self, **named: Any) -> tuple[Bundle, dict[str, Any]]:
        told = super()._repr_mimebundle_(**named)
        widget, metadata = told if isinstance(told, tuple) else (told or {}, {})
        return {**widget, **self._bundle}, metadata

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {' '.join(str(each) for each in list(self.view.values())[1:])}>"


class RunView(CabinetWidget):
    """A run: its text, its tool calls, its questions, its end. `run`: a `LiveRun`, a `RunResult`, or an id."""

    def __init__(self, run: LiveRun | RunResult | str, *, cabinet: Cabinet | None = None) -> None:
        if not isinstance(run, LiveRun):
            run = (cabinet or Cabinet()).attach(run if isinstance(run, str) else run.run_id)
        super().__init__(views.of_run(run))


class AgentCard(CabinetWidget):
    """An agent: its status, budget, goals, and actions. `agent`: its name, or an item of `cabinet.agents`."""

    def __init__(self, agent: AgentHandle | str, *, cabinet: Cabinet | None = None) -> None:
        super().__init__(views.of_agent(_agent(agent, cabinet)))


class GoalPlot(CabinetWidget):
    """A goal of an agent over time, against its target. `metric`: the goal's name."""

    def __init__(self, agent: AgentHandle | str, metric: str, *, cabinet: Cabinet | None = None) -> None:
        super().__init__(views.of_goal(_agent(agent, cabinet), metric))


class TerminalView(CabinetWidget):
    """A shared terminal.

    `terminal`: its name, under which one is opened if none exists; or an item of `cabinet.terminals`.
    """

    def __init__(self, terminal: TerminalHandle | str | None = None, *, cabinet: Cabinet | None = None) -> None:
        if not isinstance(terminal, TerminalHandle):
            terminal = views.named_terminal(cabinet or Cabinet(), terminal)
        super().__init__(views.of_terminal(terminal))


def _agent(agent: AgentHandle | str, cabinet: Cabinet | None) -> AgentHandle:
    return (cabinet or Cabinet()).agents[agent] if isinstance(agent, str) else agent

"""What is shown of a run, an agent, a terminal and a goal: asked of the server once, for readers without the extension.

The extension draws each anew from the server.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..client.agents import AgentHandle
from ..client.cabinet import Cabinet
from ..client.live_run import LiveRun
from ..client.terminals import TerminalHandle
from . import fallback
from .bundles import Bundle, agent_bundle, goal_bundle, run_bundle, terminal_bundle


def of_run(run: LiveRun) -> Bundle:
    """Of a run as it is now."""
    known = run.refresh()
    text = known.result.text if known.result else ""
    return run_bundle(known.id, *fallback.live(known, text, ()))


def of_agent(agent: AgentHandle) -> Bundle:
    """Of an agent's card."""
    detail = agent.detail
    return agent_bundle(agent.name, *fallback.agent(detail, detail.goals))


def of_goal(agent: AgentHandle, metric: str) -> Bundle:
    """Of a goal. Raises `KeyError` where the agent has none of this name."""
    detail = agent.detail
    found = next((each for each in detail.goals if each.metric == metric), None)
    if found is None:
        known = ", ".join(each.metric for each in detail.goals) or "none"
        raise KeyError(f"{agent.name} has no goal {metric}. Its goals: {known}.")
    return goal_bundle(agent.name, metric, *fallback.goal(detail.name, found))


def of_terminal(terminal: TerminalHandle) -> Bundle:
    """Of a shared terminal."""
    detail = terminal.detail
    return terminal_bundle(detail.id, *fallback.terminal(detail.name))


def named_terminal(cabinet: Cabinet, name: str | None) -> TerminalHandle:
    """The open terminal that has this name, or a new one."""
    opened = (each for each in cabinet.terminals.list() if each.name == name and not each.exited)
    known = next(opened, None)
    return cabinet.terminals[known.id] if known is not None else cabinet.terminals.open(name)


def register(shell: Any) -> None:
    """What the client hands out is shown as a view, where it is the value of a cell."""
    shown: tuple[tuple[type, Callable[[Any], Bundle]], ...] = (
        (LiveRun, of_run),
        (AgentHandle, of_agent),
        (TerminalHandle, of_terminal),
    )
    for kind, bundle in shown:
        shell.display_formatter.mimebundle_formatter.for_type(
            kind, lambda value, include=None, exclude=None, bundle=bundle: bundle(value)
        )

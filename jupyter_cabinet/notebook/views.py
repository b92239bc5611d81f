"""The views of a run, an agent, a terminal, a goal and a plan: requested once, for readers without the extension.

The extension draws each again from the server, except a plan, which is a table of its steps as they were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..client.agents import AgentHandle
from ..client.cabinet import Cabinet
from ..client.plans import PlanHandle
from ..client.runs.live_run import LiveRun
from ..client.terminals import TerminalHandle
from . import fallback, plan_summary
from .bundles import Bundle, agent_bundle, goal_bundle, run_bundle, terminal_bundle


def of_run(run: LiveRun) -> Bundle:
    """Return the bundle of a run, which is requested from the server again. Raises `RequestRefused`, `Unreachable`."""
    known = run.refresh()
    text = known.result.text if known.result else ""
    return run_bundle(known.id, *fallback.live(known, text, ()))


def of_agent(agent: AgentHandle) -> Bundle:
    """Return the bundle of an agent's card, which is requested from the server."""
    detail = agent.detail
    return agent_bundle(agent.name, *fallback.agent(detail, detail.goals))


def of_goal(agent: AgentHandle, metric: str) -> Bundle:
    """Return the bundle of a goal. Raises `KeyError` if the agent has none with this name."""
    detail = agent.detail
    found = next((each for each in detail.goals if each.metric == metric), None)
    if found is None:
        known = ", ".join(each.metric for each in detail.goals) or "none"
        raise KeyError(f"{agent.name} has no goal {metric}. Its goals: {known}.")
    return goal_bundle(agent.name, metric, *fallback.goal(detail.name, found))


def of_terminal(terminal: TerminalHandle) -> Bundle:
    """Return the bundle of a shared terminal."""
    detail = terminal.detail
    return terminal_bundle(detail.id, *fallback.terminal(detail.name))


def of_plan(plan: PlanHandle) -> Bundle:
    """Return the bundle of a plan as it is now: its title, its state, and its steps, as HTML and text."""
    html, text = plan_summary.of_plan(plan.fetch())
    return {"text/html": html, "text/plain": text}


def named_terminal(cabinet: Cabinet, name: str | None) -> TerminalHandle:
    """Return the open terminal with this name; if there is none, or without a name, open a new one."""
    opened = (each for each in cabinet.terminals.list() if each.name == name and not each.exited)
    known = next(opened, None)
    return cabinet.terminals[known.id] if known is not None else cabinet.terminals.open(name)


def register(shell: Any) -> None:
    """Let IPython show runs, agents, terminals and plans of the client as a view, if they are the value of a cell."""
    shown: tuple[tuple[type, Callable[[Any], Bundle]], ...] = (
        (LiveRun, of_run),
        (AgentHandle, of_agent),
        (TerminalHandle, of_terminal),
        (PlanHandle, of_plan),
    )
    for kind, bundle in shown:
        shell.display_formatter.mimebundle_formatter.for_type(
            kind, lambda value, include=None, exclude=None, bundle=bundle: bundle(value)
        )

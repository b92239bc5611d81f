"""`jupyter cabinet agents | run | pause | resume`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ..agents.model import AgentDetail, AgentView, MemoryMatches
from ..client.api import Api, converted
from ..client.errors import CabinetError, RequestRefused
from ..core.plain_text import one_line, plain, table
from ..runs.settings import SandboxHealth
from ..runs.switch_model import Switch
from . import runs
from .printing import Printed, local_time
from .problems import CommandFailed

HOW_TO_CONFIRM = "A person has to confirm it in the browser, at {url}. See “Work with agents” in the documentation."

TEXT_CHARACTERS = 100  # characters of a text that are shown; --json has all of it


def listed(api: Api, given: argparse.Namespace) -> Printed:
    """`agents`"""
    value = api.get("agents")
    agents = converted(value["items"], list[AgentView])
    headings = ("AGENT", "STATUS", "SCHEDULE", "NEXT HEARTBEAT", "BUDGET", "REASON")
    lines = list(table(headings, [_row(agent) for agent in agents]))
    if not agents:
        lines = ["There are no agents yet. `jupyter cabinet agents new NAME --template research` creates one."]
    lines += [one_line(problem) for problem in value.get("problems", ())]
    lines += _off_switch(api)
    return Printed(value=value, lines=tuple(lines))


def shown(api: Api, given: argparse.Namespace) -> Printed:
    """`agents show SLUG`"""
    value = api.get(f"agents/{given.slug}")
    return Printed(value=value, lines=tuple(_described(converted(value, AgentDetail), api)))


def prompt(api: Api, given: argparse.Namespace) -> Printed:
    """`agents prompt SLUG`: the prompt that a heartbeat would receive now."""
    value = api.get(f"agents/{given.slug}/prompt")
    lines = [one_line(warning) for warning in value["warnings"]]
    return Printed(value=value, lines=(plain(value["system"]), "", plain(value["prompt"]), *lines))


def searched(api: Api, given: argparse.Namespace) -> Printed:
    """`agents search SLUG WORDS`: passages of the agent's memory with all of the words."""
    value = api.get(f"agents/{given.slug}/memory/search", q=" ".join(given.words), limit=given.limit)
    found = converted(value, MemoryMatches)
    lines = [f"{one_line(each.path)}:{each.line}  {one_line(each.excerpt)}" for each in found.items]
    if not lines:
        lines = ["No passage of the agent's memory has all of these words."]
    if found.left_out:
        lines.append(
            f"{found.left_out} files were not searched: they are too large, cannot be read, or are not indexed yet."
        )
    return Printed(value=value, lines=tuple(lines))


def made(api: Api, given: argparse.Namespace) -> Printed:
    """`agents new SLUG --template T`"""
    value = api.post("agents", {"slug": given.slug, "template": given.template})
    agent = converted(value, AgentDetail)
    first = f"The agent {agent.slug} was created. Its files are in .agents/{agent.slug}/."
    return Printed(value=value, lines=(first, *_what_to_confirm(agent, api)))


def started(api: Api, given: argparse.Namespace) -> Printed:
    """`run SLUG [INSTRUCTION]`: a heartbeat, or a single instruction."""
    try:
        value = _start(api, given.slug, given.instruction)
    except RequestRefused as failed:
        raise _explained(failed, api, given.slug) from failed
    return runs.started(api, value, wait=given.wait)


def reflected(api: Api, given: argparse.Namespace) -> Printed:
    """`agents reflect SLUG`: a reflection."""
    try:
        value = api.post(f"agents/{given.slug}/reflections")
    except RequestRefused as failed:
        raise _explained(failed, api, given.slug) from failed
    return runs.started(api, value, wait=given.wait)


def paused(api: Api, given: argparse.Namespace) -> Printed:
    """`pause [SLUG] [--now]`: one agent, or all work on this folder."""
    if given.slug is None:
        value = api.post("switch", {"paused": True, "now": given.now})
        ended = " The runs of this server were ended." if given.now else " Running work continues to its end."
        return Printed(value=value, lines=(f"Nothing new starts.{ended}",))
    value = api.post(f"agents/{given.slug}/pause", {})
    lines = [f"{given.slug} is paused: it starts no runs."]
    if given.now:
        for run in runs.unfinished(api, given.slug):
            api.post(f"runs/{run.id}/cancel")
            lines.append(f"Its run {run.id} was ended.")
        value = api.get(f"agents/{given.slug}")
    return Printed(value=value, lines=tuple(lines))


def resumed(api: Api, given: argparse.Namespace) -> Printed:
    """`resume [SLUG]`"""
    if given.slug is None:
        return Printed(value=api.post("switch", {"paused": False}), lines=("New work can start again.",))
    value = api.post(f"agents/{given.slug}/resume")
    agent = converted(value, AgentDetail)
    return Printed(value=value, lines=(f"{given.slug} is {_words(agent.status)}.", *_off_switch(api)))


def _start(api: Api, slug: str, instruction: str | None) -> Any:
    if instruction is None:
        return api.post(f"agents/{slug}/run")
    return api.post("runs", {"kind": "message", "agent": slug, "instruction": instruction})


def _explained(failed: RequestRefused, api: Api, slug: str) -> CabinetError:
    """Return what a person can do about an agent that does not act."""
    if failed.kind != "out_of_service":
        return failed
    agent = converted(api.get(f"agents/{slug}"), AgentDetail)
    hints = {
        "unconfirmed": HOW_TO_CONFIRM.format(url=api.server.browser_url),
        "paused": f"`jupyter cabinet resume {slug}` lets it work again.",
    }
    return CommandFailed(failed.message, hints.get(agent.status, ""), kind=failed.kind)


def _row(agent: AgentView) -> tuple[str, ...]:
    used = f"{agent.heartbeats_used}/{agent.budget}"
    return (agent.slug, _words(agent.status), agent.schedule, local_time(agent.next_heartbeat), used, agent.reason)


def _words(status: str) -> str:
    return status.replace("_", " ")


def _off_switch(api: Api) -> list[str]:
    """Only a caller who may read it receives it."""
    try:
        switch = converted(api.get("switch"), Switch)
    except RequestRefused as failed:
        if failed.kind != "not_allowed":
            raise
        return []
    if not switch.paused:
        return []
    return [f"All agents are paused by {one_line(switch.by)} since {local_time(switch.at)}: `jupyter cabinet resume`."]


def _sandbox(api: Api) -> str:
    """Return whether runs that start by themselves are isolated."""
    state = converted(api.get("health")["sandbox"], SandboxHealth)
    if state.setting != "never" and state.works:
        return "runs that start by themselves are isolated"
    return "not isolated: its runs have the power of the server's user"


def _described(agent: AgentDetail, api: Api) -> Iterator[str]:
    yield f"{one_line(agent.emoji)} {one_line(agent.name)} ({agent.slug}): {_words(agent.status)}".strip()
    facts = {
        "": agent.role,
        "Reason": agent.reason,
        "Runtime": agent.runtime or "the server's default",
        "Tools": "all of its CLI" if agent.tools is None else ", ".join(agent.tools) or "none",
        "Cabinet's tools": ", ".join(agent.own_tools),
        "Sandbox": _sandbox(api),
        "Schedule": agent.schedule,
        "Next": ", ".join(local_time(at) for at in agent.upcoming),
        "Budget": f"{agent.heartbeats_used} of {agent.budget} heartbeats this month, "
        f"{agent.cost_today_usd:.2f} USD today",
        "Plays": ", ".join(agent.plays),
    }
    yield from (f"  {name + ': ' if name else ''}{one_line(fact)}" for name, fact in facts.items() if fact)
    for goal in agent.goals:
        target = "" if goal.target is None else f" of {goal.target:g}"
        label = f", {goal.label}" if goal.label else ""
        yield f"  Goal {one_line(goal.metric)}: {goal.current:g}{target} {one_line(goal.unit)}{label}".rstrip()
    told = [*(error.message for error in agent.errors), *agent.unenforced, *agent.notes]
    yield from (f"  {one_line(each)}" for each in told)
    yield from _what_to_confirm(agent, api)


def _what_to_confirm(agent: AgentDetail, api: Api) -> Iterator[str]:
    if agent.confirmed or not agent.hash:
        return
    yield from ("", "The current version needs confirmation:")
    is_new = not any(each.before for each in agent.difference)
    for each in agent.difference:
        after = one_line(each.after, most=TEXT_CHARACTERS) or "(nothing)"
        before = "" if is_new else f"{one_line(each.before, most=TEXT_CHARACTERS) or '(nothing)'} → "
        yield f"  {one_line(each.what)}: {before}{after}"
    yield HOW_TO_CONFIRM.format(url=api.server.browser_url)

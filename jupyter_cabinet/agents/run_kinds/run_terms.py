"""The terms on which an agent's runs start, from its persona and the settings. Pure."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import msgspec

from ...core.people import Principal
from ...runs.kinds import Terms
from ...runs.model import PERSON, SCHEDULE
from ...runs.rules.budgets import Budget
from ..files.persona import Persona
from ..model import AgentRecord
from ..settings import AgentSettings

AGENT_ORIGIN = "agent"  # origin of a principal that represents an agent's owner without a request


def principal_of(record: AgentRecord) -> Principal:
    """Return the principal that is responsible for runs which the agent starts without a request: its owner."""
    return Principal(
        username=record.owner,
        display_name=record.owner,
        origin=AGENT_ORIGIN,
        shared_token=record.visibility == "server",
    )


def heartbeat_terms(persona: Persona, record: AgentRecord, settings: AgentSettings, principal: Principal) -> Terms:
    """Return the terms of a heartbeat, with the attempts that the persona allows.

    It may write the agent's memory, so it runs exclusively.
    """
    own = persona.timeout_seconds
    timeouts = (settings.heartbeat_seconds, settings.heartbeat_again_seconds) if own is None else (own,)
    return _terms(persona, record, principal, exclusive=True, max_attempts=persona.retries + 1, timeouts=timeouts)


def play_terms(
    persona: Persona, record: AgentRecord, principal: Principal, *, seconds: float, tools: tuple[str, ...] | None
) -> Terms:
    """Return the terms of a play: one attempt, which runs exclusively. `seconds`: its time limit.

    `tools`: limits the agent's tools to these; None: the play has no such list.
    """
    terms = _terms(persona, record, principal, exclusive=True, max_attempts=1, timeouts=(seconds,))
    return terms if tools is None else _with_fewer_tools(terms, tools)


def talk_terms(persona: Persona, record: AgentRecord, principal: Principal, *, seconds: float | None) -> Terms:
    """Return the terms of a run that a person waits for and that has no effects: one attempt, beside other runs.

    `seconds`: time limit; None: the default of `runs/`.
    """
    timeouts = () if seconds is None else (seconds,)
    return _terms(persona, record, principal, exclusive=False, max_attempts=1, timeouts=timeouts)


def reflection_terms(persona: Persona, record: AgentRecord, settings: AgentSettings, principal: Principal) -> Terms:
    """Return the terms of a reflection: it only answers. It has no tools and no network, and its CLI must keep that."""
    terms = talk_terms(persona, record, principal, seconds=persona.timeout_seconds or settings.heartbeat_seconds)
    return msgspec.structs.replace(
        terms, permission_mode="ask", allowed_tools=(), own_tools=(), network=(), allow_unenforced=False
    )


def budget_of(persona: Persona, settings: AgentSettings) -> Budget:
    """Return the agent's budget. There is always a limit on cost."""
    cost = settings.daily_cost_usd if persona.daily_cost_usd is None else persona.daily_cost_usd
    return Budget(heartbeats_per_month=persona.budget, runs_per_day=settings.runs_per_day, cost_per_day_usd=cost)


def zone_of(persona: Persona, settings: AgentSettings) -> ZoneInfo:
    """Return the time zone in which the agent's days begin."""
    return ZoneInfo(persona.timezone or settings.time_zone)


def _terms(
    persona: Persona,
    record: AgentRecord,
    principal: Principal,
    *,
    exclusive: bool,
    max_attempts: int,
    timeouts: tuple[float, ...],
) -> Terms:
    return Terms(
        agent=persona.slug,
        runtime=persona.runtime,
        model=persona.model,
        permission_mode=persona.permission_mode,
        allowed_tools=persona.tools(),
        cwd=persona.workdir or None,
        max_turns=persona.max_turns,
        runner=persona.runner,
        image=persona.docker_image or None,
        isolate=persona.isolate,
        own_tools=tuple(sorted(name.partition(":")[2] for name in persona.own_tools())),
        allow_unenforced=persona.allow_unenforced,
        network=persona.network,
        parallel=persona.max_parallel,
        exclusive=exclusive,
        priority=SCHEDULE if principal.origin == AGENT_ORIGIN else PERSON,
        max_attempts=max_attempts,
        timeouts=timeouts,
        owner=principal.username,
        visibility=record.visibility,
    )


def _with_fewer_tools(terms: Terms, tools: tuple[str, ...]) -> Terms:
    mine = terms.allowed_tools
    allowed = tools if mine is None else tuple(tool for tool in tools if tool in mine)
    return msgspec.structs.replace(terms, allowed_tools=allowed)

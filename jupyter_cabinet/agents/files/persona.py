"""A persona: the validated front matter of `persona.md`, which defines an agent and its permissions. Pure.

Every field is checked, and all errors are reported at once. Called by `agent_folders.py`. `powers.py` lists the fields
that need confirmation. `schedules/` parses `heartbeat` and `active_hours`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from ...runners.port import RunnerName
from ...runtimes.model import PermissionMode
from .persona_fields import FieldError, Fields
from .tool_grants import (
    BROWSER_ACTIONS,
    PRESET_ALIASES,
    PRESETS,
    PROPOSING,
    STARTING,
    BrowserAction,
    ToolPreset,
    cli_tools,
    own_tools,
)

AgentType = Literal["lead", "specialist", "support"]
GoalPeriod = Literal["daily", "weekly", "monthly"]

DEFAULT_HEARTBEAT = "0 8 * * *"
DEFAULT_BUDGET = 100  # heartbeats in a calendar month
DEFAULT_RETRIES = 2
DEFAULT_EMOJI = "🤖"

# Names of runtimes in other installations -> names in `runtimes/registry.py`.
RUNTIME_ALIASES = {
    "claude-code": "claude",
    "claude-cli": "claude",
    "codex-cli": "codex",
    "gemini-cli": "gemini",
    "open-code": "opencode",
    "open-claw": "openclaw",
}
ALIASES = {"provider": "runtime", "timeout": "timeout_seconds"}
# Parts of the field `heartbeat` in other installations -> fields of a persona.
HEARTBEAT_PARTS = {
    "enabled": "heartbeat_enabled",
    "interval": "heartbeat",
    "cron": "heartbeat",
    "activeHours": "active_hours",
    "active_hours": "active_hours",
    "timezone": "timezone",
}


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """A number to reach in each period. `floor`: people are notified below it. `stretch`: an optional higher target.

    `current`: the value when the persona was written; `goals.json` has the present one.
    """

    metric: str
    target: float
    current: float = 0
    unit: str = ""
    period: GoalPeriod = "weekly"
    floor: float | None = None
    stretch: float | None = None


class Persona(msgspec.Struct, frozen=True, kw_only=True):
    """A valid persona. None means the server's setting or default."""

    slug: str
    name: str
    role: str = ""
    emoji: str = DEFAULT_EMOJI
    department: str = "general"
    type: AgentType = "specialist"
    tags: tuple[str, ...] = ()
    active: bool = True
    runtime: str | None = None  # a name in `runtimes/registry.py`
    model: str | None = None
    permission_mode: PermissionMode = "edit"
    tool_preset: ToolPreset | None = None
    allowed_tools: tuple[str, ...] | None = None
    allow_unenforced: bool = False  # it may run on a CLI that cannot enforce these limits
    max_turns: int | None = None  # None: the server's setting
    max_parallel: int = 1  # runs in different sessions; runs that write its memory never overlap
    retries: int = DEFAULT_RETRIES  # attempts after the first one
    timeout_seconds: float | None = None
    heartbeat: str = DEFAULT_HEARTBEAT  # as written: cron, an @alias, or `every 4h`
    heartbeat_enabled: bool = True
    heartbeat_mode: Literal["always", "when_needed"] = "always"
    heartbeat_session: Literal["fresh", "keep"] = "fresh"
    reflection: Literal["off", "propose"] = "off"  # propose: it reflects by itself after several runs
    post_to: str = ""  # name of the chats to which the answers of its heartbeats go
    timezone: str | None = None  # an IANA name
    active_hours: str | None = None  # as written, such as `mon-fri 09:00-17:30`
    budget: int = DEFAULT_BUDGET  # heartbeats in a calendar month; 0 means none
    daily_cost_usd: float | None = None
    runner: RunnerName | None = None  # where its runs start; None: the server's setting decides
    docker_image: str = ""  # of containers in which its runs work; empty: the server's
    isolate: bool = False  # its runs work in a sandbox or not at all; False: the server's setting decides
    network: tuple[str, ...] = ()  # in a sandbox: hosts beyond its model service, "packages" or "open"
    workdir: str = ""  # a path below the root; empty: the root
    focus: tuple[str, ...] = ()  # paths of pages
    goals: tuple[Goal, ...] = ()
    plays: tuple[str, ...] = ()  # slugs
    skills: tuple[str, ...] = ()
    tool_servers: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()  # names of chats to which it may post; empty: all
    starts_agents: bool = False  # it may start other agents by Cabinet's tools
    browser_actions: tuple[BrowserAction, ...] = ()  # what it may ask of a person's browser by Cabinet's tools
    proposes_tool_servers: bool = False  # it may propose tool servers, which do nothing before a person approves them
    body: str = ""
    unknown: dict[str, Any] = {}  # unknown fields, as they were read; a save keeps them

    def tools(self) -> tuple[str, ...] | None:
        """Return the CLI's tools that the agent may use, by Claude Code's names. None: all; empty: none."""
        return cli_tools(self.tool_preset, self.allowed_tools)

    def own_tools(self) -> frozenset[str]:
        """Return the names of the groups of Cabinet's tools that the agent may use, such as `cabinet:memory`.

        Its preset or its list of tools grants some; without either, it has none of these. The fields `starts_agents`,
        `browser_actions` and `proposes_tool_servers` grant the others.
        """
        more = frozenset(f"cabinet:{action}" for action in self.browser_actions)
        if self.starts_agents:
            more |= {STARTING}
        if self.proposes_tool_servers:
            more |= {PROPOSING}
        return own_tools(self.tool_preset, self.allowed_tools) | more


class Validated(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a validation: a persona, or one error for each wrong field.

    `notes`: sentences for people that do not prevent the use of the persona.
    """

    persona: Persona | None
    errors: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()


def validate(fields: Mapping[str, Any], body: str, *, slug: str, file: str) -> Validated:
    """Validate front matter as `front_matter.read` returns it, and return the persona or all errors. Never raises.

    `file`: its name in errors. The syntax of `heartbeat` and `active_hours` is not checked here.
    """
    given = Fields(expanded(fields), known=_known(fields), aliases=_aliases(fields), file=file)
    values = {**_identity(given, slug), **_work(given), **_tools(given), **_schedule(given), **_assigned(given)}
    notes = tuple(f"{file}: {name} is not a field of an agent here. It is kept." for name in given.unknown)
    if given.errors:
        return Validated(persona=None, errors=tuple(given.errors), notes=notes)
    return Validated(persona=Persona(slug=slug, body=body, unknown=given.unknown, **values), notes=notes)


def spellings(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return how a file spells its fields: name of the persona's field -> name in the file."""
    return Fields(fields, known=_known(fields), aliases=_aliases(fields), file="").spellings


def spelled(changes: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes of a persona with the field names of the file.

    If `heartbeat` changes, the other parts of a `heartbeat` group become separate fields, so that they are kept.
    """
    if "heartbeat" in changes:
        parts = {name: value for name, value in expanded(fields).items() if name not in fields}
        changes = {**parts, **changes}
    names = spellings(fields)
    return {names.get(name, name): value for name, value in changes.items()}


def expanded(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return front matter with the parts of a group `heartbeat: {enabled: true, interval: 4h}` as fields.

    A field outside the group takes precedence. A group with unknown parts is left as it is, which leads to an error.
    """
    group = fields.get("heartbeat")
    if not isinstance(group, Mapping) or not group or not group.keys() <= HEARTBEAT_PARTS.keys():
        return dict(fields)
    others = {name: value for name, value in fields.items() if name != "heartbeat"}
    said = spellings(others)
    parts = {HEARTBEAT_PARTS[part]: value for part, value in group.items() if HEARTBEAT_PARTS[part] not in said}
    return {**others, **parts}


def _aliases(fields: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the aliases of fields. Other installations have `description` instead of `role`."""
    return ALIASES if "role" in fields else {**ALIASES, "description": "role"}


def _known(fields: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of known fields. Other installations have a group `reflection`, which is kept and not used."""
    return KNOWN - {"reflection"} if isinstance(fields.get("reflection"), Mapping) else KNOWN


def _identity(given: Fields, slug: str) -> dict[str, Any]:
    return {
        "name": given.text("name", slug, longest=200, least=1),
        "role": given.text("role", "", longest=2000),
        "emoji": given.text("emoji", DEFAULT_EMOJI, longest=32),
        "department": given.text("department", "general", longest=100),
        "type": given.choice("type", "specialist", ("lead", "specialist", "support")),
        "tags": given.texts("tags"),
        "active": given.boolean("active", True),
    }


def _work(given: Fields) -> dict[str, Any]:
    return {
        "runtime": given.slug("runtime", RUNTIME_ALIASES),
        "model": given.optional_text("model", longest=200),
        "permission_mode": given.choice("permission_mode", "edit", ("ask", "edit", "bypass")),
        "allow_unenforced": given.boolean("allow_unenforced", False),
        "max_turns": given.optional_integer("max_turns", least=1, most=10_000),
        "max_parallel": given.integer("max_parallel", 1, least=1, most=20),
        "retries": given.integer("retries", DEFAULT_RETRIES, least=0, most=10),
        "timeout_seconds": given.optional_number("timeout_seconds", least=1, most=86_400),
        "budget": given.integer("budget", DEFAULT_BUDGET, least=0, most=1_000_000),
        "daily_cost_usd": given.optional_number("daily_cost_usd", least=0, most=1_000_000),
        "runner": given.choice("runner", None, ("local", "dask", "docker")),
        "docker_image": given.image("docker_image"),
        "isolate": given.boolean("isolate", False),
        "network": given.hosts("network"),
        "workdir": given.folder("workdir"),
    }


def _tools(given: Fields) -> dict[str, Any]:
    preset = given.choice("tool_preset", None, (*PRESETS, "custom"), PRESET_ALIASES)
    tools = given.texts("allowed_tools") if given.has("allowed_tools") else None
    if preset == "custom" and tools is None:
        given.refuse("tool_preset", "custom needs the list allowed_tools")
    if preset in PRESETS and tools is not None:
        given.refuse("allowed_tools", f"this list goes with tool_preset: custom, not with {preset}; remove one of them")
    return {
        "tool_preset": preset,
        "allowed_tools": tools,
        "starts_agents": given.boolean("starts_agents", False),
        "browser_actions": _browser_actions(given),
        "proposes_tool_servers": given.boolean("proposes_tool_servers", False),
    }


def _browser_actions(given: Fields) -> tuple[str, ...]:
    found = given.texts("browser_actions")
    if unknown := [each for each in found if each not in BROWSER_ACTIONS]:
        given.refuse("browser_actions", f"{unknown[0]} is none of {', '.join(BROWSER_ACTIONS)}")
    return tuple(each for each in BROWSER_ACTIONS if each in found)


def _schedule(given: Fields) -> dict[str, Any]:
    return {
        "heartbeat": given.text("heartbeat", DEFAULT_HEARTBEAT, longest=200, least=1),
        "heartbeat_enabled": given.boolean("heartbeat_enabled", True),
        "heartbeat_mode": given.choice("heartbeat_mode", "always", ("always", "when_needed")),
        "heartbeat_session": given.choice("heartbeat_session", "fresh", ("fresh", "keep")),
        "reflection": given.choice("reflection", "off", ("off", "propose")),
        "post_to": given.slug("post_to", {}) or "",
        "timezone": given.timezone("timezone"),
        "active_hours": given.optional_text("active_hours", longest=200, least=1),
    }


def _assigned(given: Fields) -> dict[str, Any]:
    return {
        "focus": given.paths("focus"),
        "goals": _goals(given),
        "plays": given.slugs("plays"),
        "skills": given.slugs("skills"),
        "tool_servers": given.slugs("tool_servers"),
        "channels": tuple(name.removeprefix("#") for name in given.texts("channels")),
    }


def _goals(given: Fields) -> tuple[Goal, ...]:
    groups = given.mappings("goals", GOAL_FIELDS)
    goals = tuple(goal for each in groups if (goal := _goal(each)) is not None)
    given.errors.extend(error for each in groups for error in each.errors)
    metrics = [goal.metric for goal in goals]
    for metric in sorted({metric for metric in metrics if metrics.count(metric) > 1}):
        given.refuse("goals", f"the metric {metric} is there twice")
    return goals


def _goal(given: Fields) -> Goal | None:
    values: dict[str, Any] = {
        "metric": given.required_text("metric", longest=100),
        "target": given.required_number("target"),
        "current": given.optional_number("current") or 0,
        "unit": given.text("unit", "", longest=50),
        "period": given.choice("period", "weekly", ("daily", "weekly", "monthly")),
        "floor": given.optional_number("floor"),
        "stretch": given.optional_number("stretch"),
    }
    return None if given.errors else Goal(**values)


GOAL_FIELDS = frozenset(Goal.__struct_fields__)
KNOWN = frozenset(Persona.__struct_fields__) - {"slug", "body", "unknown"}

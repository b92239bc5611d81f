"""Converts an agent of an orchestrator, with its earlier souls and its skills. Pure.

The agent is a folder of texts. The orchestrator keeps the settings of all agents in `config.json`, their skills in
`skills/`, and facts about people in `USER.md`, beside the folder `agents`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from ...agents.files.safe_files import PERSONA
from ...core.errors import CabinetError
from ...core.plain_text import one_line
from ...core.slugs import is_slug
from ...schedules.schedule_parser import parse_active_hours, parse_heartbeat
from . import sections
from .conversion import MAX_BODY_PART_BYTES, Conversion, Converted, slug_of
from .source import COMMANDS, CONFIGURATION, SKILLS, USER, Source, not_accepted

PARTS = frozenset(
    {"soul.md", "identity.md", "heartbeat.md", "tools.md", "memory.md", "soul-history", "tools-history", "memory"}
)
ACTIVE, WAITING = f"{SKILLS}/active/", (f"{SKILLS}/pending/", f"{SKILLS}/disabled/")
# Their own tool servers. Here the tool preset grants the tools that correspond to them.
OWN_SERVERS = frozenset({"memory", "sessions", "messaging", "mcp-manager", "platform", "admin"})
NO_EQUIVALENT: Mapping[str, str] = {
    "notifications": "Cabinet notifies you in JupyterLab. Chats are added in the tab Channels.",
    "mcpServers": COMMANDS,
    "mcp_servers": COMMANDS,
    "admin": "An import never makes an agent an administrator.",
}
IS_AGENT = f"it has a {PERSONA}, so that it is an agent of Cabinet or of a knowledge base. Move it to .agents/ instead"
NOT_ASSIGNED = "The agent does not list it."
NOT_APPROVED = "It was not approved there."
NO_SETTINGS = "The agent has no schedule, and the default tools, because no settings of it were found."
PLAN = "Copy what is still to be done into a plan or a task."

_TOOL = re.compile(r"[A-Z][A-Za-z]{1,40}(\(.{1,200}\))?")


def is_orchestrator(source: Source, names: frozenset[str]) -> bool:
    """Return whether this is the folder of an orchestrator's agent. `names`: of what is in it, in lowercase."""
    return bool(source.agent) or len(PARTS & names) > 1 or "soul.md" in names


def converted(source: Source) -> Converted:
    """Return the agent. Raises `Invalid` if nothing of it can be used, or if it is an agent of Cabinet."""
    if f"{source.agent}{PERSONA}" in source.files:
        raise not_accepted(IS_AGENT)
    return _Orchestrator(source).converted()


class _Orchestrator:
    """One conversion. `folder`: of the agent, in the source."""

    def __init__(self, source: Source) -> None:
        self._conversion = Conversion(source)
        self._folder = source.agent
        self._name = source.agent.split("/")[1] if source.agent else source.name
        self._settings = self._configured()

    def converted(self) -> Converted:
        conversion, folder = self._conversion, self._folder
        for name in ("SOUL.md", "TOOLS.md", "HEARTBEAT.md"):
            conversion.steering(name, folder)
        title, body = self._identity()
        conversion.memory(folder)
        conversion.history(f"{folder}soul-history/", "SOUL.md")
        conversion.history(f"{folder}tools-history/", "TOOLS.md")
        conversion.about_people(conversion.find(USER))
        for name in ("PLAN.md", "progress.md"):
            if (path := conversion.find(name, folder)) is not None:
                conversion.leaves(path, PLAN)
        slug = slug_of(self._name, slug_of(title, "agent"))
        fields = {"name": title or slug, **self._fields()}
        return conversion.finished("orchestrator", slug, fields, body)

    def _configured(self) -> dict[str, Any]:
        """Return the settings of the agent; empty if there are none."""
        path = self._conversion.find(CONFIGURATION)
        text = self._conversion.text(path, MAX_BODY_PART_BYTES)
        if path is None or text is None:
            return {}
        try:
            whole = msgspec.json.decode(text.encode())
        except (msgspec.DecodeError, RecursionError):
            self._conversion.leaves(path, "It cannot be read as JSON.")
            return {}
        agents = whole.get("agents") if isinstance(whole, dict) else None
        settings = agents.get(self._name) if isinstance(agents, dict) else None
        if not isinstance(settings, dict):
            self._conversion.leaves(path, f"It has no settings of the agent {one_line(self._name, most=80)}.")
            return {}
        self._conversion.becomes(path, "settings in persona.md", "Only those of this agent.")
        return settings

    def _identity(self) -> tuple[str, str]:
        """Return the name and the instructions."""
        path = self._conversion.find("IDENTITY.md", self._folder)
        text = self._conversion.text(path, MAX_BODY_PART_BYTES)
        if path is None or text is None:
            return one_line(self._name, most=200), ""
        self._conversion.becomes(path, "instructions in persona.md")
        title = next((each.title for each in sections.split(text, 1) if each.title), self._name)
        return one_line(title, most=200), text

    # --- settings ----------------------------------------------------------------------------

    def _fields(self) -> dict[str, Any]:
        """Return the fields of the persona. What cannot be one becomes a row."""
        settings = self._settings
        names = {"name": "name", "description": "role", "model": "model", "maxTurns": "max_turns"}
        fields = {names[name]: value for name, value in settings.items() if name in names}
        fields = {name: one_line(value) if isinstance(value, str) else value for name, value in fields.items()}
        fields |= self._schedule(settings.get("heartbeat"))
        fields |= self._tools(settings)
        fields |= self._servers(settings.get("mcp"))
        fields |= self._skills(settings.get("skills"))
        reflection = settings.get("reflection")
        if isinstance(reflection, dict) and reflection.get("enabled") is True:
            fields["reflection"] = "propose"
        for name in sorted(settings.keys() - {*names, "heartbeat", "toolPreset", "tools", "allowedTools", *_GROUPS}):
            self._leaves(name, NO_EQUIVALENT.get(name, "It has no equivalent here."))
        if not settings:
            self._conversion.leaves("settings", NO_SETTINGS)
        return fields

    def _schedule(self, group: object) -> dict[str, Any]:
        if not isinstance(group, dict) or group.get("enabled") is not True:
            return {"heartbeat_enabled": False}
        interval, hours = group.get("interval", group.get("cron")), group.get("activeHours")
        zone = group.get("timezone")
        fields: dict[str, Any] = {}
        try:
            parse_heartbeat(_string(interval), default_zone=_string(zone) or "UTC")
            fields["heartbeat"] = one_line(_string(interval))
        except CabinetError as error:
            self._leaves("heartbeat", error.message)
            return {"heartbeat_enabled": False}
        if isinstance(zone, str):
            fields["timezone"] = zone
        if hours is not None:
            try:
                parse_active_hours(_string(hours), default_zone="UTC")
                fields["active_hours"] = one_line(_string(hours))
            except CabinetError as error:
                self._leaves("heartbeat.activeHours", error.message)
                fields["heartbeat_enabled"] = False  # otherwise it would also work at night
        return fields

    def _tools(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        preset = settings.get("toolPreset")
        if preset != "custom":
            return {"tool_preset": preset} if preset is not None else {}
        listed = settings.get("allowedTools", settings.get("tools"))
        given = listed if isinstance(listed, list) else []
        tools = [each for each in given if isinstance(each, str) and each.isprintable() and _TOOL.fullmatch(each)]
        if len(tools) < len(given):
            self._leaves("allowedTools", "Tools of tool servers are granted by listing the tool server.")
        return {"tool_preset": "custom", "allowed_tools": tools}

    def _servers(self, listed: object) -> dict[str, Any]:
        names = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
        kept = [name for name in dict.fromkeys(names) if is_slug(name) and name not in OWN_SERVERS]
        if any(name in OWN_SERVERS for name in names):
            self._leaves("mcp", "The orchestrator's own tool servers. Cabinet's tools follow from the tool preset.")
        if any(not is_slug(name) for name in names):
            self._leaves("mcp", "A tool server in it has a name that is not valid here.")
        return {"tool_servers": kept} if kept else {}

    def _skills(self, listed: object) -> dict[str, Any]:
        """Take the skills that the agent lists, and those in its own folder."""
        names = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
        conversion = self._conversion
        own = conversion.skills_in(f"{self._folder}{SKILLS}/") if self._folder else []
        shared = conversion.skills_in(ACTIVE)
        loose = [each for each in conversion.skills_in() if each not in (ACTIVE, *WAITING)]
        for folder in own if self._folder else loose:
            conversion.skill(folder)
        for folder in (*shared, *(loose if self._folder else ())):
            if folder.rstrip("/").rpartition("/")[2] in names:
                conversion.skill(folder)
            else:
                conversion.leaves(folder, NOT_ASSIGNED)
        for folder in (each for waiting in WAITING for each in conversion.skills_in(waiting)):
            conversion.leaves(folder, NOT_APPROVED)
        kept = [name for name in dict.fromkeys(names) if is_slug(name)]
        every = list(dict.fromkeys((*kept, *sorted(conversion.skills))))
        return {"skills": every} if every else {}

    def _leaves(self, setting: str, why: str) -> None:
        self._conversion.leaves(f"{CONFIGURATION}, {one_line(setting, most=80)}", why)


_GROUPS = ("reflection", "mcp", "skills")


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""

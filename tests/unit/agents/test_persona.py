"""A persona is its front matter, checked field by field; every error names file, field and what was expected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.files import front_matter, persona
from jupyter_cabinet.agents.files.persona import Goal, Persona
from jupyter_cabinet.agents.files.tool_grants import (
    DEFAULT_TOOLS,
    MEMORY,
    MESSAGING,
    OWN_TOOLS,
    PRESETS,
    SESSIONS,
    STARTING,
)
from jupyter_cabinet.runtimes.shared import tool_names
from jupyter_cabinet.schedules.rules import Every
from jupyter_cabinet.schedules.schedule_parser import parse_heartbeat
from jupyter_cabinet.schedules.words import in_words

FILE = ".agents/ada/persona.md"
# What the form of a persona takes as given, too.
RULES = json.loads((Path(__file__).parents[2] / "fixtures" / "rules" / "persona.json").read_text())


def validated(written: str) -> persona.Validated:
    found = front_matter.read(f"---\n{written}\n---\nDo the books.\n", file=FILE)
    return persona.validate(found.fields, found.body, slug="ada", file=FILE)


def valid(written: str) -> Persona:
    result = validated(written)
    assert result.errors == ()
    assert result.persona is not None
    return result.persona


def errors(written: str) -> dict[str, str]:
    result = validated(written)
    assert result.persona is None
    assert all(error.message.startswith(f"{FILE}, field {error.field}: ") for error in result.errors)
    return {error.field: error.message for error in result.errors}


def test_absent_fields_have_the_defaults_of_the_format() -> None:
    ada = valid("")
    assert ada == Persona(slug="ada", name="ada", body="Do the books.\n")
    assert (ada.heartbeat, ada.budget, ada.active) == ("0 8 * * *", 100, True)
    assert (ada.type, ada.department, ada.emoji) == ("specialist", "general", "🤖")
    assert (ada.heartbeat_mode, ada.heartbeat_session, ada.allow_unenforced) == ("always", "fresh", False)
    assert ada.tools() == ("Read", "Write", "Edit", "Glob", "Grep", "WebSearch", "WebFetch")
    assert ada.own_tools() == frozenset()


def test_every_field_is_read() -> None:
    ada = valid(
        """
name: Ada L.
role: Keeps the books
runtime: codex
model: gpt
heartbeat: every 4h
timezone: Europe/Paris
active: false
heartbeat_enabled: false
heartbeat_mode: when_needed
heartbeat_session: keep
active_hours: 22:00-06:00
budget: 0
daily_cost_usd: 1.5
network: [packages, "*.example.com", "data.example.net:8443", none]
workdir: books/2026
focus: [notes/ledger, /data/plan.md]
goals:
  - {metric: posts, target: 3, current: 1, unit: posts, period: weekly, floor: 1, stretch: 5}
  - {metric: errors, target: 0}
plays: [close-the-day]
skills: [ledger]
tags: [a, 2026]
emoji: 📚
department: finance
type: lead
channels: ['#books', general]
permission_mode: ask
tool_preset: coding
max_turns: 7
max_parallel: 2
retries: 0
timeout_seconds: 60
allow_unenforced: true
"""
    )
    assert ada == Persona(
        slug="ada",
        name="Ada L.",
        role="Keeps the books",
        runtime="codex",
        model="gpt",
        heartbeat="every 4h",
        timezone="Europe/Paris",
        active=False,
        heartbeat_enabled=False,
        heartbeat_mode="when_needed",
        heartbeat_session="keep",
        active_hours="22:00-06:00",
        budget=0,
        daily_cost_usd=1.5,
        network=("packages", "*.example.com", "data.example.net:8443"),
        workdir="books/2026",
        focus=("notes/ledger", "plan.md"),
        goals=(
            Goal(metric="posts", target=3, current=1, unit="posts", period="weekly", floor=1, stretch=5),
            Goal(metric="errors", target=0),
        ),
        plays=("close-the-day",),
        skills=("ledger",),
        tags=("a", "2026"),
        emoji="📚",
        department="finance",
        type="lead",
        channels=("books", "general"),
        permission_mode="ask",
        tool_preset="coding",
        max_turns=7,
        max_parallel=2,
        retries=0,
        timeout_seconds=60,
        allow_unenforced=True,
        body="Do the books.\n",
    )


def test_camel_case_and_other_names_of_existing_installations_are_read() -> None:
    ada = valid(
        "provider: claude-code\ntoolPreset: potato\nmaxTurns: 3\nheartbeatEnabled: false\nactiveHours: 9:00-24:00"
    )
    assert (ada.runtime, ada.tool_preset, ada.max_turns) == ("claude", "none", 3)
    assert (ada.heartbeat_enabled, ada.active_hours) == (False, "9:00-24:00")
    written = {"provider": "x", "toolPreset": "y", "name": "z", "odd": 1}
    assert persona.spellings(written) == {"runtime": "provider", "tool_preset": "toolPreset", "name": "name"}


def test_a_description_is_the_role_of_an_agent_that_names_none() -> None:
    ada = valid("description: Keeps the books")
    assert (ada.role, ada.unknown) == ("Keeps the books", {})
    ada = valid("description: A long text\nrole: Keeps the books")
    assert (ada.role, ada.unknown) == ("Keeps the books", {"description": "A long text"})
    assert persona.spelled({"role": "x"}, {"description": "y"}) == {"description": "x"}


def test_the_parts_of_a_heartbeat_are_read_as_fields() -> None:
    ada = valid("heartbeat: {enabled: false, interval: 4h, activeHours: 9-17}\ntimezone: UTC")
    assert (ada.heartbeat, ada.heartbeat_enabled, ada.active_hours, ada.timezone) == ("4h", False, "9-17", "UTC")
    ada = valid("heartbeat: {enabled: true}\nheartbeatEnabled: false")
    assert (ada.heartbeat, ada.heartbeat_enabled) == ("0 8 * * *", False)
    assert "a text of 1 to 200" in errors("heartbeat: {interval: 4h, jitter: 5}")["heartbeat"]
    assert "true or false" in errors("heartbeat: {enabled: 1}")["heartbeat_enabled"]


def test_another_heartbeat_keeps_the_other_parts_of_a_group() -> None:
    written = {"heartbeat": {"enabled": False, "interval": "4h"}, "name": "Ada"}
    assert persona.spelled({"heartbeat": "every 1h"}, written) == {"heartbeat": "every 1h", "heartbeat_enabled": False}
    assert persona.spelled({"name": "A"}, written) == {"name": "A"}


def test_a_field_in_two_spellings_is_an_error() -> None:
    assert "as provider and as runtime" in errors("provider: claude-code\nruntime: codex")["runtime"]


@pytest.mark.parametrize(
    ("written", "name"),
    [("claude-code", "claude"), ("gemini-cli", "gemini"), ("claude", "claude"), ("acp-pi", "acp-pi")],
)
def test_runtimes_are_named_as_the_registry_does(written: str, name: str) -> None:
    assert valid(f"runtime: {written}").runtime == name


def test_an_image_is_named_as_docker_does_and_names_nothing_else_there() -> None:
    for name in ("agents", "example.org:5000/team/r-agents:2", "agents@sha256:" + "0" * 64):
        assert valid(f"docker_image: {name}").docker_image == name
    for name in ("a/../../containers/x", "a//b", "a/", "-a", "a b", "http://a", "${HOME}"):
        assert "the name of an image was expected" in errors(f"docker_image: '{name}'")["docker_image"]


def test_unknown_fields_are_kept_and_noted() -> None:
    result = validated("name: Ada\nsetupComplete: true\nextra: {a: [1]}")
    assert result.persona is not None
    assert result.persona.unknown == {"setupComplete": True, "extra": {"a": [1]}}
    assert [note.split(": ")[1].split(" is ")[0] for note in result.notes] == ["setupComplete", "extra"]


@pytest.mark.parametrize(
    ("written", "tools", "own"),
    [
        ("tool_preset: none", (), frozenset()),
        ("tool_preset: potato", (), frozenset()),
        ("tool_preset: coding", ("Read", "Edit", "Write", "Bash", "Glob", "Grep"), {MEMORY, SESSIONS}),
        ("tool_preset: messaging", (), OWN_TOOLS),
        ("tool_preset: full", None, OWN_TOOLS),
        ("tool_preset: custom\nallowed_tools: [Read, 'cabinet:messaging']", ("Read",), {MESSAGING}),
        ("allowed_tools: [Read]", ("Read",), frozenset()),
        ("allowed_tools: []", (), frozenset()),
        ("tool_preset:\nallowed_tools:", DEFAULT_TOOLS, frozenset()),
        ("tool_preset: full\nstarts_agents: true", None, OWN_TOOLS | {STARTING}),
        ("allowed_tools: [Read]\nstarts_agents: true", ("Read",), {STARTING}),
        ("tool_preset: none\nstarts_agents: true", (), {STARTING}),
    ],
)
def test_presets_and_lists_say_which_tools_an_agent_has(
    written: str, tools: tuple[str, ...] | None, own: frozenset[str]
) -> None:
    assert valid(written).tools() == tools
    assert valid(written).own_tools() == own


def test_only_what_somebody_chose_has_a_shell() -> None:
    assert [name for name, (tools, _own) in PRESETS.items() if tools is None or "Bash" in tools] == ["coding", "full"]
    assert "Bash" not in DEFAULT_TOOLS


@pytest.mark.parametrize("written", ["", "/data", "/data/", "/", "."])
def test_the_root_is_the_directory_of_who_names_none(written: str) -> None:
    assert valid(f"workdir: {written}").workdir == ""


@pytest.mark.parametrize(("written", "folder"), [("/data/a/b", "a/b"), ("a/./b/", "a/b"), ("data", "data")])
def test_a_directory_lies_below_the_root(written: str, folder: str) -> None:
    assert valid(f"workdir: {written}").workdir == folder


@pytest.mark.parametrize(
    "written", ["..", "../x", "/etc", "/data/../etc", "/database", ".cabinet", "a/../../b", "/data//etc/.."]
)
def test_a_directory_outside_is_an_error_of_that_field(written: str) -> None:
    assert "below the server's root folder" in errors(f"workdir: {written}")["workdir"]


@pytest.mark.parametrize(
    ("written", "field", "expected"),
    [
        ("name: [a]", "name", "a text of 1 to 200 characters"),
        ("name: ''", "name", "a text of 1 to 200 characters"),
        ("name: true", "name", "a text"),
        ("role: {a: 1}", "role", "a text of at most 2000 characters"),
        ("heartbeat: ''", "heartbeat", "a text of 1 to 200"),
        (f"heartbeat: {'x' * 201}", "heartbeat", "a text of 1 to 200"),
        ("heartbeat: [1]", "heartbeat", "a text"),
        ("active: no", "active", "true or false"),
        ("active: 1", "active", "true or false"),
        ("budget: -1", "budget", "a whole number of 0"),
        ("budget: 1.5", "budget", "a whole number"),
        ("budget: true", "budget", "a whole number"),
        ("budget: many", "budget", "a whole number"),
        ("daily_cost_usd: -1", "daily_cost_usd", "a number of 0"),
        ("daily_cost_usd: cheap", "daily_cost_usd", "a number was expected"),
        ("timeout_seconds: true", "timeout_seconds", "a number was expected"),
        ("timeout_seconds: 90000", "timeout_seconds", "to 86400"),
        ("type: boss", "type", "one of lead, specialist, support"),
        ("type: [lead]", "type", "one of lead"),
        ("permission_mode: yolo", "permission_mode", "one of ask, edit, bypass"),
        ("tool_preset: all", "tool_preset", "one of none, coding, messaging, full, custom"),
        ("tool_preset: custom", "tool_preset", "needs the list allowed_tools"),
        ("tool_preset: coding\nallowed_tools: []", "allowed_tools", "remove one of them"),
        ("allowed_tools: Read", "allowed_tools", "a list"),
        ("allowed_tools: [true]", "allowed_tools", "a list"),
        ("allowed_tools: ['']", "allowed_tools", "a list"),
        (f"tags: [{', '.join(['a'] * 101)}]", "tags", "at most 100"),
        ("runtime: Claude Code", "runtime", "lowercase letters"),
        ("runtime: [a]", "runtime", "a text"),
        ("plays: [Close The Day]", "plays", "Close The Day is not a valid name"),
        ("skills: [../x]", "skills", "not a valid name"),
        ("focus: [ok, ../x]", "focus", "below the server's root folder"),
        ("timezone: Mars/Base", "timezone", "not a time zone"),
        ("timezone: ../etc/passwd", "timezone", "not a time zone"),
        ("timezone: Europe", "timezone", "not a time zone"),
        ("active_hours: [9, 17]", "active_hours", "a text of 1 to 200"),
        ("active_hours: ''", "active_hours", "a text of 1 to 200"),
        ("goals: posts", "goals", "a list of at most 100 groups"),
        ("goals: [posts]", "goals", "groups of fields"),
        ("goals: [{target: 1}]", "goals[1].metric", "must be there"),
        ("goals: [{metric: a}]", "goals[1].target", "must be there"),
        ("goals: [{metric: a, target: b}]", "goals[1].target", "a number"),
        ("goals: [{metric: b, target: 1}, {metric: a, target: 1, period: yearly}]", "goals[2].period", "one of daily"),
        ("goals: [{metric: a, target: 1}, {metric: a, target: 2}]", "goals", "the metric a is there twice"),
    ],
)
def test_a_wrong_field_says_what_was_expected(written: str, field: str, expected: str) -> None:
    assert expected in errors(written)[field]


def test_all_errors_are_told_at_once() -> None:
    found = errors("budget: -1\nactive: maybe\nworkdir: ..\ngoals: [{metric: a}, {target: 1}]")
    assert list(found) == ["active", "budget", "workdir", "goals[1].target", "goals[2].metric"]


def test_a_whole_number_may_be_written_as_a_decimal() -> None:
    assert valid("budget: 5.0").budget == 5


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(), each, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(sorted(persona.KNOWN)) | st.text(), JSON, max_size=8))
def test_any_fields_are_a_persona_or_errors(fields: dict[str, Any]) -> None:
    result = persona.validate(fields, "", slug="ada", file=FILE)
    assert (result.persona is None) == bool(result.errors)


def test_the_form_knows_the_spellings_of_fields() -> None:
    for name, spellings in RULES["spellings"].items():
        assert [persona.spellings({spelling: 1}) for spelling in spellings] == [{name: each} for each in spellings]


@pytest.mark.parametrize("preset", RULES["tools"])
def test_the_form_knows_the_tools_of_each_preset(preset: str) -> None:
    agent = valid(f"tool_preset: {preset}")
    tools = tool_names.KNOWN if agent.tools() is None else agent.tools()
    assert {*(tools or ()), *agent.own_tools()} == set(RULES["tools"][preset])


@pytest.mark.parametrize(("heartbeat", "kind"), RULES["schedules"].items())
def test_the_form_knows_what_a_heartbeat_means(heartbeat: str, kind: str) -> None:
    schedule = parse_heartbeat(heartbeat, default_zone="UTC")
    words = in_words(schedule)
    every_day, weekdays = words.startswith("every day at"), words.startswith("every weekday at")
    assert [isinstance(schedule, Every), every_day, weekdays] == [
        kind == "interval",
        kind == "daily",
        kind == "weekdays",
    ]


def test_the_form_knows_which_time_zones_there_are() -> None:
    zones = RULES["time_zones"]
    accepted = [zone for each in zones.values() for zone in each if not validated(f'timezone: "{zone}"').errors]
    assert accepted == zones["accepted"]

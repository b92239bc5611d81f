"""The documentation is compared with the code: routes, settings, events, links."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from harness import failures

from jupyter_cabinet.agents import browser_tools, templates, tool_server_tools
from jupyter_cabinet.agents.agent_starter import MOST_STARTED
from jupyter_cabinet.agents.directives import answer_block, directive_lines
from jupyter_cabinet.agents.directives.effects.doer import MAX_TO_OTHERS
from jupyter_cabinet.agents.directives.effects.model import MAX_CHAIN
from jupyter_cabinet.agents.files.persona import KNOWN, Goal, Persona
from jupyter_cabinet.agents.memory import entries
from jupyter_cabinet.agents.model import EffectState
from jupyter_cabinet.agents.prompts.tool_list import MAX_TEXT, TOOLS
from jupyter_cabinet.app import CabinetApp
from jupyter_cabinet.cli import parser
from jupyter_cabinet.editor.kind import MAX_CELL_ATTACHMENTS, MAX_CELL_ATTACHMENTS_BYTES
from jupyter_cabinet.execution.run_directory import MAX_TOOL_BYTES
from jupyter_cabinet.execution.tools import tool_door
from jupyter_cabinet.notebook import arguments, choosing, fallback, inserted, magics, summaries
from jupyter_cabinet.runtimes.model import AnyAgentEvent, FailureKind
from jupyter_cabinet.runtimes.port import Capabilities
from jupyter_cabinet.runtimes.registry import Runtimes
from jupyter_cabinet.schedules.cron import ALIASES
from jupyter_cabinet.web.event_types import AnyEvent
from jupyter_cabinet.web.openapi import operations
from jupyter_cabinet.web.routes import ROUTES

ROOT = Path(__file__).parents[2]
API = (ROOT / "docs/reference/api.md").read_text()
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "benchmarks" / "README.md"]


def test_every_route_and_its_rights_stand_in_the_reference() -> None:
    assert re.findall(r"^### `(.+)`$", API, re.MULTILINE) == [path for path, _ in ROUTES]
    for path, handler in ROUTES:
        section = API.split(f"### `{path}`\n")[1].split("\n##")[0]
        for method, mark in operations(handler).items():
            what = "WebSocket" if mark.socket else method.upper()
            assert f"**{what}** (`{handler.auth_resource}`, {mark.action}): {mark.summary}" in section


def test_every_event_stands_in_the_reference() -> None:
    tags = {str(kind.__struct_config__.tag) for kind in get_args(AnyEvent)}
    assert set(re.findall(r"^\| `(\w+)` \|", API, re.MULTILINE)) == tags
    for kind in get_args(AnyAgentEvent):
        assert str(kind.__struct_config__.tag) in API
    for kind in get_args(FailureKind):
        assert kind in API


def test_every_setting_stands_in_the_reference_with_its_default() -> None:
    text = (ROOT / "docs/reference/settings.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE))
    own = {name: trait for name, trait in CabinetApp.class_own_traits(config=True).items()}
    assert set(rows) == set(own)
    for name, trait in own.items():
        default = trait.default()
        shown = "unset" if default in ("", None) else f"`{default:g}`" if isinstance(default, float) else f"`{default}`"
        assert rows[name] == shown, name


def test_the_page_of_settings_is_named_as_jupyterlab_names_it() -> None:
    text = (ROOT / "docs/reference/settings.md").read_text()
    schema = json.loads((ROOT / "labextension/schema/plugin.json").read_text())
    assert f"*Settings → Settings Editor → {schema['title']}*" in text
    assert [one["title"] for one in schema["properties"].values() if f"*{one['title']}*" not in text] == []


def test_every_tool_of_agents_stands_in_the_reference_with_its_arguments_and_limits() -> None:
    text = (ROOT / "docs/reference/agent-tools.md").read_text()
    sections = dict(re.findall(r"^### `(\w+)`\n\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert list(sections) == [tool.name for tool in TOOLS]
    for tool in TOOLS:
        assert sections[tool.name].startswith(f"{tool.description}\n")
        schema = tool.schema()
        rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", sections[tool.name], re.MULTILINE))
        assert list(rows) == list(schema["properties"])
        for name, about in schema["properties"].items():
            limits = [about[word] for word in ("minimum", "maximum", "minLength", "maxLength") if word in about]
            shown = [*about.get("enum", ()), *limits, about.get("description", "")]
            assert all(str(each) in rows[name] for each in shown), (tool.name, name)
            assert (name in schema["required"]) == ("Default: " not in rows[name])
    limits = dict(re.findall(r"^\| (\w[\w ,]+) \| (\d+) \|$", text, re.MULTILINE))
    assert limits == {
        "characters of a text": str(MAX_TEXT),
        "messages, tasks and posts of one run by tools": str(MAX_TO_OTHERS),
        "bytes of a call": str(MAX_TOOL_BYTES),
        "bytes of an answer": str(tool_door.MAX_ANSWER_BYTES),
        "calls of one run at once": str(tool_door.MOST_AT_ONCE),
        "runs of other agents that one run starts": str(MOST_STARTED),
        "requests of one run to a browser": str(browser_tools.MOST_OF_A_RUN),
        "tool servers that one run proposes": str(tool_server_tools.MOST_OF_A_RUN),
        "seconds of a call": f"{tool_door.CALL_SECONDS:g}",
    }


def cell_of(default: object) -> str:
    """A default as the reference shows it."""
    if default is None or default in ("", ()):
        return "–"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default}`"


def test_every_field_of_an_agent_and_of_a_goal_stands_in_the_reference_with_its_default() -> None:
    text = (ROOT / "docs/reference/agents.md").read_text()
    persona, goals = text.split("## `persona.md`")[1].split("## Schedules")[0].split("### Goals")
    for section, kind, own in ((persona, Persona, {"name": "the slug"}), (goals, Goal, {})):
        rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE))
        fields = {field.name: field for field in msgspec.structs.fields(kind)}
        expected = {
            name: own.get(
                name,
                "needed"
                if field.required
                else cell_of(field.default_factory() if callable(field.default_factory) else field.default),
            )
            for name, field in fields.items()
            if kind is Goal or name in KNOWN
        }
        assert rows == expected


def test_every_directive_stands_in_the_reference_with_its_form_and_the_limits() -> None:
    text = (ROOT / "docs/reference/directives.md").read_text()
    assert re.findall(r"^### `(.+)`$", text, re.MULTILINE) == list(directive_lines.WORDS.values())
    limits = dict(re.findall(r"^\| ([^|]+) \| (\d+) \|$", text, re.MULTILINE))
    assert limits == {
        "directives of a block": str(answer_block.MAX_DIRECTIVES),
        "bytes of a directive": str(answer_block.MAX_DIRECTIVE_BYTES),
        "bytes of an entry of memory": str(entries.MAX_ENTRY_BYTES),
        "entries of `context.md`": str(entries.CAPS["context"].entries),
        "bytes of `decisions.md` and of `learnings.md`": str(entries.CAPS["decisions"].size),
        "characters of a metric": str(directive_lines.MAX_METRIC_CHARACTERS),
        "characters of a title": str(directive_lines.MAX_TITLE_CHARACTERS),
        "digits of a number": str(directive_lines.MAX_DIGITS),
        "messages, tasks and posts of a run": str(MAX_TO_OTHERS),
        "runs that lead to each other": str(MAX_CHAIN),
    }
    assert entries.CAPS["decisions"] == entries.CAPS["learnings"]
    states = re.findall(r"^\| `(\w+)` \|", text.split("## Results")[1], re.MULTILINE)
    assert set(states) == set(get_args(EffectState))


def test_every_alias_of_a_schedule_and_every_template_stands_in_the_docs() -> None:
    schedules = (ROOT / "docs/reference/agents.md").read_text().split("## Schedules")[1]
    assert set(re.findall(r"`(@\w+)`", schedules)) == set(ALIASES)
    page = (ROOT / "docs/how-to/work-with-agents.md").read_text()
    assert [name for name in templates.NAMES if f"`{name}`" not in page] == []


def test_every_command_stands_in_the_reference() -> None:
    text = (ROOT / "docs/reference/command-line.md").read_text()
    commands = list(commands_of(parser()))
    inner = "|".join({command.split()[1] for command in commands if " " in command})
    assert re.findall(rf"^\| `jupyter cabinet ([\w-]+(?: (?:{inner}))?)\b", text, re.MULTILINE) == commands


def test_every_option_and_word_of_the_magics_stands_in_the_reference() -> None:
    text = (ROOT / "docs/reference/magics.md").read_text()
    sections = dict(re.findall(r"^## `(%+\w+).*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(sections) == {"%%agent", "%plan", "%play", "%%play", "%terminal", "%cabinet"}
    for magic, of in (("%%agent", arguments.AGENT), ("%play", arguments.PLAY)):
        rows = re.findall(r"^\| `(--[\w-]+).*?\|", sections[magic], re.MULTILINE)
        assert sorted(rows) == sorted(arguments.options(of))
        short = {text for action in of._actions for text in action.option_strings if not text.startswith("--")}
        assert set(re.findall(r"`(-\w)`", sections[magic])) == short
    assert [mode for mode in arguments.MODES if f"{mode}`" not in sections["%%agent"]] == []
    assert f"`--context {','.join(choosing.CHOICES)}`" in sections["%%agent"]
    assert tuple(re.findall(r"^\| `(\w+)`", sections["%cabinet"], re.MULTILINE)) == magics.CABINET_WORDS


def test_the_limits_of_what_a_cell_sends_and_keeps_stand_in_the_page_about_it() -> None:
    page = (ROOT / "docs/how-to/ask-from-a-notebook.md").read_text()
    limits = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", page.split("## Limits")[1], re.MULTILINE))
    assert summaries.HEAD_ROWS == 5
    expected = {
        "a piece of context (a cell, an error)": f"{_kilobytes(choosing.MAX_PIECE_BYTES)}, the rest is cut",
        "a variable": f"{_kilobytes(summaries.MAX_SUMMARY_BYTES)}, five rows, {summaries.MAX_COLUMNS} columns",
        "a value in the text": f"{inserted.MAX_INSERTED_CHARACTERS:,} characters",
        "all pieces of an instruction": (
            f"{MAX_CELL_ATTACHMENTS} pieces, {_kilobytes(MAX_CELL_ATTACHMENTS_BYTES)} together"
        ),
        "an answer in the saved notebook": f"{_kilobytes(fallback.MAX_TEXT_BYTES)}. ",
    }
    assert [what for what, limit in expected.items() if not limits[what].startswith(limit)] == []


def _kilobytes(size: int) -> str:
    return f"{size // 1000} kB"


def commands_of(of: argparse.ArgumentParser, before: str = "") -> Iterator[str]:
    """The names of all commands, with those inside of them."""
    for action in of._actions:  # argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield f"{before}{name}"
                yield from commands_of(inner, f"{before}{name} ")


def test_every_runtime_has_a_heading() -> None:
    text = (ROOT / "docs/reference/runtimes.md").read_text()
    names = {"acp" if name.startswith("acp-") else name for name in Runtimes(set(), {}, {}).names()}
    assert set(re.findall(r"^## (\w+)$", text, re.MULTILINE)) == names


def test_the_table_of_capabilities_is_what_the_code_says() -> None:
    """`python scripts/runtime_tables.py` regenerates it."""
    spec = importlib.util.spec_from_file_location("runtime_tables", ROOT / "scripts" / "runtime_tables.py")
    assert spec is not None and spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    page = tables.PAGE.read_text()
    assert tables.written(page) == page
    switches = {field.name for field in msgspec.structs.fields(Capabilities) if field.type is bool}
    assert set(tables.ROWS) == switches


def test_the_table_of_failures_is_what_the_tests_of_the_clis_expect() -> None:
    """`python tests/harness/failures.py` regenerates it."""
    page = failures.PAGE.read_text()
    assert failures.written(page) == page
    kinds = {kind for named in failures.FAILURES.values() for kind in named.values()} - {failures.RETRIED}
    assert kinds <= set(get_args(FailureKind))


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target

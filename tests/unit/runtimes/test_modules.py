"""How the room is built: the folders of the CLIs look alike, and what is called pure is."""

from __future__ import annotations

import ast
import configparser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROOM = ROOT / "jupyter_cabinet" / "runtimes"
FILES = {"runtime", "arguments", "hooks", "login", "failures", "messages", "stream", "terminal", "transcript"} | {
    "screen",
    "questions",
    "sandbox",
    "stored_sessions",
    "own_tool_servers",
    "acp",
    "__init__",
}
# What one CLI alone has.
OWN = {"codex": {"stored_calls"}, "opencode": {"rules"}, "pi": {"rpc_stream"}}
FOLDERS = [path.name for path in ROOM.iterdir() if (path / "runtime.py").exists() and path.name != "acp"]


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def pure_modules() -> set[str]:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    listed = contracts["importlinter:contract:pure"]["source_modules"].split()
    return {name for name in listed if name.startswith("jupyter_cabinet.runtimes.")}


def test_the_folders_of_all_clis_are_looked_at():
    assert sorted(FOLDERS) == ["claude", "codex", "demo", "gemini", "openclaw", "opencode", "pi"]


@pytest.mark.parametrize("cli", FOLDERS)
def test_a_folder_has_the_names_of_the_others(cli):
    names = {path.stem for path in (ROOM / cli).glob("*.py")}
    assert names <= FILES | OWN.get(cli, set())
    assert {"runtime", "arguments", "stream"} <= names


def test_a_module_that_calls_itself_pure_is_held_to_it():
    said = {
        dotted(path) for path in ROOM.rglob("*.py") if "Pure" in (ast.get_docstring(ast.parse(path.read_text())) or "")
    }
    assert said <= pure_modules()

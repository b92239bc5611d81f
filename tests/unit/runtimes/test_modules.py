"""How the room is built: the folders of the CLIs look alike, what is called pure is, and every public name is told."""

from __future__ import annotations

import ast
import configparser
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROOM = ROOT / "jupyter_cabinet" / "runtimes"
MODULES = [path for folder in (ROOM, ROOT / "jupyter_cabinet" / "testing") for path in sorted(folder.rglob("*.py"))]
FILES = {"runtime", "arguments", "hooks", "login", "failures", "messages", "stream", "terminal", "transcript"} | {
    "screen",
    "questions",
    "acp",
    "__init__",
}
# What one CLI alone has.
OWN = {"opencode": {"rules"}, "pi": {"rpc_stream"}}
FOLDERS = [path.name for path in ROOM.iterdir() if (path / "runtime.py").exists() and path.name != "acp"]
# Members of the port and of the shared bases, which are told there.
TOLD = {"launch", "locate", "capabilities", "conversation", "kept_environment", "transcripts"} | {
    *("start", "feed", "send", "answer", "finish", "outgoing", "resized", "input", "rested"),
    *("read_line", "read_stderr", "failed", "usage", "session_usage", "cost_usd"),
    *("read_hook", "read_transcript", "read_screen", "begun", "asks", "left"),
}


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def pure_modules() -> set[str]:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    listed = contracts["importlinter:contract:pure"]["source_modules"].split()
    return {name for name in listed if name.startswith("jupyter_cabinet.runtimes.")}


def untold(node: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.ClassDef) and not each.name.startswith(("_", "test_")):
            if not ast.get_docstring(each) and not (prefix and each.name in TOLD):
                yield prefix + each.name
            if isinstance(each, ast.ClassDef):
                yield from untold(each, f"{each.name}.")


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


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_every_public_name_has_a_docstring(path):
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree)
    assert list(untold(tree)) == []

"""ARCHITECTURE.md names files, functions and rules that exist, and every room has a row."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
IN_EACH_ROOM = {"model.py", "service.py", "tables.py", "store.py", "plugin.ts", "index.ts"}
PATHS = sorted(set(re.findall(r"`([\w./-]+\.(?:py|tsx?|md))`", TEXT)) - IN_EACH_ROOM)
STEPS = re.findall(r"^\d+\. (`[\w./-]+\.(?:py|ts)`.*?)(?=^\d+\. |^$)", TEXT, re.MULTILINE | re.DOTALL)


def found(path: str) -> Path | None:
    return next((base / path for base in (ROOT, ROOT / "jupyter_cabinet") if (base / path).exists()), None)


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path: str) -> None:
    assert found(path) is not None


@pytest.mark.parametrize("step", STEPS, ids=[step.split("`")[1] for step in STEPS])
def test_the_functions_of_a_step_are_in_its_files(step: str) -> None:
    files = [path for each in re.findall(r"`([\w./-]+\.(?:py|ts))`", step) if (path := found(each)) is not None]
    content = "\n".join(file.read_text() for file in files)
    for name in re.findall(r"`([A-Z]\w+(?:\.\w+)?)`", step):
        for part in name.split("."):
            assert re.search(rf"\b{part}\b", content), name


def test_a_trace_has_at_most_ten_steps_and_visits_no_file_twice() -> None:
    traces = TEXT.partition("## Five traces")[2].partition("\n## ")[0].split("\n### ")[1:]
    assert len(traces) == 5
    for trace in traces:
        steps = re.findall(r"^\d+\. `([\w./-]+\.(?:py|ts))`", trace, re.MULTILINE)
        assert len(steps) <= 10
        at_both_ends = "runs/dispatch/dispatcher.py"  # takes a run from the queue, and ends it
        visited = [step for step in steps if step != at_both_ends]
        assert len(visited) == len(set(visited)), trace.partition("\n")[0]


def test_no_folder_has_more_than_twenty_modules() -> None:
    package = ROOT / "jupyter_cabinet"
    numbers = Counter(path.parent.relative_to(package).as_posix() for path in package.rglob("*.py"))
    migrations = {"storage/migrations/versions"}  # one for each change of the tables
    assert {folder for folder, number in numbers.items() if number > 20} <= migrations


def test_every_room_has_a_row() -> None:
    rooms = {path.parent.name for path in (ROOT / "jupyter_cabinet").glob("*/__init__.py")}
    rows = set(re.findall(r"`(\w+)/`", TEXT.partition("## Rooms")[2].partition("## Rules")[0]))
    assert rooms <= rows


def test_every_rule_that_the_code_refers_to_exists() -> None:
    rules = TEXT.partition("## Rules")[2].partition("\n## ")[0]
    numbers = {int(number) for number in re.findall(r"^(\d+)\. \*\*", rules, re.MULTILINE)}
    assert numbers == set(range(1, len(numbers) + 1))
    for file in (ROOT / "jupyter_cabinet").rglob("*.py"):
        for number in re.findall(r"\brule (\d+)\b", file.read_text()):
            assert int(number) in numbers, f"{file} refers to rule {number}"


def test_the_recipes_name_files_that_exist() -> None:
    recipes = (ROOT / "CONTRIBUTING.md").read_text().partition("\n## Recipes\n")[2].partition("\n## ")[0]
    paths = {path for path in re.findall(r"`([\w./-]+\.(?:py|tsx?|md|json|mjs|toml))`", recipes) if "/" in path}
    paths -= {path for path in paths if path.startswith(("stores/", "views/"))}
    bases = (ROOT, ROOT / "jupyter_cabinet", ROOT / "labextension", ROOT / "tests")
    assert len(paths) > 15
    assert not [path for path in paths if not any((base / path).exists() for base in bases)]

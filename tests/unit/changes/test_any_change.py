"""Whatever an agent does and a person has edited since: taken back and put again exactly, and git is left alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest
from harness.backend import ADA, Place
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.changes.model import Decide
from jupyter_cabinet.changes.service import ChangedRun
from jupyter_cabinet.core.errors import Conflict
from jupyter_cabinet.core.events import Scope

SCOPE = Scope(owner="ada", visibility="private")
NAMES = ("a", "b", "d/c", "d/e/f", "g/h")
LINES = [f"line {number}\n" for number in range(8)]
MINE = "mine\n"
WRITE, EDIT, RENAME, REMOVE, MODE, LINK = "write", "edit", "rename", "remove", "mode", "link"
STEPS = st.lists(
    st.tuples(st.sampled_from([WRITE, EDIT, RENAME, REMOVE, MODE, LINK]), *[st.sampled_from(NAMES)] * 2), max_size=6
)
State = dict[str, tuple[str | bytes, int]]


def do(root: Path, step: tuple[str, str, str]) -> None:
    what, one, other = step
    path, target = root / one, root / other
    path.parent.mkdir(parents=True, exist_ok=True)
    there = path.exists() and not path.is_symlink()
    match what:
        case "write" if not path.is_symlink():
            path.write_text(f"{other}\n" * 3)
        case "edit" if there:
            path.write_text(path.read_text().replace("line 1\n", f"agent {other}\n"))
        case "rename" if os.path.lexists(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
        case "remove":
            path.unlink(missing_ok=True)
        case "mode" if there:
            path.chmod(path.stat().st_mode ^ 0o111)
        case "link" if not os.path.lexists(path):
            path.symlink_to(other)


def read(root: Path) -> State:
    paths = [path for path in root.rglob("*") if not {".git", ".cabinet"} & set(path.relative_to(root).parts)]
    return {
        path.relative_to(root).as_posix(): (str(path.readlink()), 0)
        if path.is_symlink()
        else (path.read_bytes(), path.stat().st_mode)
        for path in paths
        if path.is_symlink() or path.is_file()
    }


def git(root: Path, *arguments: str) -> str:
    people = ("-c", "user.name=a", "-c", "user.email=a@b")
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}  # to ask writes nothing
    command = ["git", "-C", str(root), *people, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def of_git(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (root / ".git").rglob("*") if path.is_file()}


@pytest.mark.slow(reason="many workspaces")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=STEPS, agent=STEPS, edited=st.sampled_from([None, *NAMES]))
def test_any_change(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[tuple[str, str, str]],
    agent: list[tuple[str, str, str]],
    edited: str | None,
) -> None:
    async def run() -> None:
        place = Place(tmp_path_factory.mktemp("any"))
        root = place.root
        for name in NAMES[:3]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(f"{name}\n" + "".join(LINES))
        git(root, "init", "-q")
        git(root, "add", "--all")
        git(root, "commit", "-qm", "all")
        for step in before:
            do(root, step)
        async with place.backend() as backend:
            was, records, status = read(root), of_git(root), git(root, "status", "--porcelain")
            await backend.changes.begin(ChangedRun("r1", "."))
            for step in agent:
                do(root, step)
            await backend.changes.end("r1")
            mine = edited is not None and (root / edited).is_file() and not (root / edited).is_symlink()
            if mine and edited is not None:
                (root / edited).write_text((root / edited).read_text() + MINE)
            now = read(root)
            revert, undo = Decide(decision="revert"), Decide(decision="undo")
            try:
                await backend.changes.decide("r1", revert, ADA, SCOPE)
            except Conflict:
                assert mine and read(root) == now, "nothing is written where the person's lines are in the way"
                await backend.changes.decide("r1", Decide(decision="revert", anyway=True), ADA, SCOPE)
                assert read(root) == was
            else:
                taken = read(root)
                different = [path for path in was.keys() | taken.keys() if was.get(path) != taken.get(path)]
                assert len(different) == mine, "but for the file that the person has edited"
                for path in different:
                    content, mode = was[path]
                    assert taken[path] == (content + MINE.encode(), mode)  # type: ignore[operator]
                assert mine or git(root, "status", "--porcelain") == status
            await backend.changes.decide("r1", undo, ADA, SCOPE)
            assert read(root) == now
            assert of_git(root) == records

    asyncio.run(run())

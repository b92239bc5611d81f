"""Whatever an agent does and a person has edited since: reverted and restored exactly, and git is left alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from harness.backend import ADA, Place
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.changes.model import Decide
from jupyter_cabinet.changes.service import ChangedRun
from jupyter_cabinet.core.errors import Conflict
from jupyter_cabinet.core.events import Scope

SCOPE = Scope(owner="ada", visibility="private")
NAMES = ("a", "b", "d/c", "d/e/f", "g/h")
LINES = [f"line {number}\n" for number in range(8)]
MINE = "mine\n"
SAVED = "saved\n"
KINDS = ("write", "edit", "rename", "remove", "mode", "link", "folder")
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), *[st.sampled_from(NAMES)] * 2), max_size=6)
State = dict[str, tuple[str | bytes, int]]
Step = tuple[str, str, str]
EDITED = st.sampled_from([None, *NAMES])


def do(root: Path, step: Step) -> None:
    what, one, other = step
    path, target = root / one, root / other
    path.parent.mkdir(parents=True, exist_ok=True)
    there = path.is_file() and not path.is_symlink()
    match what:
        case "write" if there or not os.path.lexists(path):
            path.write_text(f"{other}\n" * 3)
        case "edit" if there:
            path.write_text(path.read_text().replace("line 1\n", f"agent {other}\n"))
        case "rename" if os.path.lexists(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            with suppress(NotADirectoryError, IsADirectoryError):
                path.rename(target)
        case "remove" if os.path.lexists(path):
            path.unlink() if path.is_symlink() or path.is_file() else path.rmdir()
        case "mode" if there:
            path.chmod(path.stat().st_mode ^ 0o111)
        case "link" if not os.path.lexists(path):
            path.symlink_to(other)
        case "folder" if not os.path.lexists(path):
            path.mkdir()


def is_text(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def save(backend: Backend, root: Path, name: str) -> None:
    """A person saves a document in JupyterLab, with a line more at its beginning."""
    old = (root / name).read_bytes()
    (root / name).write_bytes(SAVED.encode() + old)
    backend.changes.saved(name, old, SAVED.encode() + old)


def but(state: State, *names: str | None) -> State:
    return {path: one for path, one in state.items() if path not in names}


def without_people(state: State) -> State:
    """Without their lines, that go with a file that was renamed back."""
    return {
        path: (content.removeprefix(SAVED.encode()).removesuffix(MINE.encode()), mode)
        if isinstance(content, bytes)
        else (content, mode)
        for path, (content, mode) in state.items()
    }


def read(root: Path) -> State:
    """Files, links and empty folders."""
    paths = [path for path in root.rglob("*") if not {".git", ".cabinet"} & set(path.relative_to(root).parts)]
    return {
        path.relative_to(root).as_posix(): (str(path.readlink()), 0)
        if path.is_symlink()
        else (path.read_bytes(), path.stat().st_mode)
        if path.is_file()
        else ("", -1)
        for path in paths
        if path.is_symlink() or path.is_file() or not any(path.iterdir())
    }


def expect_edit(was: State, taken: State, name: str | None, before: str = "", after: str = "") -> None:
    """Of a file that the agent has not touched."""
    if name is not None:
        content, mode = was[name]
        assert isinstance(content, bytes)
        assert taken[name] == (before.encode() + content + after.encode(), mode)


def git(root: Path, *arguments: str) -> str:
    people = ("-c", "user.name=a", "-c", "user.email=a@b")
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}  # to ask writes nothing
    command = ["git", "-C", str(root), *people, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def of_git(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (root / ".git").rglob("*") if path.is_file()}


@pytest.mark.long(reason="many workspaces")
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=STEPS, agent=STEPS, later=STEPS, saved=EDITED, edited=EDITED)
def test_any_change(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[Step],
    agent: list[Step],
    later: list[Step],
    saved: str | None,
    edited: str | None,
) -> None:
    """The agent does `agent`, a person saves a document, the agent does `later`; then a person edits a file."""

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
            theirs = saved if saved is not None and is_text(root / saved) else None
            if theirs is not None:
                save(backend, root, theirs)
            for step in later:
                do(root, step)
            await backend.changes.end("r1")
            mine = edited if edited is not None and is_text(root / edited) else None
            if mine is not None:
                (root / mine).write_text((root / mine).read_text() + MINE)
            now = read(root)
            revert, undo = Decide(decision="revert"), Decide(decision="undo")
            try:
                await backend.changes.decide("r1", revert, ADA, SCOPE)
            except Conflict:
                assert mine or theirs, "people's lines are in the way"
                assert read(root) == now, "nothing is written"
                await backend.changes.decide("r1", Decide(decision="revert", anyway=True), ADA, SCOPE)
            taken = read(root)
            assert but(without_people(taken), mine, theirs) == but(was, mine, theirs)
            touched = {name for _, *names in (*agent, *later) for name in names}
            if mine != theirs:
                expect_edit(was, taken, mine if mine not in touched else None, after=MINE)
                expect_edit(was, taken, theirs if theirs not in touched else None, before=SAVED)
            assert mine or theirs or (taken == was and git(root, "status", "--porcelain") == status)
            await backend.changes.decide("r1", undo, ADA, SCOPE)
            assert read(root) == now
            assert of_git(root) == records

    asyncio.run(run())

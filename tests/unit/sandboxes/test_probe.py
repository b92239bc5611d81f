"""The probe says whether runs can be isolated here, and what to do if not."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
from harness.bubblewrap import NEEDS_BUBBLEWRAP

from jupyter_cabinet.sandboxes import bubblewrap
from jupyter_cabinet.sandboxes.local import LocalSandbox
from jupyter_cabinet.sandboxes.local_pipes import LocalPipedProcess
from jupyter_cabinet.sandboxes.probe import SandboxCheck, probe
from jupyter_cabinet.sandboxes.view import SandboxView


@NEEDS_BUBBLEWRAP
async def test_it_works_here() -> None:
    assert (await probe(LocalSandbox())).works


async def test_a_machine_without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    found = await probe(LocalSandbox())
    assert (found.works, found.reason) == (False, "Bubblewrap is not installed.")
    assert "apt install bubblewrap" in found.remedy


class Open(LocalSandbox):
    """Isolates nothing."""

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> LocalPipedProcess:
        return await super().start(argv, cwd=cwd, environment=environment)


class Slow(LocalSandbox):
    """Starts nothing until the test allows it."""

    def __init__(self) -> None:
        super().__init__()
        self.allowed = asyncio.Event()

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> LocalPipedProcess:
        await self.allowed.wait()
        return await super().start(argv, cwd=cwd, environment=environment, view=view)


@NEEDS_BUBBLEWRAP
async def test_a_page_does_not_wait_for_a_slow_probe_whose_result_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyter_cabinet.sandboxes.probe.SOON_SECONDS", 0.01)
    sandbox = Slow()
    check = SandboxCheck(partial(probe, sandbox))
    early = await check.state_soon()
    assert (early.works, early.reason) == (False, "A test whether runs can be isolated has not ended yet.")
    sandbox.allowed.set()
    assert (await check.state()).works


@NEEDS_BUBBLEWRAP
async def test_a_sandbox_that_isolates_nothing_does_not_count() -> None:
    found = await probe(Open())
    assert not found.works
    for reached in (
        "a file outside",
        "a port of this machine",
        "a process outside",
        "a program with another user's rights",
    ):
        assert reached in found.reason


@NEEDS_BUBBLEWRAP
@pytest.mark.parametrize(
    "script",
    [
        "echo 'bwrap: No permissions to create new namespace' >&2; exit 1",  # as without user namespaces
        "exit 0",
        "kill -9 $$",
    ],
)
async def test_a_bubblewrap_that_cannot_start_anything(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(f"#!/bin/sh\n{script}\n")
    broken.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "program", lambda: str(broken))
    found = await probe(LocalSandbox())
    assert (found.works, found.reason) == (
        False,
        "The sandbox could not be set up: it ended before the program started.",
    )
    assert "user namespaces" in found.remedy


@NEEDS_BUBBLEWRAP
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user here")
def test_it_works_for_an_ordinary_user_too(tmp_path: Path) -> None:
    source = (
        "import asyncio; from jupyter_cabinet.sandboxes.probe import probe;"
        "from jupyter_cabinet.sandboxes.local import LocalSandbox; print(asyncio.run(probe(LocalSandbox())))"
    )
    if not all(stat.S_IXOTH & parent.stat().st_mode for parent in Path(sys.executable).resolve().parents):
        pytest.skip("another user cannot execute this Python")
    done = subprocess.run(
        [sys.executable, "-c", source], user=65534, group=65534, cwd="/", capture_output=True, text=True, check=False
    )
    assert "works=True" in done.stdout, done.stderr

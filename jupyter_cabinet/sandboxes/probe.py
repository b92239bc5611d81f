"""Tests whether programs can be isolated on this machine: a program inside tries to reach what it must not reach.

The result decides whether a run may be called isolated: `execution/executor.py`, `GET health` and `doctor` ask for it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..core.errors import CabinetError
from . import bubblewrap
from .port import PipedProcess, PipesSandbox
from .view import SandboxView

log = logging.getLogger(__name__)

PROBE_SECONDS = 20.0
SOON_SECONDS = 2.0  # a page waits for the answer
PROBE_AGAIN_SECONDS = 60  # after one that failed
USER_NAMESPACES = (
    "Allow user namespaces on this machine. Check the kernel's settings user.max_user_namespaces (above 0), "
    "kernel.unprivileged_userns_clone (1) and kernel.apparmor_restrict_unprivileged_userns (0). "
    "A container must be started with the right to create user namespaces."
)
# Tells which of the canaries it can reach. It gets the file, the port and the pid as arguments.
PROGRAM = """
import json, os, socket, sys
file, port, pid = sys.argv[1:]
reached = []
try:
    open(file).close()
    reached.append("a file outside")
except OSError:
    pass
try:
    socket.create_connection(("127.0.0.1", int(port)), 5).close()
    reached.append("a port of this machine")
except OSError:
    pass
try:
    os.kill(int(pid), 0)
    reached.append("a process outside")
except OSError:
    pass
try:
    open("/proc/1/mem", "r+b").close()
    reached.append("the memory of the process that has started it")
except OSError:
    pass
try:
    open("made", "w").close()
    os.chmod("made", 0o4755)
    reached.append("a program with another user's rights")
except OSError:
    pass
print(json.dumps(reached))
"""


class SandboxState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether runs can be isolated on this machine. If not: why, and what to do, as sentences."""

    works: bool
    reason: str = ""
    remedy: str = ""


class SandboxCheck:
    """The result of a probe, made when it is first needed. One per server.

    A probe that failed is repeated later, because the reason may be gone: a full disk, a busy machine.
    """

    def __init__(self, probe: Callable[[], Coroutine[Any, Any, SandboxState]]) -> None:
        self._probe = probe
        self._probing: asyncio.Task[SandboxState] | None = None
        self._probed_at = 0.0

    async def state(self) -> SandboxState:
        """Return whether runs can be isolated on this machine.

        Waits for the first probe; a later call returns its result. A probe that failed is repeated if it is older than
        `PROBE_AGAIN_SECONDS`.
        """
        now = asyncio.get_running_loop().time()
        if self._probing is None or (_has_failed(self._probing) and now - self._probed_at > PROBE_AGAIN_SECONDS):
            self._probing, self._probed_at = asyncio.create_task(self._probe()), now
        return await asyncio.shield(self._probing)

    async def state_soon(self) -> SandboxState:
        """Return the same as `state`; if the probe takes longer than `SOON_SECONDS`, that runs cannot be isolated yet.

        The probe continues then.
        """
        try:
            return await asyncio.wait_for(self.state(), SOON_SECONDS)
        except TimeoutError:
            return SandboxState(works=False, reason="A test whether runs can be isolated has not ended yet.")


def _has_failed(probing: asyncio.Task[SandboxState]) -> bool:
    return probing.done() and (probing.cancelled() or probing.exception() is not None or not probing.result().works)


async def probe(sandbox: PipesSandbox) -> SandboxState:
    """Start a program in bubblewrap that tries to get out, and return whether it could not.

    Takes at most `PROBE_SECONDS`. Never raises because of what it finds.
    """
    if sys.platform != "linux":
        return SandboxState(works=False, reason="Runs can be isolated on Linux only.")
    if bubblewrap.program() is None:
        return SandboxState(works=False, reason="Bubblewrap is not installed.", remedy=bubblewrap.HOW_TO_INSTALL)
    return await attempt(sandbox, "bubblewrap", USER_NAMESPACES)


async def attempt(sandbox: PipesSandbox, name: str, remedy: str) -> SandboxState:
    """Start a program that tries to get out of a sandbox, and return whether it could not.

    Takes at most `PROBE_SECONDS`. `name`: of the kind of sandbox, for people. `remedy`: what to do if it cannot be
    started. Failures are part of the result.
    """
    try:
        reached, complaint = await asyncio.wait_for(_attempt(sandbox), PROBE_SECONDS)
    except TimeoutError:
        return SandboxState(works=False, reason=f"A test of {name} took longer than {PROBE_SECONDS:.0f} seconds.")
    except CabinetError as error:
        return _refused(error.message, error.detail.get("remedy", remedy))
    except OSError as error:
        return _refused(str(error), remedy)
    if reached is None:
        return _refused(f"A program could not be started in {name}. {complaint}".strip(), remedy)
    if reached:
        return SandboxState(works=False, reason=f"A program in {name} could reach {' and '.join(reached)}.")
    return SandboxState(works=True)


def _refused(reason: str, remedy: str) -> SandboxState:
    log.warning("Runs cannot be isolated: %s", reason)
    return SandboxState(works=False, reason=reason, remedy=remedy)


async def _attempt(sandbox: PipesSandbox) -> tuple[list[str] | None, str]:
    """Return what the program could reach, None if it did not run, and its complaints."""
    with tempfile.TemporaryDirectory(prefix="cabinet-probe-") as folder, socket.create_server(("127.0.0.1", 0)) as door:
        work, canary = Path(folder) / "work", Path(folder) / secrets.token_hex(8)
        work.mkdir()
        canary.write_text("A program inside must not read this.")
        port = str(door.getsockname()[1])
        argv = (sys.executable, "-I", "-S", "-c", PROGRAM, str(canary), port, str(os.getpid()))
        has_run, text = await run_inside(sandbox, argv, work)
    if not has_run:
        return None, text
    found: Any = json.loads(text)
    return list(map(str, found)), ""


async def run_inside(sandbox: PipesSandbox, argv: Sequence[str], folder: Path) -> tuple[bool, str]:
    """Run a program in a sandbox, in a folder that it may change, to its end. Raises `Unavailable`, `OSError`.

    Returns whether it has succeeded, and its output; otherwise the last 500 characters of its complaints. Has no time
    limit.
    """
    process = await sandbox.start(
        argv,
        cwd=str(folder),
        environment={"HOME": str(folder.parent), "PATH": "/usr/bin:/bin"},
        view=SandboxView(folder=str(folder), home=str(folder.parent), write=(str(folder),)),
    )
    try:
        await process.go()
        process.close_stdin()
        stdout, stderr = await _read(process)
        ended = await process.wait()
    except BaseException:
        await process.stop()
        raise
    if ended.code != 0:
        return False, stderr.decode(errors="replace").strip()[-500:]
    return True, stdout.decode()


async def _read(process: PipedProcess) -> tuple[bytes, bytes]:
    pieces: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    async for source, piece in process.output():
        pieces[source].append(piece)
    return b"".join(pieces["stdout"]), b"".join(pieces["stderr"])

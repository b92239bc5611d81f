"""The runner `docker`: each run works in its own container, with the software of an image.

A container keeps the promises of a sandbox (`sandboxes/view.py`): it sees the folders that the run may read or change,
at their paths, and reaches the network only through the egress proxy. It ends with its launcher, which ends with
this server. What a killed server has left outside is removed by the next one (`run_container.py`).

Limits: what this machine has mounted below a folder that can only be read may be changed with Docker before 25.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from ..core.errors import CabinetError, Unavailable
from ..core.futures import to_its_end
from ..core.plain_text import one_line
from ..sandboxes.control import Program
from ..sandboxes.local_pipes import LocalPipedProcess
from ..sandboxes.local_pty import LocalPtyProcess
from ..sandboxes.mount_places import MountPlaces
from ..sandboxes.port import Size
from ..sandboxes.probe import PROBE_SECONDS, SandboxCheck, SandboxState, attempt, run_inside
from ..sandboxes.pty import Ptys
from ..sandboxes.view import SandboxView
from . import container_process
from .docker_engine import LONGEST_REASON, DockerEngine
from .port import Placement, RunnerState, Where
from .run_container import RunContainer, is_alive, remove_abandoned

NO_PYTHON: Final = f"Use an image that can run the Python of this server, {sys.executable}."
LIBRARIES: Final = "LD_LIBRARY_PATH"
SHELL: Final = ("/bin/sh", "-c", "exit 0")  # agent CLIs start their hooks and commands with it
NO_SHELL: Final = "Use an image that has a shell at /bin/sh."
TOOLS: Final = (sys.executable, "-P", "-c", "import jupyter_cabinet.mcp.server")
NO_TOOLS: Final = "Use an image that has the system's libraries which the packages of this server need."
ProcessT = TypeVar("ProcessT")

NOT_KNOWN: Final = "A run in a container needs an agent CLI of which it is known which files it needs."


class DockerRunner:
    """Containers of one image on this machine."""

    def __init__(
        self,
        image: str,
        folder: Path,
        places: MountPlaces,
        *,
        ptys: Ptys | None = None,
        memory_bytes: int = 0,
        engine: DockerEngine | None = None,
    ) -> None:
        """`folder`: private, for the sockets of containers. `places`, `ptys`: of all sandboxes of this server.

        `memory_bytes`: for each container; 0: no limit.
        """
        self.memory_bytes = memory_bytes
        self.image = image
        self.folder = folder
        self.places = places
        self.ptys = ptys or Ptys()
        self.engine = engine or DockerEngine()
        self._others: dict[str, DockerRunner] = {}  # by image
        self._check = SandboxCheck(self._probe)
        self._is_clean = engine is not None  # the runner of another image has seen to that
        self._without_tools = ""  # why agents have none of Cabinet's own tools there

    def with_image(self, image: str) -> DockerRunner:
        if image not in self._others:
            self._others[image] = DockerRunner(
                image, self.folder, self.places, ptys=self.ptys, memory_bytes=self.memory_bytes, engine=self.engine
            )
        return self if image == self.image else self._others[image]

    async def state(self) -> RunnerState:
        try:
            await self.engine.look_at(self.image)
        except Unavailable as error:
            return RunnerState(works=False, reason=error.message, remedy=error.detail.get("remedy", ""))
        state = await self._check.state()
        return RunnerState(
            works=state.works,
            reason=state.reason or self._without_tools,
            remedy=state.remedy or (NO_TOOLS if self._without_tools else ""),
        )

    def sandbox(self, placement: Placement) -> DockerSandbox:
        return DockerSandbox(self, placement)

    async def _probe(self) -> SandboxState:
        sandbox = DockerSandbox(self, None)
        state = await attempt(sandbox, "a container", NO_PYTHON)
        if not state.works:
            return state
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await _run(sandbox, SHELL)
                if find_spec("mcp") is not None:
                    self._without_tools = await _missing_tools(sandbox)
        except Unavailable as error:
            if error.detail.get("stage") == "exec":
                return SandboxState(works=False, reason="The image has no shell.", remedy=NO_SHELL)
            return SandboxState(works=False, reason=f"A test in a container has failed: {error}")
        except TimeoutError:
            reason = f"A test in a container took longer than {PROBE_SECONDS:.0f} seconds."
            return SandboxState(works=False, reason=reason)
        except (CabinetError, OSError) as error:
            return SandboxState(works=False, reason=f"A test in a container has failed: {error}")
        return state

    async def clean_up(self) -> None:
        """Remove what the containers of servers that are gone have left. Only the first call has an effect.

        Never raises `Unavailable`.
        """
        if not self._is_clean:
            self._is_clean = True
            await asyncio.to_thread(remove_abandoned, self.folder)
            with suppress(Unavailable):  # the next container reports it
                await self.engine.remove_abandoned(is_alive)

    async def close(self) -> None:
        self.engine.close()


class DockerSandbox:
    """Starts one program of a run in a container. Made by `DockerRunner.sandbox`."""

    def __init__(self, runner: DockerRunner, placement: Placement | None) -> None:
        """`placement`: None for a test."""
        self._runner = runner
        self._placement = placement

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> LocalPipedProcess:
        return await self._start(argv, environment, view, container_process.start_with_pipes)

    async def start_on_pty(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        size: Size,
        view: SandboxView | None = None,
    ) -> LocalPtyProcess:
        start = partial(container_process.start_on_pty, self._runner.ptys, size=size)
        return await self._start(argv, environment, view, start)

    async def _start(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        view: SandboxView | None,
        start: Callable[[Program, RunContainer], Awaitable[ProcessT]],
    ) -> ProcessT:
        """Start a program in its container by `start`. Its working folder is that of the view."""
        if view is None:
            raise Unavailable(NOT_KNOWN)
        runner = self._runner
        await runner.clean_up()
        image = await runner.engine.look_at(runner.image)
        view = msgspec.structs.replace(view, image=runner.image)
        # The programs are those of the image, so its search path counts.
        inside = {**image.variables, **environment, "PATH": image.variables["PATH"]}
        container = RunContainer(runner.engine, image, runner.folder, runner.places, runner.memory_bytes)
        try:
            first_program, variables = await container.create(view, inside)
            if LIBRARIES in image.variables:  # nothing outside the container reads it
                variables[LIBRARIES] = image.variables[LIBRARIES]
            program = Program(
                argv=(*first_program, *argv),
                cwd=view.folder,
                environment=variables,
                sheltered=True,
                on_end=container.release,
            )
            process = await start(program, container)
        except BaseException:
            await to_its_end(container.give_up())
            raise
        if self._placement is not None:
            self._placement.placed(Where(runner="docker", image=runner.image, machine=socket.gethostname()), True)
        return process


async def _missing_tools(sandbox: DockerSandbox) -> str:
    """Return why agents cannot use Cabinet's own tools in a container, as a sentence; empty if they can."""
    has_run, complaint = await _run(sandbox, TOOLS)
    reason = one_line(complaint.rpartition("\n")[2], most=LONGEST_REASON)
    return "" if has_run else f"Agents have none of Cabinet's own tools there: {reason}"


async def _run(sandbox: DockerSandbox, argv: Sequence[str]) -> tuple[bool, str]:
    """Run a program in a container: whether it has succeeded, and otherwise its complaints. Raises `Unavailable`."""
    with tempfile.TemporaryDirectory(prefix="cabinet-probe-") as folder:
        work = Path(folder) / "work"
        await asyncio.to_thread(work.mkdir)
        return await run_inside(sandbox, argv, work)

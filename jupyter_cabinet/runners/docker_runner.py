"""The runner `docker`: each run works in its own container, with the software of an image.

A container keeps the promises of a sandbox (`sandboxes/view.py`): it sees the folders that the run may read or change,
at their paths, and reaches the network only through the egress proxy. It ends with its launcher, so nothing of it is
left when this server ends, however that happens.

Limits: what this machine has mounted below a folder that can only be read may be changed with Docker before 25.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from ..core.errors import Unavailable
from ..core.plain_text import one_line
from ..sandboxes.control import LAUNCHER_ENVIRONMENT, Program
from ..sandboxes.local_pipes import LocalPipedProcess
from ..sandboxes.mount_places import MountPlaces
from ..sandboxes.mounts import COPIES, NO_SETTINGS_FILE, NO_TEXT_FILE, Mount, Plan
from ..sandboxes.port import PtyProcess, PtySession, Size
from ..sandboxes.probe import SandboxCheck, SandboxState, attempt, run_inside
from ..sandboxes.view import SandboxView
from ..storage.private_folders import private_folder_for_socket
from .container_process import start_in_container
from .docker_engine import LONGEST_REASON, BindMount, Container, DockerEngine
from .port import NO_TERMINAL, Placement, RunnerState, Where

log = logging.getLogger(__name__)

ENTRY_PROGRAM: Final = Path(__file__).with_name("container_entry.py")
ENTRY: Final = "/run/cabinet-entry"  # the socket inside
SPACES: Final = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - inside
NO_PYTHON: Final = f"Use an image that can run the Python of this server, {sys.executable}."
TOOLS: Final = "import jupyter_cabinet.mcp.server"
NO_TOOLS: Final = "Use an image that has the system's libraries which the packages of this server need."
NOT_KNOWN: Final = "A run in a container needs an agent CLI of which it is known which files it needs."


class DockerRunner:
    """Containers of one image on this machine."""

    def __init__(self, image: str, folder: Path, places: MountPlaces, engine: DockerEngine | None = None) -> None:
        """`folder`: private, for the sockets of containers. `places`: of all sandboxes of this server."""
        self.image = image
        self.folder = folder
        self.places = places
        self.engine = engine or DockerEngine()
        self._others: dict[str, DockerRunner] = {}  # by image
        self._check = SandboxCheck(self._probe)
        self._without_tools = ""  # why agents have none of Cabinet's own tools there

    def with_image(self, image: str) -> DockerRunner:
        if image not in self._others:
            self._others[image] = DockerRunner(image, self.folder, self.places, self.engine)
        return self if image == self.image else self._others[image]

    async def state(self) -> RunnerState:
        try:
            await asyncio.to_thread(self.engine.environment_of, self.image)
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
        if state.works and find_spec("mcp") is not None:
            with tempfile.TemporaryDirectory(prefix="cabinet-probe-") as folder:
                work = Path(folder) / "work"
                await asyncio.to_thread(work.mkdir)
                has_run, complaint = await run_inside(sandbox, (sys.executable, "-P", "-c", TOOLS), work)
            if not has_run:
                reason = one_line(complaint.rpartition("\n")[2], most=LONGEST_REASON)
                self._without_tools = f"Agents have none of Cabinet's own tools there: {reason}"
        return state

    async def close(self) -> None:
        await asyncio.to_thread(self.engine.close)


class DockerSandbox:
    """Starts one program of a run in a container. Made by `DockerRunner.sandbox`."""

    def __init__(self, runner: DockerRunner, placement: Placement | None) -> None:
        """`placement`: None for a test."""
        self._runner = runner
        self._placement = placement

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> LocalPipedProcess:
        if view is None:
            raise Unavailable(NOT_KNOWN)
        runner = self._runner
        variables = await asyncio.to_thread(runner.engine.environment_of, runner.image)
        view = msgspec.structs.replace(view, image=runner.image)
        # The programs are those of the image, so its search path counts.
        inside = {**variables, **environment, "PATH": variables["PATH"]}
        made = await asyncio.to_thread(runner.places.take, view, inside)
        prepared = _Prepared(runner, view, made)
        program = Program(
            argv=(*made.first_program, *argv),
            cwd=view.folder,
            environment=made.environment,
            sheltered=True,
            on_end=prepared.release,
        )
        try:
            process = await start_in_container(program, prepared)
        except BaseException:
            await asyncio.to_thread(prepared.release)
            raise
        if self._placement is not None:
            self._placement.placed(Where(runner="docker", image=runner.image, machine=socket.gethostname()), True)
        return process

    async def start_on_pty(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        size: Size,
        view: SandboxView | None = None,
    ) -> PtyProcess:
        raise Unavailable(NO_TERMINAL["docker"])

    def start_session(self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], size: Size) -> PtySession:
        raise OSError(NO_TERMINAL["docker"])


class _Prepared:
    """One container with its own folder outside: the socket of its first program, and what is empty inside."""

    def __init__(self, runner: DockerRunner, view: SandboxView, made: Plan) -> None:
        self._runner = runner
        self._view = view
        self._made = made
        self._id: str | None = None
        self._folder = private_folder_for_socket(runner.folder)
        self.entry = self._folder / "socket"

    async def start(self) -> None:
        """Start the container. Raises `Unavailable`."""
        self._id = await asyncio.to_thread(self._start)

    async def is_running(self) -> bool:
        """Return whether it has not ended. Raises `Unavailable`."""
        return self._id is not None and await asyncio.to_thread(self._runner.engine.is_running, self._id)

    def release(self) -> None:
        """Remove what is left of the container and of its folder. Blocks."""
        if self._id is not None:
            try:
                self._runner.engine.remove(self._id)
            except Unavailable as error:
                log.warning("A container could not be removed: %s", error.message)
        shutil.rmtree(self._folder, ignore_errors=True)
        self._runner.places.release(self._made)

    def _start(self) -> str:
        view, made = self._view, self._made
        for mount in made.mounts:
            if mount.created:  # otherwise Docker creates it, and it belongs to root
                _create_place(Path(mount.path), is_folder=mount.how != "empty_file")
        empty = EmptyFolders(self._folder, made.mounts, view.home)
        mounts = [
            BindMount(source=str(self.entry), target=ENTRY),
            *(bind for mount in made.mounts if (bind := empty.bind(mount)) is not None),
            *(BindMount(source=path, target=f"{COPIES}/{number}") for number, path in enumerate(made.copied)),
        ]
        argv = (sys.executable, "-I", "-S", str(ENTRY_PROGRAM), ENTRY)
        return self._runner.engine.start(
            Container(
                image=self._runner.image,
                argv=argv,
                environment=dict(LAUNCHER_ENVIRONMENT),
                mounts=tuple(mounts),
                spaces=(*SPACES, *spaces(made.mounts, view.home)),
                space_bytes=view.limits.temporary_bytes,
                processes=view.limits.processes,
            )
        )


class EmptyFolders:
    """The folders that are empty inside: read-only folders of this machine, in which mounts have places."""

    def __init__(self, folder: Path, mounts: Sequence[Mount], home: str) -> None:
        """`folder`: outside, where they are created."""
        self._folder = folder
        self._home = home
        self._mounts = mounts

    def bind(self, mount: Mount) -> BindMount | None:
        """Return how a mount is made in a container; None for a folder that Docker creates empty and writable."""
        path = mount.path
        match mount.how:
            case "read" | "write":
                return BindMount(source=path, target=path, is_writable=mount.how == "write")
            case "empty_file":
                return BindMount(source=str(NO_SETTINGS_FILE if path.endswith(".json") else NO_TEXT_FILE), target=path)
            case "empty_folder" if path != self._home:
                return BindMount(source=str(self._create(path)), target=path)
        return None

    def _create(self, path: str) -> Path:
        made = Path(tempfile.mkdtemp(prefix="empty-", dir=self._folder))
        for mount in self._mounts:
            if PurePosixPath(mount.path).is_relative_to(path) and mount.path != path:
                is_file = mount.how == "empty_file" or Path(mount.path).is_file()
                _create_place(made / PurePosixPath(mount.path).relative_to(path), is_folder=not is_file)
        return made


def _create_place(path: Path, *, is_folder: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_folder:
        path.mkdir(exist_ok=True)
    else:
        path.touch()


def spaces(mounts: Sequence[Mount], home: str) -> Iterator[str]:
    """Yield the folders that are writable and empty inside: the home, with the folders in it that lead to a mount."""
    found = dict.fromkeys(mount.path for mount in mounts if mount.how == "private")
    inner = PurePosixPath(home)
    taken = {mount.path for mount in mounts}
    for mount in mounts:
        path = PurePosixPath(mount.path)
        if path.is_relative_to(inner) and not any(
            str(above) in taken and above != inner for above in path.parents if above.is_relative_to(inner)
        ):
            found |= dict.fromkeys(str(above) for above in path.parents if above.is_relative_to(inner))
    yield home
    yield from (path for path in found if path != home)

"""One container of a run: what it shows, and its folder outside, which `remove_abandoned` removes if its server dies.

Made by `docker_runner.py`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

import msgspec

from ..core.errors import Unavailable
from ..core.futures import to_its_end
from ..sandboxes.control import LAUNCHER_ENVIRONMENT
from ..sandboxes.launcher import remove_empty, start_time
from ..sandboxes.mount_places import MountPlaces
from ..sandboxes.mounts import COPIES, NO_SETTINGS_FILE, NO_TEXT_FILE, Mount, Plan
from ..sandboxes.process_table.processes import is_same
from ..sandboxes.view import SandboxView
from ..storage.filesystem.private_folders import private_folder_for_socket
from .docker_engine import BindMount, Container, DockerEngine, Image, check_paths

ENTRY_PROGRAM: Final = Path(__file__).with_name("container_entry.py")
ENTRY: Final = "/run/cabinet-entry"  # the socket inside
SPACES: Final = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - inside
SOCKET: Final = "socket"
RECORD: Final = "container.json"


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What a container has outside. `owner`: the server that has started it. `created`: places of mounts."""

    owner: str
    created: tuple[str, ...]


class Inside(NamedTuple):
    """The command line before that of the program, and the program's environment."""

    first_program: tuple[str, ...]
    environment: dict[str, str]


class RunContainer:
    """Call `create`, then `start`, and `release` at the end."""

    def __init__(
        self, engine: DockerEngine, image: Image, folder: Path, places: MountPlaces, memory_bytes: int
    ) -> None:
        """`folder`: private, in which the container gets a new one. `memory_bytes`: at most; 0: no limit."""
        self._memory_bytes = memory_bytes
        self._engine = engine
        self._image = image
        self._base = folder
        self._places = places
        self._made: Plan | None = None
        self._id: str | None = None
        self._mounts: tuple[BindMount, ...] = ()
        self._folder: Path | None = None

    @property
    def entry(self) -> Path:
        """Return the path of the socket outside. Only after `create`."""
        assert self._folder is not None
        return self._folder / SOCKET

    async def create(self, view: SandboxView, environment: Mapping[str, str]) -> Inside:
        """Create what the container needs outside, and return how its program is started. Raises `Unavailable`.

        Starts no container. If it raises, call `give_up`.
        """
        try:
            return await to_its_end(asyncio.to_thread(self._create, view, environment))
        except OSError as error:
            raise Unavailable(f"A container could not be prepared: {error.strerror or error}.") from None

    async def start(self) -> None:
        """Start the container, without waiting for its first program. Raises `Unavailable`.

        If it raises, call `give_up`.
        """
        await to_its_end(self._start())

    async def _start(self) -> None:
        assert self._made is not None
        limits = self._made.view.limits
        empty = (*SPACES, *self._image.volumes, *spaces(self._made.mounts, self._made.view.home))
        self._id = await self._engine.start(
            Container(
                image=self._image.name,
                argv=(sys.executable, "-I", "-S", str(ENTRY_PROGRAM), ENTRY),
                environment=dict(LAUNCHER_ENVIRONMENT),
                mounts=(BindMount(source=str(self.entry), target=ENTRY), *self._mounts),
                spaces=tuple(dict.fromkeys(empty)),
                space_bytes=limits.temporary_bytes,
                processes=limits.processes,
                memory_bytes=self._memory_bytes,
                owner=owner(),
            )
        )

    async def is_running(self) -> bool:
        """Return whether it was started and has not ended. Raises `Unavailable`."""
        return self._id is not None and await self._engine.is_running(self._id)

    async def give_up(self) -> None:
        """End a container whose launcher has not started, and `release` it. Never raises `Unavailable`."""
        if self._id is not None:
            with suppress(Unavailable):  # it is not needed for anything, and is removed when the server starts again
                await self._engine.remove(self._id)
        await asyncio.to_thread(self.release)

    def release(self) -> None:
        """Remove its folder outside, and the unused places of its mounts. Docker removes the container itself.

        Blocks.
        """
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._made is not None:
            self._places.release(self._made)

    def _create(self, view: SandboxView, environment: Mapping[str, str]) -> Inside:
        made = self._made = self._places.take(view, environment)
        check_paths([mount.path for mount in made.mounts] + list(made.copied))
        self._folder = private_folder_for_socket(self._base)
        record = Record(owner=owner(), created=made.created)
        (self._folder / RECORD).write_bytes(msgspec.json.encode(record))
        identities: dict[str, str] = {}
        binds = []
        for number, mount in enumerate(made.mounts):
            if mount.created:  # otherwise Docker creates it, and it belongs to root
                create_place(Path(mount.path), is_folder=mount.how != "empty_file")
            bind = _bind(mount, made, self._folder / f"empty-{number}")
            if bind is not None:
                binds.append(bind)
            if bind is None or bind.source != mount.path:
                identities[mount.path] = _identity(bind)
        copies = (BindMount(source=path, target=f"{COPIES}/{number}") for number, path in enumerate(made.copied))
        self._mounts = (*binds, *copies)
        return Inside(made.first_program(identities), made.environment)


def _bind(mount: Mount, made: Plan, empty: Path) -> BindMount | None:
    """Return how a mount is made in a container; None for a folder that Docker creates empty and writable."""
    path = mount.path
    match mount.how:
        case "read" | "write":
            return BindMount(source=path, target=path, is_writable=mount.how == "write")
        case "empty_file":
            return BindMount(source=str(NO_SETTINGS_FILE if path.endswith(".json") else NO_TEXT_FILE), target=path)
        case "empty_folder" if path != made.view.home:
            empty.mkdir(mode=0o755)
            for inner in made.mounts:
                if inner.path != path and PurePosixPath(inner.path).is_relative_to(path):
                    is_file = inner.how == "empty_file" or Path(inner.path).is_file()
                    create_place(empty / PurePosixPath(inner.path).relative_to(path), is_folder=not is_file)
            return BindMount(source=str(empty), target=path)
    return None


def _identity(bind: BindMount | None) -> str:
    """Return what `inside.py` finds at a mount; empty for a folder that Docker creates, which must only be no link."""
    if bind is None:
        return ""
    found = Path(bind.source).stat()
    return f"{found.st_dev}:{found.st_ino}"


def spaces(mounts: Sequence[Mount], home: str) -> Iterator[str]:
    """Yield the folders that are writable and empty inside, the home first.

    They are the home, the folders in it that lead to a mount, and the private folders.
    """
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


def create_place(path: Path, *, is_folder: bool) -> None:
    """Create an empty file or folder for a mount, and the folders above, unless it is there.

    Follows no link at its end. Raises `Unavailable` if something of another kind is there, and `OSError`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if is_folder:
            path.mkdir()
        else:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644))
    except FileExistsError:
        if path.is_symlink() or path.is_dir() != is_folder:
            raise Unavailable(f"{path} was replaced while a container was being prepared.") from None


# --- after the death of a server ---------------------------------------------------------------------


def owner() -> str:
    """Return what names this process among all that ever run on this machine."""
    return f"{os.getpid()} {start_time(os.getpid())}"


def is_alive(owner: str) -> bool:
    """Return whether the process that `owner` names still runs. True if it names none: it is not ours to judge."""
    pid, _, started_at = owner.partition(" ")
    return not pid.isdecimal() or is_same(int(pid), started_at)


def remove_abandoned(folder: Path) -> None:
    """Remove what the containers of servers that are gone have left in `folder` and in workspaces. Blocks.

    What cannot be read or removed is skipped. The containers themselves are not removed here.
    """
    for file in folder.glob(f"*/{RECORD}"):
        with suppress(OSError, msgspec.MsgspecError):
            record = msgspec.json.decode(file.read_bytes(), type=Record)
            if not is_alive(record.owner):
                remove_empty(list(record.created))
                shutil.rmtree(file.parent, ignore_errors=True)

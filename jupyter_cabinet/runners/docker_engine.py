"""Docker's API: the only file that talks to the package `docker`. Podman speaks the same API.

It blocks, so it has its own threads: if Docker hangs, everything else in this server continues.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from ..core.errors import Unavailable
from ..core.plain_text import one_line

if TYPE_CHECKING:
    from docker import DockerClient

T = TypeVar("T")

INSTALL: Final = "Install it with: pip install 'jupyter_cabinet[docker]'"
NO_ENGINE: Final = "Docker does not answer on this machine."
START_ENGINE: Final = (
    "Start Docker or `podman system service`, and set DOCKER_HOST of the server if its socket is elsewhere."
)
ANSWER_SECONDS: Final = 5  # for an answer
WORK_SECONDS: Final = 30  # to create, start or remove a container
MOST_CALLS: Final = 16  # at the same time
SPACE_OPTIONS: Final = "rw,exec,nosuid,nodev,mode=1777,size="
SEARCH_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # of images that set none
UNUSABLE: Final = frozenset(',"\\')
LABEL: Final = "jupyter-cabinet"
LONGEST_REASON: Final = 1000  # characters


class Image(msgspec.Struct, frozen=True, kw_only=True):
    """What an image brings: the variables in its containers, and folders that would be volumes on the disk."""

    name: str
    variables: dict[str, str]
    volumes: tuple[str, ...]


class BindMount(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder of this machine that is visible in a container."""

    source: str
    target: str
    is_writable: bool = False


class Container(msgspec.Struct, frozen=True, kw_only=True):
    """A container to start. `spaces`: folders that exist only inside, each of at most `space_bytes`."""

    image: str
    argv: tuple[str, ...]
    environment: dict[str, str]
    mounts: tuple[BindMount, ...]
    spaces: tuple[str, ...]
    space_bytes: int
    processes: int
    memory_bytes: int  # of all processes, and of what is in `spaces`; 0: no limit
    owner: str  # the process that starts it, as `is_alive` of `remove_abandoned` understands it


class DockerEngine:
    """The connection to Docker on this machine. It is opened when it is first needed.

    Its methods raise `Unavailable`, with a `remedy` in the detail if there is one, if the package is missing, Docker
    does not answer in time or refuses something.
    """

    def __init__(self) -> None:
        self._clients: dict[int, DockerClient] = {}  # by the time limit
        self._threads = ThreadPoolExecutor(max_workers=MOST_CALLS, thread_name_prefix="docker")

    async def look_at(self, image: str) -> Image:
        """Return what an image brings. Raises `Unavailable` with a `remedy` if it is not there: it is never fetched."""
        return await self._call(self._look_at, image)

    async def start(self, container: Container) -> str:
        """Start a container that is removed when its first program ends. Returns its id, without waiting for its end.

        Raises `Unavailable`, also for a path that `check_paths` refuses; no container is left then.
        """
        return await self._call(self._start, container)

    async def is_running(self, id: str) -> bool:
        """Return whether the first program of a container has not ended; False for an unknown one.

        Raises `Unavailable`.
        """
        return await self._call(self._is_running, id)

    async def remove(self, id: str) -> None:
        """End a container and remove it, unless it is gone already. Raises `Unavailable`."""
        await self._call(self._remove, id)

    async def remove_abandoned(self, is_alive: Callable[[str], bool]) -> None:
        """Remove the containers of servers that are gone. `is_alive` gets a container's `owner`, in a thread.

        Raises `Unavailable`.
        """
        await self._call(self._remove_abandoned, is_alive)

    def close(self) -> None:
        """Close the connection, without waiting. What still waits for Docker is given up. No container is removed."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for client in self._clients.values():
            client.close()
        self._clients = {}

    async def _call(self, function: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    # --- in threads ------------------------------------------------------------------------------

    def _look_at(self, image: str) -> Image:
        with _told():
            import docker.errors

            try:
                found = self._opened().images.get(image)
            except docker.errors.ImageNotFound:
                raise Unavailable(
                    f"The image {image} is not on this machine.", remedy=f"Fetch it with: docker pull {image}"
                ) from None
            config = found.attrs.get("Config") or {}
        variables = {name: value for name, _, value in (each.partition("=") for each in config.get("Env") or [])}
        return Image(
            name=image, variables={"PATH": SEARCH_PATH, **variables}, volumes=tuple(config.get("Volumes") or ())
        )

    def _start(self, container: Container) -> str:
        check_paths([path for each in container.mounts for path in (each.source, each.target)])
        check_paths(container.spaces)
        with _told():
            from docker.types import LogConfig, Mount

            client = self._opened(WORK_SECONDS)
            made = client.containers.create(
                container.image,
                list(container.argv[1:]),
                entrypoint=list(container.argv[:1]),
                environment=container.environment,
                working_dir="/",
                mounts=[
                    Mount(each.target, each.source, "bind", read_only=not each.is_writable) for each in container.mounts
                ],
                tmpfs=dict.fromkeys(container.spaces, f"{self._space_options(client)}{container.space_bytes}"),
                pids_limit=container.processes,
                mem_limit=container.memory_bytes or None,
                labels={LABEL: container.owner},
                hostname="sandbox",
                auto_remove=True,
                cap_drop=["ALL"],
                log_config=LogConfig(type="none"),
                network_mode="none",
                read_only=True,
                security_opt=["no-new-privileges", "label=disable"],
                user=self._user(client),
                group_add=self._groups(client),
            )
            id: str = made.id
            try:
                made.start()
            except BaseException:
                self._remove(id)
                raise
        return id

    def _is_running(self, id: str) -> bool:
        with _told():
            import docker.errors

            try:
                found = self._opened().api.inspect_container(id)
            except docker.errors.NotFound:
                return False
            return found["State"]["Status"] in ("created", "running")

    def _remove(self, id: str) -> None:
        with _told():
            import docker.errors

            try:
                self._opened(WORK_SECONDS).api.remove_container(id, v=True, force=True)
            except docker.errors.NotFound:
                pass
            except docker.errors.APIError as error:
                if error.status_code != 409:  # Docker is removing it
                    raise

    def _remove_abandoned(self, is_alive: Callable[[str], bool]) -> None:
        with _told():
            found = self._opened().api.containers(all=True, filters={"label": LABEL})
            abandoned = [each["Id"] for each in found if not is_alive(each["Labels"].get(LABEL, ""))]
        for id in abandoned:
            self._remove(id)

    def _opened(self, seconds: int = ANSWER_SECONDS) -> DockerClient:
        client = self._clients.get(seconds)
        if client is None:
            import docker

            if not os.environ.get("DOCKER_HOST", "unix://").startswith("unix://"):
                raise Unavailable(
                    "DOCKER_HOST names another machine. Containers can only work on this one.",
                    remedy="Set DOCKER_HOST of the server to the socket of Docker or podman on this machine.",
                )
            # without a lock: if Docker hangs, one call must not wait for another
            client = self._clients.setdefault(seconds, docker.DockerClient.from_env(timeout=seconds))
        return client

    def _space_options(self, client: DockerClient) -> str:
        is_podman = any("Podman" in part.get("Name", "") for part in client.version().get("Components") or [])
        # Podman would copy what the image or a mount has there, and fails below mounts (4.3 with runc).
        return f"notmpcopyup,{SPACE_OPTIONS}" if is_podman else SPACE_OPTIONS

    def _user(self, client: DockerClient) -> str:
        """Return the user inside who is the server's user outside."""
        return "0:0" if _is_rootless(client) else f"{os.geteuid()}:{os.getegid()}"

    def _groups(self, client: DockerClient) -> list[str]:
        return [] if _is_rootless(client) else list(map(str, os.getgroups()))


def _is_rootless(client: DockerClient) -> bool:
    return "name=rootless" in (client.info().get("SecurityOptions") or [])


def check_paths(paths: Iterable[str]) -> None:
    """Raise `Unavailable` if podman 4.3 would read a path as options of a mount.

    Not usable are commas, quotation marks (`"`), backslashes and unprintable characters.
    """
    for path in paths:
        if not path.isprintable() or set(path) & UNUSABLE:
            raise Unavailable(
                f"Containers cannot show {one_line(path, most=LONGEST_REASON)}, because of a comma, a quotation mark,"
                " a backslash or a control character in its path. Rename it."
            )


@contextmanager
def _told() -> Iterator[None]:
    """Turn what Docker raises into sentences."""
    try:
        yield
    except Unavailable:
        raise
    except ImportError:
        raise Unavailable("The package docker is not installed.", remedy=INSTALL) from None
    except Exception as error:
        raise _unavailable(error) from None


def _unavailable(error: Exception) -> Unavailable:
    import docker.errors
    import requests

    explanation: Any = error.explanation if isinstance(error, docker.errors.APIError) else None
    if explanation:
        return Unavailable(f"Docker refused the container: {one_line(str(explanation), most=LONGEST_REASON)}")
    if isinstance(error, docker.errors.DockerException | requests.RequestException):
        return Unavailable(NO_ENGINE, remedy=START_ENGINE)
    raise error

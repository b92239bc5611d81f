"""Docker's API: the only file that talks to the package `docker`. Podman speaks the same API. All methods block."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ..core.errors import Unavailable
from ..core.plain_text import one_line

if TYPE_CHECKING:
    from docker import DockerClient

INSTALL: Final = "Install it with: pip install 'jupyter_cabinet[docker]'"
NO_ENGINE: Final = "Docker does not answer on this machine."
START_ENGINE: Final = (
    "Start Docker or `podman system service`, and set DOCKER_HOST of the server if its socket is elsewhere."
)
ENGINE_SECONDS: Final = 30  # for each answer
SPACE_OPTIONS: Final = "rw,exec,nosuid,nodev,mode=1777,size="
SEARCH_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # of images that set none
LABEL: Final = "jupyter-cabinet"
LONGEST_REASON: Final = 1000  # characters


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


class DockerEngine:
    """The connection to Docker on this machine. It is opened when it is first needed."""

    def __init__(self) -> None:
        self._client: DockerClient | None = None
        self._opening = threading.Lock()

    def environment_of(self, image: str) -> dict[str, str]:
        """Return the variables in containers of an image. Raises `Unavailable` with a `remedy` if it is not there."""
        with _told():
            import docker.errors

            try:
                found = self._opened().images.get(image)
            except docker.errors.ImageNotFound:
                raise Unavailable(
                    f"The image {image} is not on this machine.", remedy=f"Fetch it with: docker pull {image}"
                ) from None
            variables = found.attrs.get("Config", {}).get("Env") or []
        return {"PATH": SEARCH_PATH, **{name: value for name, _, value in (each.partition("=") for each in variables)}}

    def start(self, container: Container) -> str:
        """Start a container that is removed when its first program ends. Returns its id. Raises `Unavailable`."""
        with _told():
            from docker.types import LogConfig, Mount

            client = self._opened()
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
                labels={LABEL: str(os.getpid())},
                hostname="sandbox",
                auto_remove=True,
                cap_drop=["ALL"],
                log_config=LogConfig(type="none"),
                network_mode="none",
                read_only=True,
                security_opt=["no-new-privileges", "label=disable"],
                user=self._user(client),
            )
            id: str = made.id
            try:
                made.start()
            except BaseException:
                self.remove(id)
                raise
        return id

    def is_running(self, id: str) -> bool:
        """Return whether the first program of a container has not ended. Raises `Unavailable`."""
        with _told():
            import docker.errors

            try:
                found = self._opened().api.inspect_container(id)
            except docker.errors.NotFound:
                return False
            return found["State"]["Status"] in ("created", "running")

    def remove(self, id: str) -> None:
        """End a container and remove it, unless it is gone already. Raises `Unavailable`."""
        with _told():
            import docker.errors

            try:
                self._opened().api.remove_container(id, force=True)
            except docker.errors.NotFound:
                pass
            except docker.errors.APIError as error:
                if error.status_code != 409:  # Docker is removing it
                    raise

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _opened(self) -> DockerClient:
        with self._opening:
            if self._client is None:
                import docker

                if not os.environ.get("DOCKER_HOST", "unix://").startswith("unix://"):
                    raise Unavailable(
                        "DOCKER_HOST names another machine. Containers can only work on this one.",
                        remedy="Set DOCKER_HOST of the server to the socket of Docker or podman on this machine.",
                    )
                self._client = docker.DockerClient.from_env(timeout=ENGINE_SECONDS)
            return self._client

    def _space_options(self, client: DockerClient) -> str:
        is_podman = any("Podman" in part.get("Name", "") for part in client.version().get("Components") or [])
        # Podman would copy what the image or a mount has there, and fails below mounts (4.3 with runc).
        return f"notmpcopyup,{SPACE_OPTIONS}" if is_podman else SPACE_OPTIONS

    def _user(self, client: DockerClient) -> str:
        """Return the user inside who is the server's user outside."""
        is_rootless = "name=rootless" in (client.info().get("SecurityOptions") or [])
        return "0:0" if is_rootless else f"{os.geteuid()}:{os.getegid()}"


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

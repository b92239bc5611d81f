"""A Docker engine for tests: podman's API on this machine, with an image that can run the Python of the tests."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from harness.server import until

IMAGE = "localhost/cabinet-test:latest"
PROGRAMS = ("sh", "cat", "ls", "sleep", "touch", "env")
PACKAGES = Path(msgspec.__file__).parents[1]
# Podman in a container or a small virtual machine: runc, and limits that its user already has.
CONFIGURATION = """
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
events_logger = "file"
cgroup_manager = "cgroupfs"
"""


def missing() -> str:
    """Return why there can be no containers here; empty if there can be."""
    for program in ("podman", "runc"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    return ""


class Containers:
    """A running engine. `address`: for DOCKER_HOST."""

    def __init__(self, address: str, pid: int = 0) -> None:
        """`pid`: of the engine."""
        from docker import DockerClient

        self.address = address
        self._pid = pid
        self.client = DockerClient(base_url=address)

    def add_image(
        self,
        folder: Path,
        *,
        name: str = IMAGE,
        programs: Mapping[str, Path] | None = None,
        volume: str = "",
        has_shell: bool = True,
    ) -> str:
        """Make an image, and return its name. `programs`: further ones, by the names under which they are found."""
        archive = folder / "image.tar"
        _write_image(archive, programs or {}, has_shell)
        repository, _, tag = name.rpartition(":")
        changes = [f"VOLUME {volume}"] if volume else None
        self.client.api.import_image_from_file(str(archive), repository=repository, tag=tag, changes=changes)
        archive.unlink()
        return name

    def obstacle(self) -> str:
        """Why no container of the image can be started here, for example in a container; empty if one can be."""
        from docker.errors import DockerException

        try:
            self.client.containers.run(IMAGE, ["cat", "/dev/null"], network_mode="none", remove=True)
        except DockerException as error:
            return str(error)
        return ""

    def add_empty_image(self) -> str:
        """Make an image without any program, and return its name."""
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as image:
            _add_folder(image, "tmp")
        self.client.api.import_image_from_data(archive.getvalue(), repository="localhost/empty", tag="latest")
        return "localhost/empty:latest"

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """It answers nothing, but is there."""
        os.kill(self._pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._pid, signal.SIGCONT)

    def left(self) -> list[str]:
        """The containers of Cabinet that exist."""
        return [each["Id"] for each in self.client.api.containers(all=True, filters={"label": "jupyter-cabinet"})]


@contextmanager
def running(folder: Path) -> Iterator[Containers]:
    """Podman with its own storage."""
    configuration, socket = folder / "containers.conf", folder / "podman.sock"
    configuration.write_text(CONFIGURATION)
    storage = ("--root", str(folder / "storage"), "--runroot", str(folder / "run"))
    service = subprocess.Popen(
        ["podman", *storage, "system", "service", "--time=0", f"unix://{socket}"],
        cwd=configuration.parent,  # an empty file named oom appears here when a container's memory is used up
        env={**os.environ, "CONTAINERS_CONF": str(configuration)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until(socket.exists)
        yield Containers(f"unix://{socket}", service.pid)
    finally:
        service.terminate()
        service.wait()
        subprocess.run(["podman", *storage, "system", "reset", "--force"], capture_output=True, check=False)


def _write_image(archive: Path, more: Mapping[str, Path], has_shell: bool) -> None:
    """A few programs, and the libraries that they and this Python need. Python itself is mounted."""
    programs = [path for name in PROGRAMS if (path := shutil.which(name, path="/usr/bin:/bin")) is not None]
    python = Path(sys.executable).resolve()
    compiled = [str(path) for name in ("msgspec", "pydantic_core") for path in (PACKAGES / name).glob("*.so")]
    extensions = [str(path) for path in Path(sys.base_prefix).glob("lib/python3*/lib-dynload/*.so")]
    with tarfile.open(archive, "w") as image:
        for name in ("tmp", "proc", "sys", "dev", "run", "etc", "var/tmp"):
            _add_folder(image, name)
        if has_shell:
            image.add(os.path.realpath("/bin/sh"), arcname="bin/sh")
        for name, path in more.items():
            image.add(path.resolve(), arcname=f"usr/local/bin/{name}")
        for path in {
            *programs,
            *_libraries([*programs, str(python), *extensions, *compiled, *map(str, more.values())]),
        }:
            image.add(os.path.realpath(path), arcname=path.lstrip("/"))
        if python.is_relative_to("/usr"):  # then the image has to have it
            image.add(python, arcname=str(python).lstrip("/"))
            standard = Path(os.__file__).parent
            image.add(standard, arcname=str(standard).lstrip("/"))


def _add_folder(image: tarfile.TarFile, name: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
    image.addfile(entry)


def _libraries(programs: list[str]) -> set[str]:
    """The paths that the loader looks up for programs."""
    told = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(?:=> |^\s+)(/\S+) \(0x", told, re.MULTILINE))

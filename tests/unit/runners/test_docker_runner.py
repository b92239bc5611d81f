"""Programs in containers of a real engine."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.containers import IMAGE, Containers
from harness.waiting import holds

from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.runners.docker_engine import ANSWER_SECONDS, check_paths
from jupyter_cabinet.runners.docker_runner import DockerRunner, DockerSandbox
from jupyter_cabinet.runners.port import RunnerState
from jupyter_cabinet.runners.run_container import (
    RECORD,
    Record,
    create_place,
    is_alive,
    owner,
    remove_abandoned,
    spaces,
)
from jupyter_cabinet.sandboxes.local_pipes import LocalPipedProcess
from jupyter_cabinet.sandboxes.local_pty import LocalPtyProcess
from jupyter_cabinet.sandboxes.mount_places import MountPlaces
from jupyter_cabinet.sandboxes.mounts import Mount
from jupyter_cabinet.sandboxes.port import Size
from jupyter_cabinet.sandboxes.view import SandboxView
from jupyter_cabinet.testing.sandboxes import PtyConformance

LONG = pytest.mark.long(reason="starts podman and containers")
ENVIRONMENT = {"PATH": "/nowhere", "HOME": "/root", "LD_PRELOAD": "evil.so"}


@pytest.fixture
def engine(docker_engine: Containers, monkeypatch: pytest.MonkeyPatch) -> Containers:
    monkeypatch.setenv("DOCKER_HOST", docker_engine.address)
    return docker_engine


def runner_in(folder: Path, image: str = IMAGE) -> DockerRunner:
    return DockerRunner(image, folder / "sockets", MountPlaces(), memory_bytes=2**30)


async def result_of(process: LocalPipedProcess) -> tuple[str, str]:
    """What a program has written until its end."""
    pieces = {"stdout": b"", "stderr": b""}
    await process.go()
    process.close_stdin()
    async for name, piece in process.output():
        pieces[name] += piece
    await process.wait()
    return pieces["stdout"].decode(), pieces["stderr"].decode()


async def inside(runner: DockerRunner, view: SandboxView, program: str) -> Any:
    """What a Python program prints as JSON in a container."""
    sandbox = DockerSandbox(runner, None)
    argv = (sys.executable, "-I", "-S", "-c", program)
    process = await sandbox.start(argv, cwd=view.folder, environment=ENVIRONMENT, view=view)
    told, complaint = await result_of(process)
    assert told, complaint
    return json.loads(told)


class InOneFolder(DockerSandbox):
    """Each program sees its working folder and nothing else of its user."""

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> LocalPipedProcess:
        return await super().start(argv, cwd=cwd, environment=environment, view=self._view(cwd))

    async def start_on_pty(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        size: Size,
        view: SandboxView | None = None,
    ) -> LocalPtyProcess:
        view = self._view(cwd)
        return await super().start_on_pty(argv, cwd=cwd, environment=environment, size=size, view=view)

    def _view(self, cwd: str) -> SandboxView:
        return SandboxView(folder=cwd, home="/root", write=() if cwd == "/" else (cwd,))


@LONG
class TestDocker(PtyConformance):
    counts_survivors = False

    @pytest.fixture(autouse=True)
    def _folder(self, engine: Containers, tmp_path: Path) -> None:
        self.folder = tmp_path

    def make(self) -> InOneFolder:
        return InOneFolder(runner_in(self.folder), None)


@LONG
async def test_an_image_without_a_shell_is_refused(engine: Containers, tmp_path: Path) -> None:
    image = engine.add_image(tmp_path, name="localhost/no-shell:latest", has_shell=False)
    state = await runner_in(tmp_path, image).state()
    assert state == RunnerState(
        works=False, reason="The image has no shell.", remedy="Use an image that has a shell at /bin/sh."
    )


@LONG
async def test_a_program_sees_what_its_view_names_and_the_programs_of_the_image(
    engine: Containers, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    for name in (".ssh/id", ".tool/login", "project/.git/config", "project/a.md", "project/.agents/me/note.md"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("outside")
    project = home / "project"
    view = SandboxView(
        folder=str(project),
        home=str(home),
        read=(f"{project}/.agents/me",),
        write=(str(project), f"{home}/.tool"),
        fixed=(f"{project}/.git/config", f"{project}/.mcp.json", f"{project}/.claude/"),
        hidden=(f"{project}/.agents/",),
    )
    found = await inside(
        runner_in(tmp_path),
        view,
        """
import json, os, shutil
def attempt(work):
    try:
        return work() or "done"
    except OSError as error:
        return type(error).__name__ + str(error.errno)
def write(path):
    with open(path, "a") as file:
        file.write(" inside")
print(json.dumps({
    "home": sorted(os.listdir("..")),
    "agents": attempt(lambda: os.listdir(".agents")),
    "note": open(".agents/me/note.md").read(),
    "writes": {path: attempt(lambda: write(path)) for path in (
        "a.md", "../.tool/login", ".git/config", ".mcp.json", ".claude/x", ".agents/x", ".agents/me/note.md", "/usr/x",
        "/tmp/x", "../x",
    )},
    "program": shutil.which("cat"),
    "preload": os.environ.get("LD_PRELOAD"),
    "user": os.getuid(),
    "capabilities": [l.split()[1] for l in open("/proc/self/status") if l.startswith("CapEff")][0],
}))
""",
    )
    assert found["home"] == [".tool", "project"] and found["agents"] == ["me"] and found["note"] == "outside"
    readonly = dict.fromkeys((".git/config", ".mcp.json", ".claude/x", ".agents/x", ".agents/me/note.md", "/usr/x"))
    allowed = ("a.md", "../.tool/login", "/tmp/x", "../x")
    assert found["writes"] == {**dict.fromkeys(readonly, "OSError30"), **dict.fromkeys(allowed, "done")}
    assert found["program"] and found["preload"] is None and found["user"] == os.geteuid()
    assert set(found["capabilities"]) == {"0"}
    assert (project / "a.md").read_text() == "outside inside" == (home / ".tool/login").read_text()
    assert sorted(path.name for path in project.iterdir()) == [".agents", ".git", "a.md"]  # no place is left
    await holds(lambda: not engine.left())


@LONG
async def test_a_folder_that_became_a_link_meanwhile_is_refused(engine: Containers, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "secret").mkdir()
    runner = runner_in(tmp_path)
    view = SandboxView(folder=str(tmp_path / "work"), home="/root", write=(str(tmp_path / "work"),))
    start = runner.engine.start

    async def swapped(container: Any) -> str:
        (tmp_path / "work").rename(tmp_path / "old")
        (tmp_path / "work").symlink_to(tmp_path / "secret")
        return await start(container)

    runner.engine.start = swapped  # type: ignore[method-assign]
    sandbox = DockerSandbox(runner, None)
    process = await sandbox.start(("touch", "made"), cwd=view.folder, environment=ENVIRONMENT, view=view)
    with pytest.raises(Unavailable, match="replaced meanwhile"):
        await process.go()
    assert not list((tmp_path / "secret").iterdir())


@LONG
async def test_a_protected_place_that_became_a_link_meanwhile_is_refused(engine: Containers, tmp_path: Path) -> None:
    (tmp_path / "work" / "other").mkdir(parents=True)
    runner = runner_in(tmp_path)
    folder = str(tmp_path / "work")
    view = SandboxView(folder=folder, home="/root", write=(folder,), fixed=(f"{folder}/.claude/",))
    start = runner.engine.start

    async def swapped(container: Any) -> str:
        (tmp_path / "work" / ".claude").rmdir()
        (tmp_path / "work" / ".claude").symlink_to("other")
        return await start(container)

    runner.engine.start = swapped  # type: ignore[method-assign]
    process = await DockerSandbox(runner, None).start(("true",), cwd=folder, environment=ENVIRONMENT, view=view)
    with pytest.raises(Unavailable, match="replaced meanwhile"):
        await process.go()


@LONG
async def test_the_memory_of_the_launcher_cannot_be_written_and_its_filter_holds(
    engine: Containers, tmp_path: Path
) -> None:
    found = await inside(
        runner_in(tmp_path),
        SandboxView(folder=str(tmp_path), home="/root", write=(str(tmp_path),)),
        """
import json, os, signal
def attempt(work):
    try:
        return str(work())
    except OSError as error:
        return type(error).__name__
print(json.dumps([
    attempt(lambda: open("/proc/1/mem", "r+b")), attempt(lambda: os.readlink("/proc/1/fd/4")),
    attempt(lambda: os.open("made", os.O_CREAT, 0o4755)), attempt(lambda: os.kill(1, signal.SIGKILL)), os.getppid(),
]))
""",
    )
    assert found == ["PermissionError", "PermissionError", "PermissionError", "None", 1]


@LONG
async def test_a_docker_that_hangs_holds_up_nothing_else(engine: Containers, tmp_path: Path) -> None:
    sandbox = InOneFolder(runner_in(tmp_path), None)
    process = await sandbox.start(("sleep", "600"), cwd=str(tmp_path), environment=ENVIRONMENT)
    await process.go()
    other = runner_in(tmp_path)
    with engine.hanging():
        starts = [asyncio.create_task(other.state()) for _ in range(8)]
        async with asyncio.timeout(ANSWER_SECONDS - 1):
            await asyncio.gather(*(asyncio.to_thread(int) for _ in range(8)))
            assert (await process.stop()).signal == signal.SIGINT
        async with asyncio.timeout(3 * ANSWER_SECONDS):  # they do not wait for each other
            states = await asyncio.gather(*starts)
        assert {state.reason for state in states} == {"Docker does not answer on this machine."}


@LONG
@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.1, 0.3, 0.6])
async def test_nothing_is_left_of_a_start_that_was_cancelled(
    engine: Containers, tmp_path: Path, seconds: float
) -> None:
    (tmp_path / "work").mkdir()
    folder = str(tmp_path / "work")
    view = SandboxView(
        folder=folder, home="/root", write=(folder,), fixed=(f"{folder}/.mcp.json", f"{folder}/.claude/")
    )
    sandbox = DockerSandbox(runner_in(tmp_path), None)
    starting = asyncio.create_task(sandbox.start(("true",), cwd=folder, environment=ENVIRONMENT, view=view))
    await asyncio.wait([starting], timeout=seconds)
    if not starting.cancel():
        await (await starting).stop()
    await asyncio.wait([starting])
    await holds(lambda: not engine.left())
    assert not list((tmp_path / "work").iterdir())
    assert not (tmp_path / "sockets").exists() or not list((tmp_path / "sockets").iterdir())


@LONG
async def test_a_container_has_limits_and_the_groups_of_the_server_and_no_volumes(
    engine: Containers, tmp_path: Path
) -> None:
    image = engine.add_image(tmp_path, name="localhost/with-volume:latest", volume="/data")
    runner = runner_in(tmp_path, image)
    (tmp_path / "work").mkdir()
    view = SandboxView(folder=str(tmp_path / "work"), home="/root", write=(str(tmp_path / "work"),))
    found = await inside(
        runner,
        view,
        """
import json, os
kinds = {line.split()[1]: line.split()[2] for line in open("/proc/mounts")}
child = os.fork()
if child == 0:
    os._exit(len(b"x" * 3 * 2**29) > 0)  # more than the container may use
print(json.dumps([kinds["/data"], sorted(os.getgroups()), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])]))
""",
    )
    assert (found[0], found[2]) == ("tmpfs", -signal.SIGKILL)
    assert set(found[1]) | {os.getegid()} == {*os.getgroups(), os.getegid()}


@LONG
async def test_much_output_arrives_and_an_unread_program_is_slowed(engine: Containers, tmp_path: Path) -> None:
    sandbox = InOneFolder(runner_in(tmp_path), None)
    program = "import sys\nfor n in range(2000): sys.stdout.buffer.write(b'x' * 2**16)"
    process = await sandbox.start((sys.executable, "-c", program), cwd=str(tmp_path), environment=ENVIRONMENT)
    await process.go()
    async with asyncio.timeout(60):
        count = 0
        async for _, piece in process.output():
            count += len(piece)
        assert (count, (await process.wait()).code) == (2000 * 2**16, 0)


@LONG
async def test_nothing_is_left_when_the_launcher_is_killed(engine: Containers, tmp_path: Path) -> None:
    sandbox = InOneFolder(runner_in(tmp_path), None)
    process = await sandbox.start(("sleep", "600"), cwd=str(tmp_path), environment=ENVIRONMENT)
    await process.go()
    os.kill(process.pid, signal.SIGKILL)  # the first process of the container
    assert (await process.wait()).killed
    await holds(lambda: not engine.left())
    assert not list((tmp_path / "sockets").iterdir())


@LONG
async def test_the_state_tells_what_is_wrong_and_what_to_do(
    engine: Containers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await runner_in(tmp_path).state() == RunnerState(works=True)
    absent = await runner_in(tmp_path, "nowhere/no:1").state()
    assert (absent.reason, absent.remedy) == (
        "The image nowhere/no:1 is not on this machine.",
        "Fetch it with: docker pull nowhere/no:1",
    )
    empty = await runner_in(tmp_path, engine.add_empty_image()).state()
    assert not empty.works and "did not start Cabinet's launcher" in empty.reason
    assert not engine.left()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert (await runner_in(tmp_path).state()).reason == "Docker does not answer on this machine."
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    assert "names another machine" in (await runner_in(tmp_path).state()).reason


def test_folders_in_the_home_that_lead_to_a_mount_are_writable_but_not_those_in_a_mount() -> None:
    mounts = [
        Mount("/home/ada", "empty_folder"),
        Mount("/home/ada/.config/tool", "write"),
        Mount("/home/ada/.config/tool/hooks", "read"),
        Mount("/home/ada/work/.cache", "private"),
        Mount("/home/ada/work", "write"),
        Mount("/srv/x", "read"),
    ]
    assert list(spaces(mounts, "/home/ada")) == ["/home/ada", "/home/ada/work/.cache", "/home/ada/.config"]


@pytest.mark.parametrize("path", ["/work/a,source=/", '/work/a"b', "/work/a\nb", "/work/a\\b"])
def test_a_path_that_podman_would_read_as_options_is_refused(path: str) -> None:
    with pytest.raises(Unavailable, match="Rename it"):
        check_paths([path])


def test_what_a_killed_server_has_left_is_removed_and_what_another_one_uses_is_not(tmp_path: Path) -> None:
    work = tmp_path / "work"
    for name, whose in (("gone", "4194304 1@x"), ("here", owner())):
        (tmp_path / "sockets" / name).mkdir(parents=True)
        (work / name).mkdir(parents=True)
        record = Record(owner=whose, created=(str(work / name),))
        (tmp_path / "sockets" / name / RECORD).write_bytes(msgspec.json.encode(record))
    (tmp_path / "sockets" / "torn").mkdir()
    (tmp_path / "sockets" / "torn" / RECORD).write_bytes(b"{")
    remove_abandoned(tmp_path / "sockets")
    assert [path.name for path in work.iterdir()] == ["here"]
    assert sorted(path.name for path in (tmp_path / "sockets").iterdir()) == ["here", "torn"]
    assert is_alive("of another program") and not is_alive("4194304 1@x")


def test_a_place_is_never_created_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    for is_folder in (True, False):
        with pytest.raises(Unavailable, match="replaced"):
            create_place(tmp_path / "link", is_folder=is_folder)
    assert not (tmp_path / "outside").exists()

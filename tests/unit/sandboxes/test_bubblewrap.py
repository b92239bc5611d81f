"""A program in bubblewrap sees what its view names, and cannot do what would outlive it or reach further."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.bubblewrap import NEEDS_BUBBLEWRAP

from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.sandboxes.egress.host_rules import Egress
from jupyter_cabinet.sandboxes.egress.proxy import EgressProxy
from jupyter_cabinet.sandboxes.local import LocalSandbox
from jupyter_cabinet.sandboxes.mounts import Mount, mounts, plan
from jupyter_cabinet.sandboxes.view import Limits, SandboxView

HELPERS = """
import ctypes, errno, json, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)

def attempt(work):
    try:
        return work()
    except OSError as error:
        return errno.errorcode[error.errno]

def call(*arguments):
    ctypes.set_errno(0)
    return libc.syscall(*arguments) if libc.syscall(*arguments) >= 0 else errno.errorcode[ctypes.get_errno()]

def tell(**found):
    print(json.dumps(found))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a key, a project with settings of an agent CLI, and another project."""
    for name in (".ssh/id", "other/data", "project/.git/config", "project/.git/hooks/pre-commit", "project/text.md"):
        file = tmp_path / "home" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("outside")
    (tmp_path / "home" / "project" / ".cabinet" / "runs").mkdir(parents=True)
    (tmp_path / "home" / "project" / ".cabinet" / "secret").write_text("secret")
    return tmp_path / "home"


def view_of(home: Path, **more: Any) -> SandboxView:
    project = home / "project"
    return SandboxView(
        folder=str(project),
        home=str(home),
        write=(str(project),),
        fixed=tuple(
            str(project / name) for name in (".git/config", ".git/hooks", ".mcp.json", ".claude/settings.json")
        ),
        hidden=(f"{project}/.cabinet/",),
        **more,
    )


async def inside(view: SandboxView, source: str) -> Any:
    """Run a Python program inside; return what it tells."""
    argv = (sys.executable, "-S", "-c", HELPERS + source)
    environment = {"HOME": view.home, "PATH": os.environ["PATH"]}
    process = await LocalSandbox().start(argv, cwd=view.folder, environment=environment, view=view)
    await process.go()
    process.close_stdin()
    pieces = {"stdout": b"", "stderr": b""}
    async for name, piece in process.output():
        pieces[name] += piece
    ended = await process.wait()
    assert ended.code == 0, pieces["stderr"].decode()
    return json.loads(pieces["stdout"])


@NEEDS_BUBBLEWRAP
async def test_only_what_the_view_names_is_there(home: Path) -> None:
    found = await inside(
        view_of(home),
        f"""
home = {str(home)!r}
tell(
    home=os.listdir(home),
    project=sorted(os.listdir(".")),
    cabinet=os.listdir(".cabinet"),
    key=attempt(lambda: open(home + "/.ssh/id").read()),
    processes=len([name for name in os.listdir("/proc") if name.isdigit()]),
    etc=attempt(lambda: open("/etc/shadow").read()),
    sockets=os.listdir("/run"),
)
""",
    )
    assert found["home"] == ["project"] and found["cabinet"] == [] and found["sockets"] == []
    assert {"text.md", ".git", ".mcp.json"} <= set(found["project"])
    assert (found["key"], found["etc"]) == ("ENOENT", "ENOENT")
    assert found["processes"] <= 3


@NEEDS_BUBBLEWRAP
async def test_work_is_kept_and_settings_cannot_be_changed_created_or_replaced(home: Path) -> None:
    found = await inside(
        view_of(home),
        """
def write(name):
    with open(name, "w") as file:
        file.write("inside")
    return "written"

tell(
    text=attempt(lambda: write("text.md")),
    new=attempt(lambda: write("new.md")),
    config=attempt(lambda: write(".git/config")),
    hook=attempt(lambda: write(".git/hooks/post-commit")),
    tools=attempt(lambda: write(".mcp.json")),
    settings=attempt(lambda: write(".claude/settings.json")),
    renamed=attempt(lambda: os.rename(".git", "moved")),
    removed=attempt(lambda: os.unlink(".mcp.json")),
    replaced=attempt(lambda: os.rename("new.md", ".mcp.json")),
)
""",
    )
    assert (found["text"], found["new"]) == ("written", "written")
    refused = {"EROFS", "EACCES", "EBUSY", "EPERM"}
    assert {name: found[name] for name in found if name not in ("text", "new")}.keys() == {
        name for name in found if found[name] in refused
    }
    project = home / "project"
    assert (project / "text.md").read_text() == "inside"
    assert (project / ".git" / "config").read_text() == "outside"
    assert not (project / ".mcp.json").exists() and not (project / ".claude").exists()  # nothing is left behind


@NEEDS_BUBBLEWRAP
async def test_the_network_is_empty(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        found = await inside(
            view_of(home),
            f"tell(port=attempt(lambda: socket.create_connection(('127.0.0.1', {door.getsockname()[1]}), 5)))",
        )
    assert found == {"port": "ECONNREFUSED"}


@NEEDS_BUBBLEWRAP
async def test_the_egress_proxy_is_the_only_way_out(home: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 1_000_000)
        writer.close()

    refused: list[str] = []
    model = await asyncio.start_server(answer, "127.0.0.1", 0)
    address = f"127.0.0.1:{model.sockets[0].getsockname()[1]}"
    directory = home.parent / "run"
    directory.mkdir()
    proxy = EgressProxy(Egress(mode="hosts", local=(address,)), on_refused=lambda host, _: refused.append(host))
    await proxy.listen(directory / "proxy")
    try:
        found = await inside(
            view_of(home, read=(str(directory),), proxy_socket=str(directory / "proxy"), local_services=(address,)),
            f"""
import urllib.error, urllib.request

def get(address):
    try:
        return len(urllib.request.urlopen("http://" + address, timeout=20).read())
    except urllib.error.HTTPError as error:
        return error.code

tell(model=get({address!r}), other=get("example.com"))
""",
        )
    finally:
        await proxy.close()
        model.close()
        await model.wait_closed()
    assert (found, refused) == ({"model": 1_000_000, "other": 403}, ["example.com:80"])


@NEEDS_BUBBLEWRAP
async def test_no_setuid_file_raw_socket_namespace_or_foreign_memory(home: Path) -> None:
    found = await inside(
        view_of(home),
        """
open("program", "w").close()
tell(
    chmod=attempt(lambda: os.chmod("program", 0o4755)),
    plain=attempt(lambda: os.chmod("program", 0o755)),
    fchmod=attempt(lambda: os.fchmod(os.open("program", os.O_RDWR), 0o2755)),
    create=attempt(lambda: os.open("other", os.O_CREAT | os.O_WRONLY, 0o4755)),
    open=attempt(lambda: bool(os.open("program", os.O_RDONLY, 0o4755))),
    raw=attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 1).close()),
    stream=attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC).close()),
    unshare=libc.unshare(0x10000000),
    ptrace=libc.ptrace(16, os.getppid(), 0, 0),
    capabilities=[line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")],
)
""",
    )
    assert found == {
        "chmod": "EPERM",
        "plain": None,
        "fchmod": "EPERM",
        "create": "EPERM",
        "open": True,
        "raw": "EPERM",
        "stream": None,
        "unshare": -1,
        "ptrace": -1,
        "capabilities": ["0000000000000000"],
    }
    assert not (home / "project" / "program").stat().st_mode & (stat.S_ISUID | stat.S_ISGID)


@NEEDS_BUBBLEWRAP
async def test_neither_the_kernels_settings_nor_the_memory_of_bubblewrap_can_be_written(home: Path) -> None:
    found = await inside(
        view_of(home, proxy_socket=str(home / "none")),
        """
def statuses():
    for name in os.listdir("/proc"):
        if name.isdigit():
            yield name, "Seccomp:\t2" in open(f"/proc/{name}/status").read()

tell(
    setting=attempt(lambda: os.open("/proc/sys/fs/lease-break-time", os.O_WRONLY)),
    memory=[attempt(lambda: os.open(f"/proc/{name}/mem", os.O_RDWR)) for name, _ in statuses()],
    filtered=dict(statuses()),
    vsock=attempt(lambda: socket.socket(40, socket.SOCK_STREAM)),
)
""",
    )
    assert (found["setting"], found["vsock"]) == ("EROFS", "EPERM")
    assert set(found["memory"]) == {"EROFS"} and len(found["memory"]) == 3
    assert [name for name, filtered in found["filtered"].items() if not filtered] == ["1"]  # bubblewrap


@NEEDS_BUBBLEWRAP
async def test_a_read_only_folder_in_the_work_cannot_be_replaced_by_moving_the_folder_above_it(home: Path) -> None:
    tools = home / "project" / "tools" / "venv"
    tools.mkdir(parents=True)
    found = await inside(
        view_of(home, read=(str(tools),)), 'tell(moved=attempt(lambda: os.rename("tools", "elsewhere")))'
    )
    assert found == {"moved": "EBUSY"}


@NEEDS_BUBBLEWRAP
async def test_a_file_where_a_folder_is_expected_is_protected_itself(home: Path) -> None:
    git = home / "project" / ".git"
    shutil.rmtree(git)
    git.write_text("gitdir: elsewhere\n")  # as in a worktree
    found = await inside(view_of(home), 'tell(written=attempt(lambda: open(".git", "w")))')
    assert found["written"] in ("EROFS", "EACCES")


def test_variables_of_the_loader_do_not_reach_bubblewrap() -> None:
    environment = {"LD_PRELOAD": "evil.so", "LD_LIBRARY_PATH": "/usr/lib:", "GLIBC_TUNABLES": "x", "LANG": "C.UTF-8"}
    made = plan(SandboxView(folder="/", home="/root"), environment)
    assert made.environment == {"LANG": "C.UTF-8", "TMPDIR": "/tmp"}


def test_work_in_the_servers_own_python_is_refused() -> None:
    with pytest.raises(Unavailable, match="own Python"):
        plan(SandboxView(folder=sys.prefix, home="/root", write=(sys.prefix,)), {})


@NEEDS_BUBBLEWRAP
async def test_limits_hold_inside(home: Path) -> None:
    found = await inside(
        view_of(home, limits=Limits(file_bytes=1_000_000, open_files=64, temporary_bytes=1_000_000)),
        """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def fill(name):
    with open(name, "wb") as file:
        file.write(bytes(2_000_000))

tell(
    file=attempt(lambda: fill("large")),
    temporary=attempt(lambda: fill("/tmp/large")),
    files=resource.getrlimit(resource.RLIMIT_NOFILE),
)
""",
    )
    assert found == {"file": "EFBIG", "temporary": found["temporary"], "files": [64, 64]}
    assert found["temporary"] in ("ENOSPC", "EFBIG")


@NEEDS_BUBBLEWRAP
async def test_a_link_in_place_of_protected_settings_is_refused(home: Path) -> None:
    (home / "project" / ".mcp.json").symlink_to(home / ".ssh" / "id")
    with pytest.raises(Unavailable, match="symbolic link"):
        await inside(view_of(home), "")


@pytest.mark.parametrize("folder", ["/", "/etc/ssl", "/usr/local", "/proc", "/home", "/dev", "/dev/shm"])
def test_work_in_a_folder_of_the_system_is_refused(folder: str) -> None:
    with pytest.raises(Unavailable, match="belongs to the system"):
        plan(SandboxView(folder=folder, home="/root", write=(folder,)), {})


@NEEDS_BUBBLEWRAP
async def test_work_in_a_folder_of_the_shared_memory_is_isolated_from_the_rest_of_it() -> None:
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("there is no shared memory here")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        project = Path(place, "project")
        project.mkdir()
        Path(place, "secret").write_text("outside")
        view = SandboxView(folder=str(project), home="/root", write=(str(project),))
        found = await inside(
            view,
            f"""
tell(
    own=attempt(lambda: open("made", "w").write("x")),
    secret=attempt(lambda: open({f"{place}/secret"!r})),
    devices=attempt(lambda: open("/dev/new", "w")),
)
""",
        )
        assert (project / "made").exists()
    assert found["secret"] == "ENOENT"
    assert found["devices"] in ("EROFS", "EACCES")


def test_a_deeper_path_counts_more_and_each_folder_above_a_protected_one_is_a_mount() -> None:
    there = {"/h": "folder", "/h/p": "folder", "/h/p/.git": "folder", "/h/p/.git/config": "file", "/h/p/env": "folder"}
    view = SandboxView(
        folder="/h/p",
        home="/h",
        read=("/h/p/env", "/h/none"),
        write=("/h/p",),
        fixed=("/h/p/.git/config", "/h/p/.claude/settings.json", "/h/p/env/x", "/elsewhere"),
        hidden=("/h/p/.cabinet/", "/other"),
    )
    found = [mount for mount in mounts(view, there.get) if mount.path.startswith("/h")]  # type: ignore[arg-type]
    assert found == [
        Mount("/h", "empty_folder"),
        Mount("/h/p", "write"),
        Mount("/h/p/.cabinet", "empty_folder", created=True),
        Mount("/h/p/.claude", "empty_folder", created=True),
        Mount("/h/p/.git", "write"),
        Mount("/h/p/env", "read"),
        Mount("/h/p/.git/config", "read"),
    ]


@pytest.mark.parametrize("replaced", ["project", "project/.git/config"])
async def test_a_link_that_is_put_in_place_after_the_check_ends_the_start(home: Path, replaced: str) -> None:
    """Bubblewrap itself follows it: the program would see the folder with the key."""
    process = await LocalSandbox().start(
        ("/bin/cat", str(home / "project" / "id")), cwd="/", environment={"PATH": "/usr/bin"}, view=view_of(home)
    )
    (home / replaced).rename(home / "moved")
    (home / replaced).symlink_to(home / ".ssh" if replaced == "project" else home / ".ssh" / "id")
    with pytest.raises(Unavailable, match=r"replaced meanwhile|could not be set up"):
        await process.go()
    await process.stop()


def test_a_folder_that_is_reached_through_a_link_is_refused(home: Path) -> None:
    (home / "linked").symlink_to(home / "project")
    view = SandboxView(folder=str(home / "linked"), home=str(home), write=(str(home / "linked"),))
    with pytest.raises(Unavailable, match="symbolic link"):
        plan(view, {})


@NEEDS_BUBBLEWRAP
async def test_no_folder_that_exists_only_inside_is_without_a_limit(home: Path) -> None:
    found = await inside(
        view_of(home, limits=Limits(temporary_bytes=2**22)),
        """
def size(folder):
    found = os.statvfs(folder)
    return found.f_blocks * found.f_frsize
sizes = {folder: size(folder) for folder in ("/tmp", "/var/tmp", "/run", "/dev/shm")}
tell(sizes=sizes, root=attempt(lambda: open("/x", "w")), dev=attempt(lambda: open("/dev/x", "w")))
""",
    )
    assert set(found["sizes"].values()) == {2**22}
    assert (found["root"], found["dev"]) == ("EROFS", "EROFS")


def test_more_mounts_than_bubblewrap_takes_are_refused_with_the_reason(home: Path) -> None:
    many = tuple(f"{home}/project/door{number}" for number in range(3000))
    with pytest.raises(Unavailable, match="Too many files would have to be protected or hidden"):
        plan(msgspec.structs.replace(view_of(home), fixed=many), {})

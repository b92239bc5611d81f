"""A program that is started as an agent and tries to read and to change what is not its business.

The same attempts are made without a sandbox, where they succeed: so each of them really is one.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from harness.backend import ADA, Place
from harness.bubblewrap import NEEDS_BUBBLEWRAP

from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runs.settings import RunSettings, SandboxSetting

pytestmark = NEEDS_BUBBLEWRAP
SECRET = "a-secret-of-somebody-else"

HOME_FILES = (
    ".ssh/id_rsa", ".ssh/config", ".ssh/known_hosts", ".gnupg/secring.gpg", ".netrc", ".git-credentials", ".gitconfig",
    ".aws/credentials", ".azure/token.json", ".config/gcloud/credentials.db", ".kube/config", ".docker/config.json",
    ".config/gh/hosts.yml", ".config/hub", ".pypirc", ".npmrc", ".cargo/credentials.toml", ".pgpass", ".my.cnf",
    ".kaggle/kaggle.json", ".cache/huggingface/token", ".local/share/keyrings/login.keyring", ".vault-token",
    ".bash_history", ".zsh_history", ".python_history", ".bashrc", ".profile", ".config/systemd/user/a.service",
    ".codex/auth.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json", ".pi/agent/auth.json",
    ".openclaw/openclaw.json", ".jupyter/jupyter_server_config.json", ".jupyter/jupyter_server_config.py",
    ".local/share/jupyter/runtime/jpserver-1.json", ".local/share/jupyter/runtime/kernel-1.json",
    ".local/share/jupyter/runtime/jupyter_cookie_secret", ".local/share/jupyter/nbsignatures.db",
    ".ipython/profile_default/history.sqlite", ".mozilla/firefox/cookies.sqlite", "Documents/diary.md", ".env",
    ".claude/ide/1.lock", ".claude/shell-snapshots/b.sh", ".local/share/jupyter/runtime/jpserver-1-open.html",
    ".config/rclone/rclone.conf", ".config/pip/pip.conf", ".local/state/history", ".Xauthority",
)  # fmt: skip
ROOT_FILES = (
    ".cabinet/runs/other/prompt.md", ".cabinet/runs/other/output.jsonl", ".cabinet/recordings/other.cast",
    ".cabinet/changes/other", ".agents/bob/persona.md", ".agents/bob/memory/context.md", ".agents/bob/inbox/a.md",
    ".agents/bob/workspace/notes.md", ".agents/.history/editor-sessions.jsonl",
)  # fmt: skip
OTHER_FILES = ("data/other", "data/hooks/secret", "d/other/ticket", "home2/.ssh/id_rsa", "tmp/of-another-user")

# What the program creates, or appends a line to. It acts later, or gives it more rights.
ROOT_WRITES = (
    ".git/hooks/post-commit", ".git/config", ".gitmodules", ".claude/settings.json", ".claude/hooks/a.sh", ".mcp.json",
    ".vscode/tasks.json", ".gemini/settings.json", "a.code-workspace", ".codex/config.toml", ".opencode/plugin/a.js",
    ".envrc", ".cabinet/a", ".agents/ada/persona.md", ".agents/ada/memory/context.md", ".agents/eve/persona.md",
    ".playbooks/a.md", ".git/commondir", ".git/config.worktree", "HEAD", ".git/worktrees/w/commondir", "opencode.json",
    ".pi/settings.json", ".claude/settings.local.json", ".agents/ada/tasks/a.md", ".agents/bob/tasks/a.md",
    ".agents/USER.md", ".cabinet/runs/other/prompt.md", ".cursor/mcp.json", ".devcontainer/devcontainer.json",
    ".agents/PROTOCOL.md", ".husky/pre-commit", ".idea/runConfigurations/a.xml",
)  # fmt: skip
HOME_WRITES = (
    ".bashrc", ".profile", ".ssh/authorized_keys", ".config/systemd/user/a.service", ".config/autostart/a.desktop",
    ".claude/settings.json", ".claude/CLAUDE.md", ".claude/plugins/a.json", ".claude/shell-snapshots/a.sh",
    ".claude.json", ".local/bin/ls",
    ".local/lib/python3/site-packages/a.pth", ".jupyter/jupyter_server_config.py", ".crontab", ".bash_profile",
    ".zshrc", ".config/git/hooks/post-commit", ".config/fish/config.fish", ".ipython/profile_default/startup/a.py",
)  # fmt: skip

# Why an attempt does not succeed even without a sandbox, on some machines. Then it proves nothing there.
IMPOSSIBLE_HERE = {
    "memory of the machine": "The device exists only outside containers, and only root can open it.",
    "kernel message buffer": "Containers usually have no such device, and only root can open it.",
    "settings of the kernel": "Only root can change them, and containers see them read-only.",
    "settings of the machine": "Only root can change them, and containers see them read-only.",
    "read /etc/shadow": "Only root can read it.",
    "raw socket": "Only root can create one, and a container may not have the right.",
    "packet socket": "Only root can create one, and a container may not have the right.",
    "device file": "Only root can create one, and a container may not have the right.",
    "capability of a file": "Only root can set one, and a container may not have the right.",
    "trace of a process": "The kernel's Yama module, or a container, may allow it for child processes only.",
    "memory of a process": "The kernel's Yama module, or a container, may allow it for child processes only.",
    "keyring": "Containers usually forbid the keyrings of the kernel.",
    "new namespace": "Bubblewrap may be the only program that is allowed to create one.",
    "hard link to a file outside": "The kernel may forbid links to files that the user cannot change.",
    "file in the packages of the server": "An ordinary user cannot change a Python installation that all users share.",
    "inherited folder": "Cabinet starts every program without its own file descriptors.",
}
# What succeeds inside, as docs/explanation/isolation.md says.
KNOWN_LIMITS = {
    "deep socket": "Searching a large folder completely for sockets would delay every run.",
    "hook of a repository below": "A repository in a subfolder is like every other file of the run: review it.",
}
# By architecture: keyctl, process_vm_readv, ptrace, unshare.
CALLS = {"x86_64": (250, 310, 101, 272), "aarch64": (219, 270, 117, 97)}

PROGRAM = """#!{python}
import ctypes, json, os, socket, stat, sys
if "--version" in sys.argv:
    sys.exit(print("2.1.329 (Claude Code)"))
plan = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "plan.json")))
tried, done = [], []
libc = ctypes.CDLL(None, use_errno=True)


def attempt(name, action):
    tried.append(name)
    try:
        if action():
            done.append(name)
    except (OSError, ValueError):
        pass


def reads(path):
    with open(path, "rb") as file:
        return {secret!r}.encode() in file.read()


def writes(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a") as file:
        file.write({secret!r})
    return True


def connects(family, address):
    with socket.socket(family) as client:
        client.settimeout(5)
        client.connect(address)
    return True


def call(*arguments):
    return libc.syscall(*map(ctypes.c_long, arguments))


def starts_with(path, first):
    with open(path, "rb") as file:
        return file.read(len(first)) == first


def any_process(name):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if reads("/proc/" + pid + "/" + name):
                return True
        except OSError:
            continue


def opens(path):
    # without changing anything, because without a sandbox it may succeed
    os.close(os.open(path, os.O_WRONLY))
    return True


def port_by_proxy():
    # where a program finds the proxy, there are several names of this machine to try
    proxy = os.environ.get("HTTPS_PROXY", "")
    if not proxy:
        return connects(socket.AF_INET, ("127.0.0.1", plan["port"]))
    host, _, port = proxy.rpartition("/")[2].partition(":")
    for name in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "2130706433", "[::ffff:127.0.0.1]", "0x7f.1"):
        with socket.create_connection((host, int(port)), 5) as client:
            client.sendall(b"CONNECT %s:%d HTTP/1.1\\r\\n\\r\\n" % (name.encode(), plan["port"]))
            if b" 200 " in client.recv(100):
                return True


def traces():
    if call(plan["calls"][2], 0x4206, plan["canary"], 0, 0) == 0:  # PTRACE_SEIZE, which does not stop it
        return True


def reads_memory():
    os.close(os.open("/proc/%d/mem" % plan["canary"], os.O_RDONLY))
    return True


def new_namespace():
    child = os.fork()
    if child == 0:
        os._exit(0 if call(plan["calls"][3], 0x10000000) == 0 else 1)  # CLONE_NEWUSER
    return os.waitpid(child, 0)[1] == 0


def creates_set_uid():
    path = plan["root"] + "/created-set-uid"
    os.umask(0)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o4755))
    os.umask(0o022)
    return bool(os.stat(path).st_mode & 0o4000)


def device():
    os.mknod(plan["root"] + "/device", stat.S_IFBLK | 0o600, os.makedev(7, 0))
    return True


def capability():
    path = plan["root"] + "/capable"
    open(path, "w").close()
    os.setxattr(path, "security.capability", bytes.fromhex("0100000200200000" + "00" * 12))  # CAP_SYS_ADMIN
    return True


def links(path, name):
    os.link(path, plan["root"] + "/" + name)
    return True


def reads_by_link(path, name):
    return links(path, name) and reads(plan["root"] + "/" + name)


def changes_by_link(path, name):
    return links(path, name) and writes(plan["root"] + "/" + name)


def replaces(path):
    with open(plan["root"] + "/new", "w") as file:
        file.write({secret!r})
    os.replace(plan["root"] + "/new", path)
    return True


def moves_away_and_back(path):
    os.rename(path, path + "-old")
    os.rename(path + "-old", path)
    return True


def inherited_folder():
    for number in map(int, os.listdir("/proc/self/fd")):
        try:
            if number > 2 and stat.S_ISDIR(os.fstat(number).st_mode):
                if not os.readlink("/proc/self/fd/%d" % number).startswith("/proc/"):  # which listdir itself opened
                    return True
        except OSError:
            continue


def moves():
    folder = plan["root"] + "/.git"
    os.rename(folder, folder + "-old")
    os.mkdir(folder)
    return writes(folder + "/config")


def set_uid():
    path = plan["root"] + "/set-uid"
    open(path, "w").close()
    os.chmod(path, 0o4755)
    return bool(os.stat(path).st_mode & 0o4000)


for path in plan["reads"]:
    attempt("read " + path, lambda: reads(path))
for path in plan["writes"]:
    attempt("write " + path, lambda: writes(path))
attempt("environment of the server", lambda: open("/proc/%d/environ" % plan["pid"], "rb").read())
attempt("command line of the server", lambda: open("/proc/%d/cmdline" % plan["pid"], "rb").read())
attempt("files of the server", lambda: os.listdir("/proc/%d/root" % plan["pid"]))
attempt("signal to the server", lambda: os.kill(plan["pid"], 0) is None)
attempt("port", lambda: connects(socket.AF_INET, ("127.0.0.1", plan["port"])))
attempt("socket", lambda: connects(socket.AF_UNIX, plan["socket"]))
attempt("abstract socket", lambda: connects(socket.AF_UNIX, chr(0) + plan["abstract"]))
attempt("link out", lambda: os.symlink(plan["reads"][0], plan["root"] + "/link") or reads(plan["root"] + "/link"))
attempt("set-uid", set_uid)
attempt("created set-uid", creates_set_uid)
for path in plan["sockets"]:
    attempt("socket " + path, lambda: connects(socket.AF_UNIX, path))
attempt("database", lambda: starts_with(plan["database"], b"SQLite format 3"))
attempt("confirmations", lambda: starts_with(plan["confirmations"], b"SQLite format 3"))
attempt("environment of any process", lambda: any_process("environ"))
attempt("command line of any process", lambda: any_process("cmdline"))
attempt("signal to the canary", lambda: os.kill(plan["canary"], 0) is None)
attempt("trace of a process", traces)
attempt("memory of a process", reads_memory)
attempt("keyring", lambda: call(plan["calls"][0], 0, -4, 1) > 0)  # the id of the keyring of the user
attempt("new namespace", new_namespace)
attempt("port by the proxy", port_by_proxy)
attempt("raw socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close() is None)
attempt("packet socket", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close() is None)
attempt("read /etc/shadow", lambda: len(open("/etc/shadow").read()) > 0)
attempt("memory of the machine", lambda: opens("/dev/mem"))
attempt("kernel message buffer", lambda: opens("/dev/kmsg"))
attempt("settings of the kernel", lambda: opens("/proc/sys/kernel/core_pattern"))
attempt("settings of the machine", lambda: opens("/sys/kernel/mm/transparent_hugepage/enabled"))
attempt("device file", device)
attempt("capability of a file", capability)
attempt("hard link to a file outside", lambda: reads_by_link(plan["reads"][0], "hard-link"))
attempt("hard link to a setting", lambda: changes_by_link(plan["root"] + "/.git/config", "setting"))
attempt("replaced persona", lambda: replaces(plan["root"] + "/.agents/ada/persona.md"))
for name in (".agents", ".agents/ada", ".claude", ".vscode", ".playbooks"):
    attempt("move " + name, lambda: moves_away_and_back(plan["root"] + "/" + name))
attempt("file in the packages of the server", lambda: writes(plan["package"]))
attempt("program in the search path", lambda: writes(plan["program"]))
attempt("inherited folder", inherited_folder)
attempt("deep socket", lambda: connects(socket.AF_UNIX, plan["deep"]))
attempt("hook of a repository below", lambda: writes(plan["root"] + "/sub/.git/hooks/post-commit"))
attempt("move the repository", moves)
print(json.dumps({{"type": "result", "subtype": "success", "is_error": False, "result": json.dumps([tried, done]),
                  "session_id": "s"}}))
"""


class House(NamedTuple):
    """A place with canaries, and the attempts on it."""

    place: Place
    reads: tuple[str, ...]
    writes: tuple[str, ...]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    place = Place(tmp_path)
    canaries = [tmp_path / "home" / name for name in HOME_FILES]
    canaries += [place.root / name for name in ROOT_FILES] + [tmp_path / name for name in OTHER_FILES]
    with ExitStack() as stack:
        # not below the folder of the test, as files of other programs
        folders = [stack.enter_context(own_folder(name)) for name in ("/tmp", "/var/tmp", "/dev/shm", runtime_folder())]
        canaries += [folder / "secret" for folder in folders]
        for path in canaries:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SECRET)
        furnish(place)
        writes = [str(place.root / name) for name in ROOT_WRITES]
        writes += [str(tmp_path / "home" / name) for name in HOME_WRITES]
        sockets = tuple(
            listening(stack, path)
            for path in (place.root / "door", tmp_path / "home" / ".claude" / "door", *(f / "d.sock" for f in folders))
        )
        abstract = f"cabinet-burglar-{os.getpid()}"
        listening(stack, f"\0{abstract}")
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        waiting = [sys.executable, "-c", "import sys; sys.stdin.read()", SECRET]
        canary = subprocess.Popen(waiting, stdin=subprocess.PIPE, env={"TOKEN": SECRET})
        stack.callback(canary.wait)
        stack.callback(canary.kill)
        package = Path(sysconfig.get_path("purelib")) / f"cabinet-burglar-{os.getpid()}.pth"
        stack.callback(package.unlink, missing_ok=True)
        plan = {
            "reads": list(map(str, canaries)),
            "writes": writes,
            "root": str(place.root),
            "pid": os.getpid(),
            "canary": canary.pid,
            "port": port.getsockname()[1],
            "socket": sockets[0],
            "sockets": sockets[1:],
            "abstract": abstract,
            "deep": listening(stack, place.root / "sub" / "b" / "c" / "door"),
            "database": str(place.root / ".cabinet" / "cabinet.db"),
            "confirmations": str(tmp_path / "data" / "trust.db"),
            "package": str(package),
            "program": str(tmp_path / "bin" / "git"),
            "calls": CALLS[platform.machine()],
        }
        program = tmp_path / "cli" / "claude"
        program.parent.mkdir()
        program.write_text(PROGRAM.format(python=sys.executable, secret=SECRET))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (program.parent / "plan.json").write_text(json.dumps(plan))
        (tmp_path / "bin").mkdir()
        late = (str(package), plan["program"])
        yield House(place, tuple(plan["reads"]), (*writes, *late))


def furnish(place: Place) -> None:
    """Create what the program could change."""
    for name in ("sub/b/c", ".git/hooks", ".git/worktrees/w", ".claude", ".vscode", ".playbooks", ".agents/ada"):
        (place.root / name).mkdir(parents=True)
    (place.root / ".git" / "config").write_text("[core]\n")
    (place.root / ".git" / "worktrees" / "w" / "commondir").write_text("../..\n")
    persona = place.root / ".agents" / "ada" / "persona.md"
    persona.write_text("---\nname: Ada\nruntime: claude\nheartbeat_enabled: false\n---\n\nHi.\n")


def runtime_folder() -> str:
    """Return the folder below `/run` that this user can change; `/tmp` if there is none."""
    folders = ("/run", f"/run/user/{os.getuid()}", "/tmp")
    return next(folder for folder in folders if os.access(folder, os.W_OK))


@contextmanager
def own_folder(parent: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cabinet-burglar-", dir=parent) as folder:
        yield Path(folder)


def listening(stack: ExitStack, address: Path | str) -> str:
    """Return the address of a Unix socket at which somebody listens."""
    door = stack.enter_context(closing(socket.socket(socket.AF_UNIX)))
    door.bind(str(address))
    door.listen()
    return str(address)


async def attempts(house: House, setting: SandboxSetting) -> tuple[Run, set[str], set[str]]:
    """Return the run, what the program has tried, and what it says that it has reached."""
    folder = house.place.folder
    program = {
        "JUPYTER_CABINET_CLAUDE_PATH": str(folder / "cli" / "claude"),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
    }
    settings = RunSettings(sandbox=setting)
    async with house.place.backend(environment=program, runs=settings) as backend:
        body: dict[str, Any] = {"kind": "message", "agent": "ada", "instruction": "Break in.", "mode": "headless"}
        run = await backend.runs.submit(backend.runs.kinds.convert(body), ADA)
        await backend.runs.wait(run.id, 30)
        run = await backend.runs.get(run.id, ADA)
    assert run.state == "succeeded" and run.result is not None, run.reason
    tried, reached = json.loads(run.result.text)
    assert len(set(tried)) == len(tried) > 100
    return run, set(tried), set(reached)


def holds(path: str) -> bool:
    """Return whether the program's line is in a file."""
    return Path(path).is_file() and SECRET in Path(path).read_text(errors="replace")


async def test_inside_nothing_is_read_and_nothing_is_left_that_acts_later(house: House) -> None:
    root = house.place.root
    before = {path for path in house.writes if holds(path)}
    run, _, reached = await attempts(house, "always")
    assert run.isolated
    # what it creates there is moved away at its end; what it writes outside its folder is lost
    moved = (
        ".codex/config.toml", ".envrc", ".opencode/plugin/a.js", "a.code-workspace", ".git/commondir", "opencode.json",
        ".pi/settings.json", "HEAD", ".cursor/mcp.json", ".devcontainer/devcontainer.json", ".husky/pre-commit",
        ".idea/runConfigurations/a.xml",
    )  # fmt: skip
    kept_until_its_end = {f"write {root}/{name}" for name in moved}
    lost = {f"write {path}" for path in house.writes if path.startswith(f"{house.place.folder}/home/")}
    assert reached - kept_until_its_end - lost - {"program in the search path"} == KNOWN_LIMITS.keys()
    assert {path for path in house.writes if holds(path)} - before == set()
    warnings = " ".join(run.warnings)
    assert all(f"{root}/{name.partition('/')[0]}" in warnings for name in moved), run.warnings
    assert f"{root}/.git/commondir, which could act later" in warnings
    assert (root / ".git" / "config").read_text() == "[core]\n"
    assert (root / ".git" / "worktrees" / "w" / "commondir").read_text() == "../..\n"
    assert not any(path.lstat().st_mode & 0o6000 for path in root.iterdir())
    left = {path.name for path in root.iterdir()}
    made_before = {".agents", ".cabinet", ".claude", ".git", ".playbooks", ".vscode", "a.md", "door", "sub"}
    assert left <= {*made_before, "link", "set-uid", "capable", "new"}, left
    assert not list((root / ".claude").iterdir()) and not list((root / ".vscode").iterdir())


async def test_without_a_sandbox_every_attempt_succeeds(house: House) -> None:
    run, tried, reached = await attempts(house, "never")
    assert not run.isolated
    assert tried - reached - IMPOSSIBLE_HERE.keys() == set()
    assert IMPOSSIBLE_HERE.keys() <= tried
    git = f"{house.place.root}/.git/"  # which it has moved at last
    changed = [path.replace(git, f"{git[:-1]}-old/") for path in house.writes]
    if "file in the packages of the server" not in reached:
        changed = [path for path in changed if not path.endswith(".pth") or "/home/" in path]
    assert [path for path in changed if not holds(path)] == []

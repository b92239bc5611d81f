"""A program that is started as an agent and tries to read and to change what is not its business.

The same attempts are made without a sandbox, where they succeed: so each of them really is one.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
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
    ".claude/ide/1.lock", ".claude/shell-snapshots/b.sh",
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
    ".playbooks/a.md",
)  # fmt: skip
HOME_WRITES = (
    ".bashrc", ".profile", ".ssh/authorized_keys", ".config/systemd/user/a.service", ".config/autostart/a.desktop",
    ".claude/settings.json", ".claude/CLAUDE.md", ".claude/plugins/a.json", ".claude/shell-snapshots/a.sh",
    ".claude.json", ".local/bin/ls",
    ".local/lib/python3/site-packages/a.pth", ".jupyter/jupyter_server_config.py",
)  # fmt: skip

PROGRAM = """#!{python}
import json, os, socket, sys
if "--version" in sys.argv:
    sys.exit(print("2.1.329 (Claude Code)"))
plan = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "plan.json")))
done = []


def attempt(name, action):
    try:
        if action():
            done.append(name)
    except OSError:
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
attempt("environment of the server", lambda: reads("/proc/%d/environ" % plan["pid"]))
attempt("command line of the server", lambda: open("/proc/%d/cmdline" % plan["pid"], "rb").read())
attempt("files of the server", lambda: os.listdir("/proc/%d/root" % plan["pid"]))
attempt("signal to the server", lambda: os.kill(plan["pid"], 0) is None)
attempt("port", lambda: connects(socket.AF_INET, ("127.0.0.1", plan["port"])))
attempt("socket", lambda: connects(socket.AF_UNIX, plan["socket"]))
attempt("abstract socket", lambda: connects(socket.AF_UNIX, chr(0) + plan["abstract"]))
attempt("link out", lambda: os.symlink(plan["reads"][0], plan["root"] + "/link") or reads(plan["root"] + "/link"))
attempt("set-uid", set_uid)
attempt("move the repository", moves)
print(json.dumps({{"type": "result", "subtype": "success", "is_error": False, "result": json.dumps(done),
                  "session_id": "s"}}))
"""


class House(NamedTuple):
    """A place with canaries, and the attempts on it."""

    place: Place
    reads: tuple[str, ...]
    writes: tuple[str, ...]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    place = Place(tmp_path)
    canaries = [tmp_path / "home" / name for name in HOME_FILES]
    canaries += [place.root / name for name in ROOT_FILES] + [tmp_path / name for name in OTHER_FILES]
    for path in canaries:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
    (place.root / ".git" / "hooks").mkdir(parents=True)
    (place.root / ".git" / "config").write_text("[core]\n")
    persona = place.root / ".agents" / "ada" / "persona.md"
    persona.parent.mkdir(parents=True)
    persona.write_text("---\nname: Ada\nruntime: claude\nheartbeat_enabled: false\n---\n\nHi.\n")
    writes = [str(place.root / name) for name in ROOT_WRITES] + [str(tmp_path / "home" / name) for name in HOME_WRITES]
    reads = tuple(map(str, canaries))
    with (
        socket.create_server(("127.0.0.1", 0)) as port,
        closing(socket.socket(socket.AF_UNIX)) as door,
        closing(socket.socket(socket.AF_UNIX)) as abstract,
    ):
        name = f"cabinet-burglar-{os.getpid()}"
        door.bind(str(place.root / "door"))
        abstract.bind(f"\0{name}")
        for each in (door, abstract):
            each.listen()
        plan = {
            "reads": reads,
            "writes": writes,
            "root": str(place.root),
            "pid": os.getpid(),
            "port": port.getsockname()[1],
            "socket": str(place.root / "door"),
            "abstract": name,
        }
        program = tmp_path / "cli" / "claude"
        program.parent.mkdir()
        program.write_text(PROGRAM.format(python=sys.executable, secret=SECRET))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (program.parent / "plan.json").write_text(json.dumps(plan))
        yield House(place, reads, tuple(writes))


async def attempts(house: House, setting: SandboxSetting) -> tuple[Run, set[str]]:
    """Return the run, and what the program says that it has reached."""
    program = {"JUPYTER_CABINET_CLAUDE_PATH": str(house.place.folder / "cli" / "claude")}
    settings = RunSettings(sandbox=setting)
    async with house.place.backend(environment=program, runs=settings) as backend:
        body: dict[str, Any] = {"kind": "message", "agent": "ada", "instruction": "Break in.", "mode": "headless"}
        run = await backend.runs.submit(backend.runs.kinds.convert(body), ADA)
        await backend.runs.wait(run.id, 30)
        run = await backend.runs.get(run.id, ADA)
    assert run.state == "succeeded" and run.result is not None, run.reason
    return run, set(json.loads(run.result.text))


def holds(path: str) -> bool:
    """Return whether the program's line is in a file."""
    return Path(path).is_file() and SECRET in Path(path).read_text(errors="replace")


async def test_inside_nothing_is_read_and_nothing_is_left_that_acts_later(house: House) -> None:
    before = {path for path in house.writes if holds(path)}
    run, reached = await attempts(house, "always")
    assert run.isolated
    # what it creates there is moved away at its end; what it writes into the home inside is lost
    moved = (".codex/config.toml", ".envrc", ".opencode/plugin/a.js", "a.code-workspace")
    kept_until_its_end = {f"write {house.place.root}/{name}" for name in moved}
    lost = {f"write {path}" for path in house.writes if path.startswith(f"{house.place.folder}/home/")}
    assert reached - kept_until_its_end - lost == set()
    assert {path for path in house.writes if holds(path)} - before == set()
    assert [warning for warning in run.warnings if ".envrc, which could act later" in warning], run.warnings
    assert (house.place.root / ".git" / "config").read_text() == "[core]\n"
    assert not any(path.stat().st_mode & 0o4000 for path in house.place.root.iterdir())
    left = {path.name for path in house.place.root.iterdir()}
    assert left <= {".agents", ".cabinet", ".git", "a.md", "door", "link", "set-uid"}, left


async def test_without_a_sandbox_every_attempt_succeeds(house: House) -> None:
    run, reached = await attempts(house, "never")
    assert not run.isolated
    expected = {f"read {path}" for path in house.reads} | {f"write {path}" for path in house.writes}
    assert expected - reached == set()
    assert {"signal to the server", "port", "socket", "abstract socket", "set-uid", "move the repository"} <= reached
    moved = f"{house.place.root}/.git/hooks/post-commit"
    assert {path for path in house.writes if not holds(path)} == {moved}
    assert holds(moved.replace("/.git/", "/.git-old/"))

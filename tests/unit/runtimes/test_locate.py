"""Where a CLI is looked for, in which order."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from harness.waiting import holds

from jupyter_cabinet.runtimes import locate as module
from jupyter_cabinet.runtimes.locate import locate, version_of
from jupyter_cabinet.runtimes.port import Located, Missing


@pytest.fixture(autouse=True)
def no_real_folders(monkeypatch):
    monkeypatch.setattr(module, "FIXED_FOLDERS", ("~/.local/bin",))


def program(path: Path, text: str = "echo 'tool version 1.2.3-beta'") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_set_path_comes_first_and_its_version_is_asked(tmp_path):
    chosen = program(tmp_path / "chosen" / "tool")
    program(tmp_path / ".local" / "bin" / "tool")
    found = locate("tool", "my-tool", {"HOME": str(tmp_path), "JUPYTER_CABINET_MY_TOOL_PATH": str(chosen)})
    assert found == Located(path=str(chosen), version="1.2.3-beta")


def test_a_set_path_that_is_no_program_is_an_error_not_a_reason_to_search_on(tmp_path):
    program(tmp_path / ".local" / "bin" / "tool")
    found = locate("tool", "tool", {"HOME": str(tmp_path), "JUPYTER_CABINET_TOOL_PATH": "~/nothing"})
    assert isinstance(found, Missing)
    assert "~/nothing" in found.reason


def test_the_homes_own_folder_comes_before_path_and_path_before_the_login_shell(tmp_path):
    home, path, shell = (tmp_path / name for name in ("home", "path", "shell"))
    (tmp_path / "home").mkdir()
    (home / ".profile").write_text(f"echo noise\nexport PATH={shell}\n")
    environment = {"HOME": str(home), "PATH": str(path), "SHELL": "/bin/sh"}
    last = program(shell / "tool")
    assert locate("tool", "tool", environment).path == str(last)
    second = program(path / "tool")
    assert locate("tool", "tool", environment).path == str(second)
    first = program(home / ".local" / "bin" / "tool")
    assert locate("tool", "tool", environment).path == str(first)


def test_a_relative_folder_of_path_is_passed_over(tmp_path, monkeypatch):
    program(tmp_path / "bin" / "tool")
    monkeypatch.chdir(tmp_path)
    assert isinstance(locate("tool", "tool", {"HOME": "/nonexistent", "PATH": "bin:."}), Missing)


def test_a_version_is_asked_again_only_when_the_file_has_changed(tmp_path):
    tool = program(tmp_path / "tool", f'echo x >> "{tmp_path}/asked"; echo 1.0')
    assert [version_of(tool, {}), version_of(tool, {})] == ["1.0", "1.0"]
    assert (tmp_path / "asked").read_text() == "x\n"
    program(tool, "echo 2.0")
    assert version_of(tool, {}) == "2.0"


def test_a_program_that_fails_has_no_version(tmp_path):
    assert version_of(program(tmp_path / "tool", "echo 1.0; exit 3"), {}) is None
    assert version_of(tmp_path / "nothing", {}) is None


@pytest.mark.parametrize("text", ["exec yes 1.0", "cat /dev/zero", "echo 1.0; while :; do echo; done"])
def test_a_program_that_writes_without_end_is_ended_and_has_no_version(tmp_path, monkeypatch, text):
    monkeypatch.setattr(module, "VERSION_SECONDS", 3600)  # it is ended for what it writes, long before this
    assert version_of(program(tmp_path / "tool", text), {}) is None


async def test_a_program_that_hangs_is_ended_with_what_it_started(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "VERSION_SECONDS", 0.5)
    assert version_of(program(tmp_path / "tool", f"sleep 60 & echo $! > {tmp_path}/pid; wait"), {}) is None
    pid = int((tmp_path / "pid").read_text())
    await holds(lambda: not _lives(pid))


def _lives(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def test_a_file_that_no_system_can_start_has_no_version(tmp_path):
    tool = program(tmp_path / "tool")
    tool.write_bytes(b"\x7fELF garbage")
    assert version_of(tool, {}) is None
    tool.write_text("#!/nothing/there\n")
    assert version_of(tool, {}) is None


def test_a_login_shell_that_hangs_is_asked_to_end_and_cleans_up(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOGIN_SHELL_SECONDS", 0.5)
    lock = tmp_path / "lock"
    (tmp_path / ".profile").write_text(f"touch {lock}\ntrap 'rm {lock}; exit' TERM\nsleep 60 & wait\n")
    environment = {"HOME": str(tmp_path), "SHELL": "/bin/sh"}
    assert isinstance(locate("tool", "tool", environment), Missing)
    assert not lock.exists()

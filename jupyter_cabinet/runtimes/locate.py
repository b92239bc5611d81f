"""Finds an agent CLI on this machine and asks it for its version. Blocks: call it off the loop.

It starts only `<cli> --version`, `<cli> --help` and, once per process, a login shell that prints its PATH. Callers: the
runtimes. All of them use the same search order.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Literal

from .port import Located, Missing

VERSION_SECONDS = 20  # node CLIs take up to 2 s on a busy machine, the slowest known one 8 s
LOGIN_SHELL_SECONDS = 5
_ONE_SHELL = threading.Lock()
GOODBYE_SECONDS = 0.5
MOST_BYTES = 64 * 1024  # of a program's version output
READ_BYTES = 4096
FIXED_FOLDERS = ("~/.local/bin", "/usr/local/bin", "/opt/homebrew/bin")
VERSION_PATTERN = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[-+.][0-9A-Za-z.-]+)?")
# Printed around the PATH, because a profile may print anything.
_FRAME = "jupyter-cabinet-path:"


Login = Literal["yes", "no", "unknown"]
LoginState = Callable[[Mapping[str, str]], Login]


def locate(
    program: str, name: str, environment: Mapping[str, str], login: LoginState = lambda environment: "unknown"
) -> Located | Missing:
    """Return where `program` is, or why it was not found. Blocks, also for as long as `--version` takes.

    The search order is JUPYTER_CABINET_<NAME>_PATH, fixed folders, PATH, a login shell's PATH. A path from the server's
    configuration also arrives as that variable (`registry.Runtimes`). If the variable is set to a file that cannot be
    executed, the result is `Missing` and the search does not continue.
    """
    variable = variable_of(name)
    if chosen := environment.get(variable):
        path = _expand(chosen, environment)
        if not _is_program(path):
            return Missing(
                reason=f"{chosen}, set by the configuration or {variable}, is not a program. Correct or remove it."
            )
        return Located(path=str(path), version=version_of(path, environment), login=login(environment))
    for folder in _folders(environment):
        path = folder / program
        if _is_program(path):
            return Located(path=str(path), version=version_of(path, environment), login=login(environment))
    looked = ", ".join(FIXED_FOLDERS)
    return Missing(reason=f"{program} was not found in {looked}, on the server's PATH or on a login shell's.")


def variable_of(name: str) -> str:
    """Return the name of the environment variable that holds the path of a runtime's CLI."""
    return f"JUPYTER_CABINET_{name.upper().replace('-', '_')}_PATH"


def version_of(path: Path, environment: Mapping[str, str]) -> str | None:
    """Return the version number in what `--version` prints; None if it fails or prints none.

    The result, also None, is kept until the file changes. Blocks for up to `VERSION_SECONDS`.
    """
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        return None
    said = _said(str(path), ("--version",), changed, *_search(environment))
    found = VERSION_PATTERN.search(said or "")
    return found[0] if found else None


def help_of(path: str, words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return what `--help` prints, of a subcommand if `words` name one; empty if it fails. Blocks like `version_of`.

    Asked once per path and modification time.
    """
    try:
        changed = Path(path).stat().st_mtime_ns
    except OSError:
        return ""
    return _said(path, (*words, "--help"), changed, *_search(environment)) or ""


def _search(environment: Mapping[str, str]) -> tuple[str, str]:
    return environment.get("PATH", os.defpath), environment.get("HOME", "")


@lru_cache(maxsize=128)
def _said(path: str, arguments: tuple[str, ...], changed: int, search_path: str, home: str) -> str | None:
    """Return the help; None if it fails. Some programs write their help to stderr."""
    environment = {"PATH": search_path, "HOME": home}  # PATH: a CLI may be a script that needs node
    try:
        asked = subprocess.Popen(
            [path, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if "--help" in arguments else subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError):
        return None
    said = _start_of(asked)
    return said.decode(errors="replace") if asked.returncode == 0 else None


def _start_of(asked: subprocess.Popen[bytes]) -> bytes:
    """Return the first output of a program.

    A program that runs too long, or writes too much, is ended with all its child processes.
    """
    assert asked.stdout is not None
    said, end = b"", time.monotonic() + VERSION_SECONDS
    with asked.stdout:
        while len(said) < MOST_BYTES and select.select([asked.stdout], [], [], max(0, end - time.monotonic()))[0]:
            if not (piece := os.read(asked.stdout.fileno(), READ_BYTES)):
                break
            said += piece
    try:
        asked.wait(max(0, end - time.monotonic()) if len(said) < MOST_BYTES else 0)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(asked.pid, signal.SIGKILL)
        asked.wait()
    return said


def _folders(environment: Mapping[str, str]) -> Iterator[Path]:
    for folder in FIXED_FOLDERS:
        yield _expand(folder, environment)
    for search_path in (environment.get("PATH", ""), _login_path):
        text = search_path if isinstance(search_path, str) else search_path(environment)
        yield from (Path(folder) for folder in text.split(os.pathsep) if folder.startswith("/"))


def _login_path(environment: Mapping[str, str]) -> str:
    shell = environment.get("SHELL", "")
    if not shell.startswith("/") or not shutil.which(shell):
        return ""
    with _ONE_SHELL:  # simultaneous callers wait for one answer
        return _ask_login_shell(shell, environment.get("HOME", ""))


@lru_cache(maxsize=8)
def _ask_login_shell(shell: str, home: str) -> str:
    """Return the PATH of a login shell: nvm, volta and others set it in a profile.

    The argument is a constant: nothing is ever inserted into it.
    """
    try:
        asked = subprocess.Popen(
            [shell, "-l", "-c", f'printf "\\n%s%s\\n" {_FRAME} "$PATH"'],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"HOME": home, "PATH": os.defpath, "SHELL": shell},
            start_new_session=True,  # an interactive profile must not take our terminal
        )
    except OSError:
        return ""
    for line in _answer(asked).decode(errors="replace").splitlines():
        if line.startswith(_FRAME):
            return line.removeprefix(_FRAME)
    return ""


def _answer(asked: subprocess.Popen[bytes]) -> bytes:
    """Return the output. A shell that takes too long is asked to end: some profiles leave locks behind when killed."""
    try:
        return asked.communicate(timeout=LOGIN_SHELL_SECONDS)[0]
    except subprocess.TimeoutExpired:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(asked.pid, number)
            with suppress(subprocess.TimeoutExpired):
                asked.communicate(timeout=GOODBYE_SECONDS)
        return b""


def _expand(path: str, environment: Mapping[str, str]) -> Path:
    """Expand `~` with the environment's HOME, not that of the process."""
    home = environment.get("HOME", "")
    if path == "~" or path.startswith("~/"):
        return Path(home or "/nonexistent") / path[2:]
    return Path(path)


def _is_program(path: Path) -> bool:
    return path.is_absolute() and path.is_file() and os.access(path, os.X_OK)

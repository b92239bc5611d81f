"""`jupyter cabinet …`: what can be asked without a server. It starts none.

`doctor` says what was found where, what it can do, what is missing and which command installs it. The options for
settings are here as Jupyter's own commands name them: those answer before they know of any extension.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from .app import CabinetApp
from .core.version import VERSION
from .runtimes.port import Capabilities
from .runtimes.registry import FALLBACK, RuntimeInfo, Runtimes

PACKAGES = ("jupyterlab", "jupyter-server", "terminado", "tornado", "jupyter-collaboration")
NOTHING_FOUND = 1  # exit status: no agent CLI but the demo agent
NODE_SECONDS = 10

# What people read for each capability.
WORDS = {
    "headless": "works in the background",
    "interactive": "works in a terminal",
    "resume": "goes on with earlier sessions",
    "finish_signal": "says when it has answered",
    "questions": "asks first in the background",
    "blocking_hooks": "asks first in a terminal",
    "allowed_tools": "can be kept to certain tools",
    "mcp": "uses tool servers",
    "system_prompt": "takes a system prompt",
    "cost": "tells what it costs",
}


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `doctor` has found; `--json` prints it."""

    version: str
    python: str
    packages: dict[str, str | None]
    node: str | None
    default_runtime: str
    runtimes: tuple[RuntimeInfo, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """The console script `jupyter-cabinet`, which `jupyter cabinet` calls."""
    parser = argparse.ArgumentParser(prog="jupyter cabinet", description="Jupyter Cabinet, from the command line.")
    parser.add_argument("--version", action="version", version=VERSION)
    parser.add_argument("--help-all", action=_ListSettings, nargs=0, help="list the settings, with their defaults")
    parser.add_argument(
        "--generate-config", action=_WriteSettings, nargs=0, help="write a configuration file with all of them, unset"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser("doctor", help="what was found here, what is missing and how to get it")
    doctor.add_argument("--json", action="store_true", help="print it for programs")
    given = parser.parse_args(arguments)
    report = examine()
    text = (
        msgspec.json.format(msgspec.json.encode(report), indent=2).decode() if given.json else "\n".join(lines(report))
    )
    sys.stdout.write(text + "\n")
    found = any(info.located is not None and info.name != FALLBACK for info in report.runtimes)
    return 0 if found else NOTHING_FOUND


def examine() -> Report:
    """Look at this environment, with the settings that a server started here would have."""
    settings = configured()
    runtimes = Runtimes(
        set(settings.runtimes),
        dict(settings.runtime_paths),
        os.environ,
        preferred=settings.default_runtime,
        acp_agents=dict(settings.acp_agents),
    )
    return Report(
        version=VERSION,
        python=platform.python_version(),
        packages={name: _version_of(name) for name in PACKAGES},
        node=_node(),
        default_runtime=runtimes.default_name(),
        runtimes=tuple(runtimes.describe()),
    )


def configured() -> CabinetApp:
    """Our settings from Jupyter's configuration files."""
    from jupyter_server.serverapp import ServerApp

    server = ServerApp()
    server.load_config_file()
    app = CabinetApp()
    app.load_config_file()
    app.update_config(server.config)
    return app


class _ListSettings(argparse.Action):
    """Like `--version`: says it and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        CabinetApp.class_print_help()
        parser.exit()


class _WriteSettings(argparse.Action):
    """Like Jupyter's own: asks before it writes over a file."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        CabinetApp().write_default_config()
        parser.exit()


def lines(report: Report) -> Iterator[str]:
    """The report for people."""
    yield f"Jupyter Cabinet {report.version}, Python {report.python}"
    for name, found in report.packages.items():
        yield f"  {name} {found or 'is not installed'}"
    yield f"  Node {report.node or 'was not found: most agent CLIs are installed with npm'}"
    yield ""
    yield "Agent CLIs"
    for info in report.runtimes:
        yield from _runtime(info, is_default=info.name == report.default_runtime)


def _runtime(info: RuntimeInfo, *, is_default: bool) -> Iterator[str]:
    located = info.located
    mark = "  (serves whatever names none)" if is_default else ""
    if located is None:
        yield f"- {info.about.title}: {info.problem}"
        if info.about.install:
            yield f"    install: {info.about.install}"
        return
    yield f"+ {info.about.title} {located.version or ''}".rstrip() + mark
    yield f"    {located.path}"
    for sentence in (info.problem, info.warning):
        if sentence:
            yield f"    {sentence}"
    if located.login == "no":
        yield f"    not logged in. {info.about.login}"
    if info.capabilities is not None:
        yield f"    {', '.join(abilities(info.capabilities))}"


def abilities(capabilities: Capabilities) -> list[str]:
    """What it can do, in words."""
    return [word for name, word in WORDS.items() if getattr(capabilities, name)]


def _version_of(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _node() -> str | None:
    path = shutil.which("node")
    if path is None:
        return None
    try:
        asked = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=NODE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return f"{asked.stdout.strip().removeprefix('v')} ({Path(path)})" if asked.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())

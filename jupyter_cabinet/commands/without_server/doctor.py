"""`jupyter cabinet doctor`: what was found, what is missing, and which command installs it.

It also shows which agents and plays are disabled because of an error. It needs no server and changes nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from ...app import CabinetApp
from ...core.durations import spelled
from ...core.plain_text import one_line
from ...core.version import VERSION
from ...runners.dask_cluster import DaskCluster
from ...runners.docker_runner import DockerRunner
from ...runners.port import Runner, RunnerState
from ...runtimes.port import Capabilities
from ...runtimes.registry import FALLBACK, RuntimeInfo
from ...sandboxes.local import LocalSandbox
from ...sandboxes.mount_places import MountPlaces
from ...sandboxes.probe import SandboxState, probe
from ..printing import Printed
from ..problems import CommandFailed
from .looking import RUNTIME_SECONDS, ExaminedRuntimes
from .workspace import Examined, Workspace, look_at

PACKAGES = ("jupyterlab", "jupyter-server", "terminado", "tornado", "jupyter-collaboration", "mcp")
SOMETHING_FOUND = 1  # exit status: the demo agent is the only agent, or a person has to fix something
NODE_SECONDS = 10

# The text for each capability.
WORDS = {
    "headless": "works in the background",
    "interactive": "works in a terminal",
    "resume": "resumes earlier sessions",
    "finish_signal": "reports when it has answered",
    "questions": "in the background: can ask before acting",
    "blocking_hooks": "in a terminal: can ask before acting",
    "allowed_tools": "can be limited to certain tools",
    "mcp": "uses tool servers",
    "system_prompt": "accepts a system prompt",
    "cost": "reports its cost",
}


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of `doctor`; `--json` prints them. `packages`: their versions, None if one is missing."""

    version: str
    python: str
    packages: dict[str, str | None]
    node: str | None
    default_runtime: str
    sandbox: SandboxState
    cluster: RunnerState | None  # None: none is configured
    containers: RunnerState | None  # None: no image is configured
    runtimes: tuple[RuntimeInfo, ...]
    workspace: Workspace


def examined(given: argparse.Namespace) -> Printed:
    """`doctor`"""
    root = Path(given.root)
    if not root.is_dir():
        raise CommandFailed(f"{given.root} is not a folder.", "Give the folder of the server with --root.")
    tell = _tell_progress if sys.stderr.isatty() and not getattr(given, "json", False) else _tell_nothing
    report = examine(root.resolve(), tell)
    found = any(info.located is not None and info.name != FALLBACK for info in report.runtimes)
    status = 0 if found and report.workspace.is_in_order else SOMETHING_FOUND
    return Printed(value=report, lines=tuple(lines(report)), status=status)


def _tell_progress(line: str) -> None:
    """Print on stderr, for a person who waits at a terminal."""
    sys.stderr.write(f"{one_line(line)}\n")
    sys.stderr.flush()


def _tell_nothing(line: str) -> None:
    """Nobody watches."""


def examine(root: Path, tell: Callable[[str], None] = _tell_nothing) -> Report:
    """Examine this environment and the server's root folder, with the settings that a server started here would have.

    `tell` receives progress lines, because CLIs can take long to answer.
    """
    tell("Reading the settings …")
    settings = configured()
    runtimes = ExaminedRuntimes(
        set(settings.runtimes),
        dict(settings.runtime_paths),
        os.environ,
        preferred=settings.default_runtime,
        acp_agents=dict(settings.acp_agents),
    )
    tell(f"Checking {len(runtimes.names())} agent CLIs, each for at most {spelled(RUNTIME_SECONDS)} …")
    found = runtimes.examine(lambda info: tell(_in_short(info)))
    tell("Checking agents, plays and records …")
    return Report(
        version=VERSION,
        python=platform.python_version(),
        packages={name: _version_of(name) for name in PACKAGES},
        node=_node(),
        default_runtime=runtimes.default_name(),
        sandbox=asyncio.run(probe(LocalSandbox())),
        cluster=asyncio.run(_state_of(DaskCluster(settings.cluster))) if settings.cluster else None,
        containers=_containers(settings.docker_image),
        runtimes=found,
        workspace=look_at(root, runtimes=runtimes, zone=settings.agent_time_zone, own_database=not settings.db_url),
    )


def _in_short(info: RuntimeInfo) -> str:
    if info.located is None:
        return f"{info.about.title}: {info.problem}"
    return f"{info.about.title}: found {info.located.version or ''}".rstrip()


def configured() -> CabinetApp:
    """Return our settings from Jupyter's configuration files."""
    from jupyter_server.serverapp import ServerApp

    server = ServerApp()
    server.load_config_file()
    app = CabinetApp()
    app.load_config_file()
    app.update_config(server.config)
    return app


def lines(report: Report) -> Iterator[str]:
    """The report for people."""
    yield f"Jupyter Cabinet {report.version}, Python {report.python}"
    for name, found in report.packages.items():
        yield f"  {name} {found or 'is not installed'}"
    if report.packages["mcp"] is None:
        yield " agents have none of Cabinet's own tools. Install: pip install 'jupyter-cabinet[mcp]'"
    yield f"  Node {report.node or 'was not found: most agent CLIs are installed with npm'}"
    yield from _sandbox(report.sandbox)
    yield from _runner("Cluster", report.cluster)
    yield from _runner("Containers", report.containers)
    yield ""
    yield "Agent CLIs"
    for info in report.runtimes:
        yield from _runtime(info, is_default=info.name == report.default_runtime)
    yield from _workspace(report.workspace)


def _sandbox(state: SandboxState) -> Iterator[str]:
    if state.works:
        yield "  Sandbox: runs can be isolated on this machine"
    else:
        yield f"  Sandbox: runs cannot be isolated. {state.reason}"
        if state.remedy:
            yield f"    {state.remedy}"


def _containers(image: str) -> RunnerState | None:
    if not image:
        return None
    with tempfile.TemporaryDirectory(prefix="cabinet-doctor-") as folder:
        return asyncio.run(_state_of(DockerRunner(image, Path(folder), MountPlaces())))


async def _state_of(runner: Runner) -> RunnerState:
    try:
        return await runner.state()
    finally:
        await runner.close()


def _runner(name: str, state: RunnerState | None) -> Iterator[str]:
    if state is None:
        return
    if state.works:
        yield f"  {name}: runs can start there. {state.reason}".rstrip()
    else:
        yield f"  {name}: runs cannot start there. {state.reason}"
    if state.remedy:
        yield f"    {state.remedy}"


def _workspace(found: Workspace) -> Iterator[str]:
    for title, things in (("Agents", found.agents), ("Plays", found.plays)):
        if things:
            yield from ("", f"{title} in {one_line(found.root)}")
            for each in things:
                yield from _thing(each)
    kept = {"changes of runs": found.changes_bytes, "recordings of terminals": found.recordings_bytes}
    if any(kept.values()):
        yield from ("", f"Kept in {one_line(found.root)}")
        yield from (f"  {name}: {size / 1_000_000:.1f} MB" for name, size in kept.items())
    if found.problems:
        yield from ("", "Problems")
        yield from (f"- {one_line(problem)}" for problem in found.problems)


def _thing(thing: Examined) -> Iterator[str]:
    yield f"- {thing.name}: disabled because of an error" if thing.errors else f"+ {thing.name}"
    yield from (f"    {one_line(sentence)}" for sentence in (*thing.errors, *thing.notes))


def _runtime(info: RuntimeInfo, *, is_default: bool) -> Iterator[str]:
    located = info.located
    mark = " (the default)" if is_default else ""
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
    """Describe what it can do."""
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

"""The list of runtimes: the package's own and, if enabled by name, those of other packages.

It finds and describes runtimes and never runs them. Callers: `runs/` (get, default_name), `web/` (describe), `app.py`.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from typing import Any

import msgspec
from packaging.version import InvalidVersion, Version

from ..core.errors import UnknownRuntime
from ..core.slugs import is_slug
from .acp.runtime import AcpAgent
from .acp.runtime import configured as configured_acp_agent
from .cli_versions import is_older
from .command import Command
from .locate import variable_of
from .port import About, Capabilities, Isolable, KeepsState, Located, Missing, Runtime, SharesSessions

GROUP = "jupyter_cabinet.runtimes.v1"
OWN_DISTRIBUTION = "jupyter-cabinet"
PREFERENCE = ("claude", "codex", "gemini", "opencode", "pi", "openclaw")  # then the demonstration
FALLBACK = "demo"

COMMAND = "command"  # any program: `get` returns it, and no list contains it

log = logging.getLogger(__name__)


class RuntimeInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One runtime as people see it: found, or the reason why not."""

    name: str
    about: About
    builtin: bool
    enabled: bool
    located: Located | None = None
    problem: str = ""  # a sentence: not found, broken, off
    warning: str = ""  # a sentence: it works, but this version was not tested
    capabilities: Capabilities | None = None
    isolable: bool = False  # whether it is known what the CLI needs in a sandbox
    sessions_of: str = ""  # the runtime whose past sessions its runs are; empty: its own


class Runtimes:
    """All runtimes of this environment.

    `enabled`: names of other packages' runtimes that may be used. `paths`: the configured path of a CLI by the
    runtime's name. `environment`: the server's variables. `preferred`: the default runtime. `acp_agents`: command
    lines, by name, of agents that speak the Agent Client Protocol. `entries`: replaces the installed entry points in
    tests.
    """

    def __init__(
        self,
        enabled: set[str],
        paths: Mapping[str, str],
        environment: Mapping[str, str],
        preferred: str | None = None,
        *,
        acp_agents: Mapping[str, Sequence[str]] | None = None,
        entries: list[EntryPoint] | None = None,
    ) -> None:
        self._preferred = preferred
        self._environment = {**environment, **_as_variables(paths)}
        self._enabled = enabled
        self._runtimes: dict[str, Runtime] = {}
        self._described: dict[str, RuntimeInfo] = {}
        self._unlisted: dict[str, Runtime] = {COMMAND: Command()}
        found = _installed(tuple(sys.path)) if entries is None else entries
        for entry in sorted(found, key=lambda entry: (not _is_own(entry), entry.name)):
            if entry.name not in (*self._described, *self._unlisted):  # nobody can take the name of a built-in one
                self._add(entry)
        for name, command in (acp_agents or {}).items():
            self._add_acp(name, tuple(command))

    def names(self) -> list[str]:
        """Return the names of the runtimes that may be used, in order of preference, whether or not they were found."""
        known = dict.fromkeys((*PREFERENCE, *(name for name in self._runtimes if name != FALLBACK), FALLBACK))
        ranks = {name: rank for rank, name in enumerate(known)}
        return sorted(self._runtimes, key=lambda name: ranks[name])

    def get(self, name: str) -> Runtime:
        """Return the runtime of this name, also `command`. Does not search for its CLI.

        Raises `UnknownRuntime`, also for one that is off or broken.
        """
        try:
            return self._unlisted.get(name) or self._runtimes[name]
        except KeyError:
            known = self._described.get(name)
            why = known.problem if known else f"There is no runtime {name}."
            raise UnknownRuntime(why, field="runtime") from None

    def locate(self, name: str) -> Located | Missing:
        """Return where the CLI of a runtime is, or why it was not found, using this server's paths. Blocks.

        Raises `UnknownRuntime`, and what an adapter of another package raises.
        """
        return self.get(name).locate(self._environment)

    def capabilities(self, name: str) -> Capabilities | None:
        """Return what the found version can do; None if it was not found, also for an unknown runtime. Blocks."""
        found = self._safely_locate(name)
        return self.get(name).capabilities(found) if isinstance(found, Located) else None

    def state_paths(self) -> dict[str, str]:
        """Return where the CLIs keep conversations, settings and logins, found or not.

        Absolute paths, each with the title of its CLI; a name may end with `*`: see `KeepsState`. A runtime that fails
        is logged and left out.
        """
        found: dict[str, str] = {}
        for name, runtime in self._runtimes.items():
            if isinstance(runtime, KeepsState):
                try:
                    found.update({str(path): runtime.about.title for path in runtime.state_paths(self._environment)})
                except Exception:  # code of another package
                    log.exception("The runtime %s cannot report where its CLI keeps its files", name)
        return found

    def sessions_of(self, name: str) -> str:
        """Return the name of the runtime under which the sessions of this one are listed: another one, or itself."""
        runtime = self._runtimes.get(name)
        return (isinstance(runtime, SharesSessions) and runtime.sessions_of) or name

    def working_in_sessions_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the runtimes that work in the sessions which are listed under this one, itself first."""
        return (name, *(other for other in self._runtimes if other != name and self.sessions_of(other) == name))

    def describe(self) -> list[RuntimeInfo]:
        """Return a description of every runtime, those that may be used first, in order of preference. Never raises.

        Blocks for as long as the CLIs take to print their versions.
        """
        return [self.look(name) for name in self.names()] + self.unusable()

    def described(self, name: str) -> RuntimeInfo:
        """Return what is known about a runtime without searching for its CLI.

        Raises `KeyError` for an unknown one and `command`.
        """
        return self._described[name]

    def unusable(self) -> list[RuntimeInfo]:
        """Return those that are off or broken, with the reason as their `problem`."""
        return [info for name, info in self._described.items() if name not in self._runtimes]

    def default_name(self, preferred: str | None = None) -> str:
        """Return the default runtime: `preferred`, else the first found and not logged out, else `demo`.

        `preferred` is the configured one unless it is given; whether its CLI is there is not checked. Only runtimes of
        this package are searched for. Raises `UnknownRuntime` if `preferred` does not exist. Blocks.
        """
        chosen = preferred or self._preferred
        if chosen:
            self.get(chosen)
            return chosen
        for name in PREFERENCE:  # runtimes of other packages must be requested by name
            found = self._safely_locate(name) if name in self._runtimes else None
            if isinstance(found, Located) and found.login != "no":
                return name
        return FALLBACK

    def _add(self, entry: EntryPoint) -> None:
        name, own = entry.name, _is_own(entry)
        about = About(name=name, title=name)
        if not own and name not in self._enabled:
            origin = entry.dist.name if entry.dist else "another package"
            problem = f"{name} comes from {origin} and is off. Enable it by name in the server's configuration."
            self._described[name] = RuntimeInfo(name=name, about=about, builtin=False, enabled=False, problem=problem)
            return
        sessions_of = ""
        try:
            runtime = _load(entry)
            about = runtime.about
            self._runtimes[name] = runtime
            problem = ""
            sessions_of = runtime.sessions_of if isinstance(runtime, SharesSessions) else ""
        except Exception as error:  # code of another package: its failure must not affect the other runtimes
            log.exception("The runtime %s cannot be used", name)
            problem = f"{name} cannot be used: {error}"
        self._described[name] = RuntimeInfo(
            name=name,
            about=about,
            builtin=own,
            enabled=True,
            problem=problem,
            sessions_of=sessions_of,
        )

    def _add_acp(self, name: str, command: tuple[str, ...]) -> None:
        """Add an agent from the configuration. One that cannot be used is listed with the reason, or is in the log."""
        if name in (*self._described, *self._unlisted):
            log.error("acp_agents: there is a runtime %s already", name)
            return
        problem = (
            ""
            if command and all(command)
            else (f"The command of {name} is empty. Name a program in CabinetApp.acp_agents.")
        )
        if not is_slug(name):
            problem = f"{name!r} is not a valid name. Use lowercase letters, digits and hyphens."
        agent = configured_acp_agent(name, command, sessions_of=self._sessions_of_program(command))
        if not problem:
            self._runtimes[name] = agent
        self._described[name] = RuntimeInfo(
            name=name,
            about=agent.about,
            builtin=False,
            enabled=True,
            problem=problem,
            sessions_of=agent.sessions_of,
        )

    def _sessions_of_program(self, command: tuple[str, ...]) -> str:
        """Return where the sessions of a configured agent are, if its program is that of an agent of this package."""
        known = (agent for agent in self._runtimes.values() if isinstance(agent, AcpAgent))
        same = (agent for agent in known if command and agent.program == command[0].rpartition("/")[2])
        return next((agent.sessions_of for agent in same), "")

    def look(self, name: str) -> RuntimeInfo:
        """Return the description of a runtime after searching for its CLI now. Blocks.

        What is wrong with it is its `problem`. Raises `KeyError` for an unknown one and `command`.
        """
        found = self._safely_locate(name)
        info = self._described[name]
        if isinstance(found, Missing):
            return msgspec.structs.replace(info, problem=found.reason)
        try:
            capabilities = self._runtimes[name].capabilities(found)
            isolable = self._is_isolable(self._runtimes[name])
        except Exception as error:
            log.exception("The runtime %s cannot report what it can do", name)
            return msgspec.structs.replace(info, located=found, problem=f"{name} failed: {error}")
        warning = untried(info.about, found.version)
        return msgspec.structs.replace(
            info, located=found, capabilities=capabilities, isolable=isolable, warning=warning
        )

    def _is_isolable(self, runtime: Runtime) -> bool:
        return isinstance(runtime, Isolable) and runtime.sandbox_needs(self._environment) is not None

    def _safely_locate(self, name: str) -> Located | Missing:
        try:
            return self.locate(name)
        except Exception as error:
            log.exception("The runtime %s failed while searching for its CLI", name)
            return Missing(reason=f"{name} failed while searching for its CLI: {error}")


@lru_cache(maxsize=4)  # searching all packages takes as long as everything else that a start does
def _installed(search_path: tuple[str, ...]) -> Sequence[EntryPoint]:
    """Return the installed entry points. `search_path`: `sys.path`, on which the result depends."""
    return tuple(entry_points(group=GROUP))


def _load(entry: EntryPoint) -> Runtime:
    made: Any = entry.load()()
    if not is_slug(entry.name):
        raise ValueError(f"{entry.name!r} is not a valid name")
    if made.about.name != entry.name:
        raise ValueError(f"it calls itself {made.about.name!r}")
    runtime: Runtime = made
    return runtime


def untried(about: About, found: str | None) -> str:
    """Return a warning that the found version was not tested; empty if it was, or if that is not known.

    A newer version works with the options of the tested one, an older one without the options that it lacks.
    """
    if not about.tested or not found:
        return ""
    if is_older(about, found):
        return (
            f"{found} is older than {about.tested}, which was tested. Missing options are left out or refused. "
            "Update it."
        )
    try:
        newer = Version(found) > Version(about.tested)
    except InvalidVersion:
        newer = found != about.tested
    return f"{found} is newer than {about.tested}, which was tested. It is used in the same way." if newer else ""


def _is_own(entry: EntryPoint) -> bool:
    return entry.dist is not None and _name_of(entry.dist) == OWN_DISTRIBUTION


@lru_cache(maxsize=64)  # `name` parses the whole metadata, and one distribution has many entry points
def _name_of(distribution: Distribution) -> str:
    return distribution.name.replace("_", "-").lower()


def _as_variables(paths: Mapping[str, str]) -> dict[str, str]:
    """Return configured paths in the form that `locate` reads. They override the environment's own."""
    return {variable_of(name): path for name, path in paths.items() if path}

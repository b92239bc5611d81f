"""Isolates an order: what its CLI sees in the sandbox, and its only way out, the egress proxy.

Called by `executor.py`. `sandboxes/` knows how to build a sandbox; this module knows what a run needs in it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from glob import escape, glob
from pathlib import Path

import msgspec

from ...core.errors import Unavailable
from ...runtimes.model import Launch
from ...runtimes.port import Isolable, Runtime
from ...runtimes.sandbox_needs import SandboxNeeds, address_of, urls_of
from ...sandboxes.egress.host_rules import Egress
from ...sandboxes.egress.proxy import EgressProxy
from ...sandboxes.mounts import unfit
from ...sandboxes.view import SandboxView
from ...storage.filesystem.private_folders import private_folder
from ..settings import Surroundings
from ..tools.tool_server_file import is_on_this_machine
from . import sandbox_record
from .folder_traces import SWEPT_SETTINGS, WORKSPACE_FILES, FolderTraces, present
from .git_identity import git_identity
from .git_steering_paths import git_steering_paths

# Below the working folder: what acts on people, on other programs or on later runs. A final `/` marks a folder.
PROJECT_SETTINGS = (
    ".git/config", ".git/config.worktree", ".git/hooks/", ".gitmodules", ".claude/", ".gemini/", ".mcp.json",
    ".vscode/",
)  # fmt: skip
# Git's settings for linked worktrees, which may be outside the working folder.
WORKTREES, WORKTREE_SETTINGS = ".git/worktrees/*", ("commondir", "config.worktree")
AGENTS, PLAYBOOKS, WORKSPACE = ".agents", ".playbooks", "workspace"
PACKAGE_HOSTS = (
    "pypi.org", "files.pythonhosted.org", "registry.npmjs.org", "conda.anaconda.org", "repo.anaconda.com",
    "index.crates.io", "static.crates.io", "proxy.golang.org", "sum.golang.org", "cran.r-project.org", "github.com",
    "codeload.github.com", "objects.githubusercontent.com",
)  # fmt: skip
SCRIPT_BYTES = 256  # of a script, to find its interpreter
SOCKET_DEPTH = 2  # of folders in a folder; deeper ones are too many to look at
PROXY_SOCKET = "proxy"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")  # of model services


class IsolatedOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about an order that its view depends on. Paths are absolute, without links."""

    folder: Path
    image: str | None = None  # of the container in which it works
    agent: str | None
    network: tuple[str, ...]
    tool_servers: tuple[str, ...] = ()  # addresses of remote ones that a person has approved for its agent
    read_only: bool  # the folder
    program: str  # the path of the CLI


def needs_of(runtime: Runtime, environment: Mapping[str, str]) -> SandboxNeeds | None:
    """Return what a CLI needs in a sandbox, with the home folder's real path; None if that is not known."""
    needs = runtime.sandbox_needs(environment) if isinstance(runtime, Isolable) else None
    if needs is None:
        return None
    written, real = environment.get("HOME") or "/nonexistent", str(_home(environment))

    def moved(paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(real + path[len(written) :] if path.startswith(f"{written}/") else path for path in paths)

    return msgspec.structs.replace(
        needs,
        state=moved(needs.state),
        steering=moved(needs.steering),
        private=moved(needs.private),
        read=moved(needs.read),
        copied=moved(needs.copied),
    )


def is_direct(root: Path, cwd: str, folder: Path) -> bool:
    """Return whether the path of a working folder leads to it without a symbolic link below the root."""
    return folder == root.resolve().joinpath(*Path(cwd).parts)


def obstacle(folder: Path, needs: SandboxNeeds | None, title: str, places: Surroundings) -> str:
    """Return why an order cannot be isolated whatever this machine can do, as a sentence; empty if it can be.

    `title`: of the runtime. Reads the disk.
    """
    if needs is None:
        return f"{title} cannot work in a sandbox, because it is not known which files and hosts it needs."
    home = _home(places.environment)
    if home.is_relative_to(folder):
        return f"Its folder is or contains the home folder {home}, so it could not be isolated. Give it another folder."
    if reason := unfit(str(folder)):
        return reason
    agents = places.root / AGENTS
    if folder.is_relative_to(agents) and WORKSPACE not in folder.relative_to(agents).parts[1:2]:
        return f"Its folder is in {AGENTS}, where agents are defined, so it could not be isolated."
    if folder.is_relative_to(places.root / PLAYBOOKS):
        return f"Its folder is in {PLAYBOOKS}, so it could not be isolated."
    for path in map(Path, places.private_paths):
        if folder.is_relative_to(path):
            return f"Its folder is in {path}, where a program keeps private files, so it could not be isolated."
    for state in map(_plain, needs.state):
        if os.path.realpath(state) != state:
            return f"{state} is or contains a symbolic link, so the run could not be isolated."
    return ""


class Isolation:
    """The isolation of one CLI, from before its start until after its end. Make it with `prepare`."""

    def __init__(
        self,
        view: SandboxView,
        environment: Mapping[str, str],
        egress: Egress,
        proxy: EgressProxy,
        *,
        aside: Path,
        git: tuple[str, ...],
        run_folder: Callable[[str], Path],
    ) -> None:
        """`aside`: a folder outside, for what the run created and must not stay. `git`: its steering paths."""
        self.view = view
        self._environment = environment
        self._egress = egress
        self._proxy = proxy
        self._aside = aside
        self._git = git
        self._run_folder = run_folder
        self._traces: FolderTraces | None = None

    @classmethod
    def prepare(
        cls,
        order: IsolatedOrder,
        needs: SandboxNeeds,
        *,
        kept_environment: Iterable[str],
        run_directory: Path,
        aside: Path,
        places: Surroundings,
        on_refused: Callable[[str], None],
    ) -> Isolation:
        """Build the view, and create the CLI's own folders. Reads the disk: call it off the loop.

        Opens nothing: see `open`. `on_refused` receives a sentence for each host that the run was not allowed to reach.
        Raises `Unavailable` if it cannot be isolated, and `OSError` for folders that cannot be made.
        """
        for folder in needs.state:
            Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in needs.private:  # the folder above has to be writable inside, even if nothing is there yet
            Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)

        def refused(host: str, sentence: str) -> None:
            if host not in needs.quiet:
                on_refused(sentence)

        urls = urls_of(places.environment, kept_environment)
        egress = egress_of(order.network, needs, urls, order.tool_servers)
        try:
            proxy = EgressProxy(egress, on_refused=refused, upstream=_upstream(places.environment))
        except ValueError:
            raise Unavailable("Runs can only be isolated behind an HTTP proxy. Correct HTTPS_PROXY.") from None
        git = git_steering_paths(order.folder, places.environment)
        view = msgspec.structs.replace(
            view_of(order, needs, run_directory, places, git=git), local_services=_on_this_machine(egress.local)
        )
        environment = inside_environment(needs, places.environment)
        return cls(view, environment, egress, proxy, aside=aside, git=git, run_folder=places.run_folder)

    def adapt(self, launch: Launch, environment: Mapping[str, str]) -> tuple[Launch, dict[str, str]]:
        """Return a launch and its environment as they are inside.

        In a container, the program has no path: the image has it elsewhere.
        """
        program, *rest = launch.argv
        found = str(Path(program).parent.resolve() / Path(program).name)
        if self.view.image is not None and program != sys.executable:
            found = Path(program).name  # the image has it somewhere else
        return msgspec.structs.replace(launch, argv=(found, *rest)), {**environment, **self._environment}

    async def open(self) -> None:
        """Note what is in the working folder, and open the way out. Called before the CLI is started.

        Raises `Unavailable` if the folder has been replaced by a link, and `OSError`.
        """
        self._traces = await asyncio.to_thread(FolderTraces.begin, self.view, self._aside, self._git)
        assert self.view.proxy_socket is not None
        try:
            await self._proxy.listen(Path(self.view.proxy_socket))
        except BaseException:
            self._traces.close()
            raise

    @asynccontextmanager
    async def recorded(self, run_id: str) -> AsyncIterator[None]:
        """Keep in the folder of a run what it can see, and when the block has ended, what it has reached.

        A full disk is no error.
        """
        folder = private_folder(self._run_folder(run_id))
        reached, refused = Counter(self._proxy.counts), Counter(self._proxy.refused)
        record = await asyncio.to_thread(sandbox_record.record_of, self.view, self._egress)
        await asyncio.to_thread(sandbox_record.save, record, folder)
        try:
            yield
        finally:
            now = Counter(self._proxy.counts) - reached, Counter(self._proxy.refused) - refused
            record = sandbox_record.with_connections(record, *now)
            await asyncio.to_thread(sandbox_record.save, record, folder)

    async def close(self) -> list[str]:
        """Close the way out after the end of the CLI, and return warnings for people.

        Files that must not stay are moved away.
        """
        await self._proxy.close()
        return await asyncio.to_thread(self._traces.end) if self._traces is not None else []


def recorded(isolation: Isolation | None, run_id: str) -> AbstractAsyncContextManager[None]:
    """Return a context that keeps what a run can see and reach while it works. Without a sandbox, it keeps nothing."""
    return nullcontext() if isolation is None else isolation.recorded(run_id)


# --- the view --------------------------------------------------------------------------------------


def view_of(
    order: IsolatedOrder,
    needs: SandboxNeeds,
    run_directory: Path,
    places: Surroundings,
    *,
    git: tuple[str, ...] = (),
) -> SandboxView:
    """Return what the CLI of an order can read, change and reach. `git`: `git_steering_paths`. Reads the disk."""
    folder = order.folder
    own = {_plain(path) for path in (*needs.state, *needs.read, *needs.copied)}
    read = [str(run_directory)]
    if order.image is None:
        read += installation(order.program, places.environment)
    read += [path for path in needs.read if _is_plain(path)]
    write = list(map(_plain, needs.state))
    (read if order.read_only else write).append(str(folder))
    fixed = [f"{folder}/{name}" for name in (*PROJECT_SETTINGS, *present(folder, (*SWEPT_SETTINGS, *git)))]
    fixed += map(str, folder.glob(WORKSPACE_FILES))
    fixed += (f"{tree}/{name}" for tree in folder.glob(WORKTREES) for name in WORKTREE_SETTINGS)
    fixed += needs.steering
    hidden = [str(path) for path in _private(places) if str(path) not in own]
    # also if the folder is read-only, which does not prevent connections
    hidden += (path for tree in dict.fromkeys((*write, str(folder))) for path in _sockets(tree))
    agents, playbooks = places.root / AGENTS, places.root / PLAYBOOKS
    if agents.is_relative_to(folder):
        if order.agent is not None and (agents / order.agent).is_dir():
            hidden.append(f"{agents}/")
            read.append(str(agents / order.agent))
            write.append(str(agents / order.agent / WORKSPACE))
        else:
            fixed.append(f"{agents}/")
    if playbooks.is_relative_to(folder):
        fixed.append(f"{playbooks}/")
    return SandboxView(
        folder=str(folder),
        home=str(_home(places.environment)),
        image=order.image,
        read=tuple(read),
        write=tuple(write),
        fixed=tuple(dict.fromkeys(fixed)),
        private=needs.private,
        hidden=tuple(hidden),
        copied=tuple(path for path in needs.copied if _is_plain(path)),
        proxy_socket=str(run_directory / PROXY_SOCKET),
    )


def egress_of(
    network: tuple[str, ...], needs: SandboxNeeds, urls: Iterable[str], tool_servers: Iterable[str] = ()
) -> Egress:
    """Return what a run can reach: its model service, its remote tool servers, and what the agent's `network` names.

    With "open" in `network`, every public host. A remote tool server may be on this machine if its address says so, but
    not in a private network.
    """
    services = tuple(address for url in (*needs.urls, *urls) if (address := address_of(url)))
    tools = {url: address for url in tool_servers if (address := address_of(url))}
    services += tuple(address for url, address in tools.items() if is_on_this_machine(url))
    if "open" in network:
        return Egress(mode="open", local=services)
    words = {"packages", "none"}
    packages = PACKAGE_HOSTS if "packages" in network else ()
    chosen = tuple(entry for entry in network if entry not in words)
    return Egress(mode="hosts", hosts=(*needs.hosts, *services, *tools.values(), *packages, *chosen), local=services)


def inside_environment(needs: SandboxNeeds, environment: Mapping[str, str]) -> dict[str, str]:
    """Return variables that are different inside: paths without links, the name for commits, the CLI's additions."""
    path = os.pathsep.join(dict.fromkeys(map(os.path.realpath, _search_path(environment))))
    return {**git_identity(environment), **needs.environment, "HOME": str(_home(environment)), "PATH": path}


def installation(program: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files and folders that a program needs to start: its package, and its interpreter. Reads the disk.

    They are absolute, without links in the folders above. A missing program is no error.
    """
    found: dict[str, None] = {}
    for path in _links(Path(program)):
        found[str(_tree_of(path, _home(environment)))] = None
    if (interpreter := _interpreter(Path(program), environment)) is not None:
        for path in _links(interpreter):
            found[str(_tree_of(path, _home(environment)))] = None
    return tuple(found)


def _links(path: Path) -> Iterator[Path]:
    """Yield a file and what its links lead to, each in a folder without links."""
    for _ in range(40):
        path = path.parent.resolve() / path.name
        yield path
        if not path.is_symlink():
            return
        path = path.parent / path.readlink()


def _tree_of(file: Path, home: Path) -> Path:
    """Return the folder that has to be visible for a program's file to work."""
    parts = file.parts
    for name in ("node_modules", ".volta"):
        if name in parts:
            return Path(*parts[: parts.index(name) + 1])
    prefix = file.parent.parent
    if file.parent.name == "bin" and any((prefix / mark).exists() for mark in ("pyvenv.cfg", "conda-meta")):
        return prefix
    return file if home.is_relative_to(file.parent) else file.parent


def _interpreter(program: Path, environment: Mapping[str, str]) -> Path | None:
    """Return the path of the interpreter that the first line of a script names."""
    try:
        with program.open("rb") as file:
            first = file.read(SCRIPT_BYTES).partition(b"\n")[0].decode(errors="replace")
    except OSError:
        return None
    if not first.startswith("#!"):
        return None
    words = first[2:].split()
    if words and Path(words[0]).name == "env":
        names = [word for word in words[1:] if not word.startswith("-")]
        found = shutil.which(names[0], path=environment.get("PATH", os.defpath)) if names else None
        return Path(found) if found else None
    return Path(words[0]) if words and words[0].startswith("/") else None


def _search_path(environment: Mapping[str, str]) -> list[str]:
    return [folder for folder in environment.get("PATH", os.defpath).split(os.pathsep) if folder.startswith("/")]


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or "/nonexistent").resolve()


def _sockets(tree: str) -> Iterator[str]:
    """Yield the Unix sockets in a folder, not too deep: a server outside the sandbox may listen there."""
    for folder, folders, files in os.walk(tree):
        if len(Path(folder).relative_to(tree).parts) >= SOCKET_DEPTH:
            folders.clear()
        for name in files:
            path = f"{folder}/{name}"
            with suppress(OSError):
                if stat.S_ISSOCK(Path(path).lstat().st_mode):
                    yield path


def _plain(path: str) -> str:
    return path.rstrip("/")


def _is_plain(path: str) -> bool:
    """Return whether something is at a path that contains no link."""
    return Path(path).exists() and os.path.realpath(path) == path


def _private(places: Surroundings) -> Iterator[Path]:
    """Yield the existing files and folders of other programs, of Jupyter and of this server."""
    for pattern in (*places.private_paths, str(places.state_folder)):
        names = glob(f"{escape(pattern[:-1])}*") if pattern.endswith("*") else [pattern]  # noqa: PTH207 - absolute
        for name in names:
            with suppress(OSError):
                path = Path(name)
                if path.exists():
                    yield path.resolve()


def _on_this_machine(addresses: Iterable[str]) -> tuple[str, ...]:
    """Return the addresses on the loopback, one for each port."""
    split = [(address, *address.rpartition(":")[::2]) for address in addresses]
    return tuple({port: address for address, host, port in split if host in LOOPBACK}.values())


def _upstream(environment: Mapping[str, str]) -> str | None:
    names = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
    return next((environment[name] for name in names if environment.get(name)), None)

"""A real Jupyter server in a separate process, isolated from the machine it runs on."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from jupyter_cabinet.runs.rules.lifecycle import FINAL

from .people import token_of
from .tables import begin_with_tables
from .waiting import QUERY_SECONDS

START_SECONDS = 90
STOP_SECONDS = 60  # more than the server gives itself
PORT_TRIES = 3
RESOURCES = ("cabinet-runs", "cabinet-terminals", "cabinet-approvals", "cabinet-agents", "cabinet-channels")
EVERYTHING = [f"{r}:{a}" for r in (*RESOURCES, "cabinet-admin") for a in ("read", "write", "execute")]
WORKING = [
    *(f"{r}:{a}" for r in RESOURCES for a in ("read", "execute")),
    "cabinet-runs:write",
    "cabinet-agents:write",
    "cabinet-admin:read",
]
READING = [f"{r}:read" for r in (*RESOURCES, "cabinet-admin")]
RIGHTS = {"root": EVERYTHING, "ada": WORKING, "ben": WORKING, "rea": READING}
SHARED_TOKEN = "shared-token-0123456789"
_NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
# Extensions that only a browser needs. Loading them takes half of a server's start.
OTHER_EXTENSIONS = ("jupyterlab", "jupyter_lsp", "notebook", "notebook_shim")
COLLABORATION_EXTENSIONS = ("jupyter_server_fileid", "jupyter_server_ydoc")


class Server:
    """Jupyter Server with Jupyter Cabinet.

    `people`: named users with separate rights; otherwise one shared token. `tables`: start with a migrated database,
    as if the server had run before. `command`: started instead of `default_command`.
    """

    default_command: tuple[str, ...] = (sys.executable, "-m", "jupyter_server")

    def __init__(
        self,
        place: Path,
        *,
        people: bool = False,
        arguments: tuple[str, ...] = ("--CabinetApp.trust=always",),
        environment: dict[str, str] | None = None,
        collaboration: bool = False,
        base_url: str = "/a%40b/",
        command: tuple[str, ...] = (),
        tables: bool = True,
    ) -> None:
        self.place = place
        self.root = place / "root"
        self.home = place / "home"
        self.log_path = place / "server.log"
        self.base_url = base_url
        self._command = command or self.default_command
        self._people = people
        self._tables = tables and not any("db_url" in each for each in arguments)
        self._arguments = arguments
        self.extra_environment = environment or {}
        self._collaboration = collaboration
        self._process: subprocess.Popen[bytes] | None = None
        self._kept_port: int | None = None
        self._logins: dict[tuple[int, str], httpx.Cookies] = {}  # by port, which differs after a restart
        self._rights_path = place / "rights.json"
        for folder in (self.root, self.home):
            folder.mkdir(parents=True, exist_ok=True)
        self.set_rights(RIGHTS)

    # --- life ------------------------------------------------------------------------------

    def start(self, *, ready: str = "cabinet/api/health", again: bool = False) -> Server:
        """Returns when `ready`, an address below the base URL, answers 200. `again`: at the same port, for pages that
        are open."""
        self._kept_port = self.port if again else None
        if self._tables:
            begin_with_tables(self.root, self.place / "data" / "cabinet")
        for _ in range(PORT_TRIES):
            self._launch()
            if self._is_up(ready):
                break
        else:
            raise RuntimeError(f"The server ended:\n{self.log[-4000:]}")
        return self

    def _launch(self) -> None:
        self.port = self._kept_port or free_port()
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command, *self._options(), *self._arguments],
                cwd=self.place,
                env=self.environment(),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def stop(self) -> int:
        """End it as an operator would, and return its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._wait_for_end(self._process)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGUSR1)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(2)
            raise RuntimeError(f"The server did not stop:\n{self.log[-20_000:]}") from None
        late = [line for line in self.log.splitlines() if "Cabinet did not stop within" in line]
        if late:
            print(late[-1], file=sys.__stderr__)
        return code

    def _wait_for_end(self, process: subprocess.Popen[bytes]) -> int:
        """Python may refuse to log inside of a signal that comes while a line is being logged. Jupyter Server 2.21.1
        has then forgotten the signal before it stops, so it gets another one."""
        with suppress(subprocess.TimeoutExpired):
            return process.wait(STOP_SECONDS / 4)
        if "in _signal_stop" in self.log and "reentrant call" in self.log:
            process.send_signal(signal.SIGTERM)
        return process.wait(STOP_SECONDS * 3 / 4)

    def kill(self) -> None:
        """Let it crash."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait(10)

    def ended(self, seconds: float) -> int:
        """Wait until it has ended by itself, and return its exit code."""
        assert self._process is not None
        return self._process.wait(seconds)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.home),
            "JUPYTER_CONFIG_DIR": str(self.place / "config"),
            "JUPYTER_DATA_DIR": str(self.place / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.place / "runtime"),
            "IPYTHONDIR": str(self.place / "ipython"),
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), str(Path(__file__).parent / "in_server")]),
            "CABINET_TEST_RIGHTS": str(self._rights_path),
            **self.extra_environment,
        }

    def _options(self) -> list[str]:
        return [*self._common_options(), *self._extension_options()]

    def _extension_options(self) -> list[str]:
        """Options for the extensions of other packages."""
        off = (*OTHER_EXTENSIONS, *(() if self._collaboration else COLLABORATION_EXTENSIONS))
        return [f"--ServerApp.jpserver_extensions={name}=False" for name in off]

    def _common_options(self) -> list[str]:
        options = [
            "--no-browser",
            f"--port={self.port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.base_url={self.base_url}",
            f"--ServerApp.root_dir={self.root}",
            f"--BaseFileIdManager.db_path={self.place / 'file_id.db'}",
            f"--SQLiteYStore.db_path={self.place / 'ystore.db'}",
            "--allow-root",
        ]
        if self._people:
            options += [
                "--ServerApp.identity_provider_class=harness.people.Table",
                "--ServerApp.authorizer_class=harness.people.Rights",
                f"--IdentityProvider.token={SHARED_TOKEN}",
            ]
        else:
            options.append(f"--IdentityProvider.token={SHARED_TOKEN}")
        return options

    def _is_up(self, ready: str) -> bool:
        """False: somebody else has taken the port since it was free."""
        assert self._process is not None
        until = time.monotonic() + START_SECONDS
        with self.client("root") as client:
            while time.monotonic() < until:
                if self._process.poll() is not None:
                    if f"port {self.port} is not available" in self.log:
                        return False
                    raise RuntimeError(f"The server ended:\n{self.log[-4000:]}")
                try:
                    if client.get(f"{self.url}{ready}").status_code == 200:
                        return True
                except httpx.TransportError:
                    pass
                time.sleep(0.05)  # nothing tells that a port is open but trying it
        raise RuntimeError(f"The server did not come up:\n{self.log[-4000:]}")

    # --- people ----------------------------------------------------------------------------

    def set_rights(self, rights: Mapping[str, list[str] | None]) -> None:
        """At once and whole: the server reads them at any moment. None: a login that was withdrawn."""
        new = self._rights_path.with_suffix(".new")
        new.write_text(json.dumps(rights))
        new.replace(self._rights_path)

    def token(self, username: str) -> str:
        return token_of(username) if self._people else SHARED_TOKEN

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}{self.base_url}"

    def client(self, username: str | None, **headers: str) -> httpx.Client:
        """A program's client: the token in the header, no cookie. `None`: not logged in."""
        named = {"Authorization": f"token {self.token(username)}"} if username else {}
        return plain_client(f"{self.url}cabinet/api/", headers={**named, **headers})

    @contextmanager
    def browser_client(self, username: str) -> Iterator[httpx.Client]:
        """A browser's client: logged in by cookie, with the XSRF header and this server's origin."""
        with plain_client(f"{self.url}cabinet/api/", headers={"Origin": self.origin}) as client:
            if (self.port, username) not in self._logins:
                client.get(f"{self.url}lab", params={"token": self.token(username)}, follow_redirects=True)
                self._logins[self.port, username] = httpx.Cookies(client.cookies)
            client.cookies = self._logins[self.port, username]
            client.headers["X-XSRFToken"] = client.cookies["_xsrf"]
            yield client

    # --- shortcuts -------------------------------------------------------------------------

    def run(self, client: httpx.Client, instruction: str, *, wait: float = 30, **fields: Any) -> dict[str, Any]:
        """Start a run; with `wait` return it final."""
        body = {"kind": "manual", "runtime": "demo", "instruction": instruction, **fields}
        reply = client.post("runs", params={"wait": wait} if wait else {}, json=body, timeout=wait + 10)
        assert reply.status_code in (200, 201), reply.text
        found: dict[str, Any] = reply.json()
        return found


class LabServer(Server):
    """JupyterLab, for a browser.

    A page does not ask whether JupyterLab has to be built again. The answer is always no, and it costs the server a
    second of CPU for each page, part of it in Node.
    """

    default_command = (sys.executable, "-m", "jupyterlab")

    def _launch(self) -> None:
        settings = self.place / "config" / "labconfig"
        settings.mkdir(parents=True, exist_ok=True)
        (settings / "page_config.json").write_text('{"buildAvailable": false, "buildCheck": false}')
        super()._launch()

    def _extension_options(self) -> list[str]:
        options = [
            f"--LabApp.workspaces_dir={self.place / 'workspaces'}",
            f"--LabApp.user_settings_dir={self.place / 'settings'}",
            "--LabApp.expose_app_in_browser=True",
        ]
        return options if self._collaboration else [*options, "--YDocExtension.disable_rtc=True"]


def plain_client(url: str, **options: Any) -> httpx.Client:
    """An HTTP client without TLS: loading the certificates takes 25 ms for each client."""
    return httpx.Client(base_url=url, verify=_NO_CERTIFICATES, **{"timeout": 30, **options})


def until(condition: Any, *, seconds: float = 30, what: str = "it") -> Any:
    """Ask again and again until the answer is true; return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := condition():
            return answer
        time.sleep(QUERY_SECONDS)
    raise AssertionError(f"waited {seconds} s for {what}")


def ended(client: httpx.Client, run_id: str) -> dict[str, Any] | None:
    """The run, once it has ended."""
    run: dict[str, Any] = client.get(f"runs/{run_id}").json()
    return run if run["state"] in FINAL else None


def processes_below(pid: int) -> list[int]:
    """Every living descendant of a process."""
    import psutil

    try:
        children = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [child.pid for child in children if lives(child)]


def lives(process: Any) -> bool:
    """Whether this very process is there, and is no zombie."""
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port

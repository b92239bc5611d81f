"""Finds the running server for a command, and checks an address that was given.

`kernel_server.py` finds the server for a kernel. Called by `cli.py` and `cabinet.py`; `http.py` then talks to it.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

import msgspec

from ..errors import NoServer

VARIABLE = "JUPYTER_TOKEN"  # of the environment, as Jupyter itself reads it
TOKEN_VARIABLE = "JUPYTER_CABINET_TOKEN"  # noqa: S105 - its name; in a kernel, it counts before the server's own token
START_ONE = "Start one with `jupyter lab`, or give its address with --url."


class ServerAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The address of a server.

    `url` ends with a slash. `root`: its folder, empty if unknown. `socket`: the path of the Unix socket that it listens
    on, instead of a port. `nearby`: a server on this machine: no proxy is used. `runs_kernel`: the server that has
    started this kernel. Its `repr` does not contain the token.
    """

    url: str
    token: str = ""
    root: str = ""
    socket: str = ""
    nearby: bool = False
    runs_kernel: bool = False

    @property
    def browser_url(self) -> str:
        """Return where a person opens JupyterLab."""
        return f"{self.url}lab"

    def __repr__(self) -> str:
        return f"ServerAddress(url={self.url!r}, root={self.root!r}, socket={self.socket!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("url", self.url), ("root", self.root), ("socket", self.socket)]


def find_server(url: str | None, token: str | None) -> ServerAddress:
    """Return the intended server: by its address, else by the current directory. Raises `NoServer`.

    The token is `token`, else that of `JUPYTER_TOKEN`, else that of the server that was found; it goes to no other
    address. Whether the server answers is not checked.
    """
    given = token or os.environ.get(VARIABLE, "")
    running = running_servers()
    if url is None:
        found = choose(running, Path.cwd())
    else:
        named = address_given(url, "")
        found = next((each for each in running if each.url == named.url), named)
    return msgspec.structs.replace(found, token=given) if given else found


def running_servers() -> list[ServerAddress]:
    """Find this user's servers on this machine by the files that each Jupyter server writes when it starts.

    Jupyter Server's `list_running_servers` does the same, but importing its module can take three seconds.
    """
    from jupyter_core.paths import jupyter_runtime_dir

    found = (_read(file) for file in sorted(Path(jupyter_runtime_dir()).glob("jpserver-*.json")))
    return [address for info in found if _is_running(info) and (address := address_of(info)) is not None]


def _read(file: Path) -> Mapping[str, Any]:
    """Return the content of a server's file; empty if the file has just been removed or is not complete yet."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def _is_running(info: Mapping[str, Any]) -> bool:
    """Return whether the server's process still exists. A server that crashes leaves its file behind."""
    pid = info.get("pid")
    if not (isinstance(pid, int) and 0 < pid < 2**31):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        return True
    return True


def choose(running: Sequence[ServerAddress], folder: Path) -> ServerAddress:
    """Return the server whose root contains this folder (the nearest root counts), else the only server.

    Of several with the same root, the first. Raises `NoServer` if there is none, or if several run and none of their
    roots contains the folder: a command may stop work, and must not reach another server than intended.
    """
    holding = [each for each in running if each.root and folder.is_relative_to(Path(each.root).resolve())]
    if holding:
        return max(holding, key=lambda each: len(Path(each.root).resolve().parts))
    if not running:
        raise NoServer("No running Jupyter server was found.", START_ONE)
    if len(running) > 1:
        raise NoServer(
            "Several servers are running, and none of their folders contains the current directory.",
            f"Change into one of their folders, or name one with --url: {_listed(running)}.",
        )
    return running[0]


def address_given(url: str, token: str) -> ServerAddress:
    """Return the server at this address. Raises `NoServer` for an invalid address."""
    address = checked_url(url)
    return ServerAddress(url=address, token=token, nearby=is_on_this_machine(address))


def checked_url(url: str) -> str:
    """Return the address of a server, with a slash at its end.

    Raises `NoServer` for an invalid one, and for one with a query, a fragment or a password.
    """
    if not url.startswith(("http://", "https://")):
        raise _no_address(url)
    if "?" in url or "#" in url:
        raise NoServer(
            "The address of the server contains a query.", f"Leave it out, and give the token in {VARIABLE}."
        )
    if _has_password(url):
        raise NoServer("The address of the server contains a password.", "Leave it out, and give a token instead.")
    return url if url.endswith("/") else f"{url}/"


def is_on_this_machine(url: str) -> bool:
    """Return whether the address itself is local: `localhost` or a loopback address."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address_of(info: Mapping[str, Any]) -> ServerAddress | None:
    """Return the server from a file that Jupyter's servers write; None if it is not one of theirs."""
    socket, base = info.get("sock") or "", info.get("base_url") or "/"
    url = f"http://localhost{base}" if socket else info.get("url")
    if not isinstance(url, str) or not url.startswith(("http://", "https://")) or _parts(url) is None:
        return None
    root, token = info.get("root_dir"), info.get("token")
    return ServerAddress(
        url=reachable(url if url.endswith("/") else f"{url}/"),
        token=token if isinstance(token, str) else "",
        root=root if isinstance(root, str) else "",
        socket=str(socket),
        nearby=True,
    )


def reachable(url: str) -> str:
    """Return an address that a client can connect to.

    If the server listens on all interfaces (host `0.0.0.0`, `::` or none), the result has the loopback address instead.

    Raises `NoServer` for an invalid address.
    """
    parts = _parts(url)
    if parts is None:
        raise _no_address(url)
    if parts.hostname not in ("0.0.0.0", "::", None):  # noqa: S104 - compared, not bound
        return url
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:  # an invalid one: connecting reports the error
        return url
    host = "[::1]" if parts.hostname == "::" else "127.0.0.1"
    return urlunsplit((parts.scheme, f"{host}{port}", parts.path, "", ""))


def _has_password(url: str) -> bool:
    parts = _parts(url)
    if parts is None:
        raise _no_address(url)
    return "@" in parts.netloc


def _parts(url: str) -> SplitResult | None:
    """Return None for an address that no browser could open, such as http://[/."""
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _no_address(url: str) -> NoServer:
    return NoServer(f"{url} is not the address of a server.", "Use one such as http://localhost:8888/.")


def _listed(running: Iterable[ServerAddress]) -> str:
    return ", ".join(f"{each.url} ({each.root})" for each in running)

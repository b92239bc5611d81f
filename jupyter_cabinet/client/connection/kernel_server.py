"""Finds the server that has started a kernel, from the kernel's environment, and never by trying others.

Three sources, of which the first that exists counts: an address that was given (`JUPYTER_CABINET_URL`); the file of the
server that started this process (`JPY_PARENT_PID`); JupyterHub's variables.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ...core.paths import open_regular
from ..errors import NoServer
from .server_address import TOKEN_VARIABLE, VARIABLE, ServerAddress, address_given, address_of, reachable

URL_VARIABLE = "JUPYTER_CABINET_URL"
PARENT = "JPY_PARENT_PID"
HUB_TOKEN = "JUPYTERHUB_API_TOKEN"  # noqa: S105 - its name
MAX_FILE_BYTES = 64 * 1024
WHAT_TO_DO = (
    "Start the notebook in JupyterLab with Jupyter Cabinet. Elsewhere set "
    f"{URL_VARIABLE} and {TOKEN_VARIABLE}, or give Cabinet(url, token=…)."
)


def server_of_kernel(environment: Mapping[str, str]) -> ServerAddress:
    """Return the server that this kernel belongs to. `environment`: the kernel's own, as `os.environ`.

    Raises `NoServer`, which names the sources: in plain IPython, in VS Code, under papermill; and if the server only
    accepts a password.
    """
    given = environment.get(TOKEN_VARIABLE, "")
    if url := environment.get(URL_VARIABLE):
        return address_given(url, given or environment.get(VARIABLE, ""))
    info = _file_of_parent(environment.get(PARENT, ""))
    parent = None if info is None else address_of(info)
    hub = _of_hub(environment)
    if hub is not None and (parent is None or _path(parent) == _path(hub)):
        return msgspec.structs.replace(hub, root=parent.root) if parent else hub
    if parent is None or info is None:
        raise NoServer(_looked_for(environment), WHAT_TO_DO)
    token = given or parent.token or environment.get(VARIABLE, "")
    return _with_token(parent, token, asks_password=bool(info.get("password")))


def _with_token(server: ServerAddress, token: str, *, asks_password: bool) -> ServerAddress:
    if asks_password and not token:
        raise NoServer(
            f"The server at {server.url} only accepts a password, and a kernel has none.",
            f"Give the server a token too (`jupyter lab --IdentityProvider.token=…`), and put it into {VARIABLE}.",
        )
    return msgspec.structs.replace(server, token=token, runs_kernel=True)


def _of_hub(environment: Mapping[str, str]) -> ServerAddress | None:
    """Under JupyterHub the server listens at `JUPYTERHUB_SERVICE_URL`, and its own token may call it."""
    url, token = environment.get("JUPYTERHUB_SERVICE_URL", ""), environment.get(HUB_TOKEN, "")
    if not token or not url.startswith(("http://", "https://")):
        return None
    origin = reachable(url)
    prefix = environment.get("JUPYTERHUB_SERVICE_PREFIX") or urlsplit(origin).path or "/"
    parts = urlsplit(origin)
    address = f"{parts.scheme}://{parts.netloc}/{prefix.strip('/')}".rstrip("/") + "/"
    return ServerAddress(url=address, token=token, nearby=True, runs_kernel=True)


def _file_of_parent(pid: str) -> dict[str, Any] | None:
    """Return the description of the server with this process id; None if it is not a server of this user."""
    if not pid.isascii() or not pid.isdigit() or int(pid) < 1 or not _is_alive(int(pid)):
        return None
    try:
        file = os.open(_runtime_folder(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = msgspec.json.decode(_read(f"jpserver-{int(pid)}.json", file))
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    finally:
        os.close(file)
    return found if isinstance(found, dict) and found.get("pid") == int(pid) else None


def _read(name: str, folder: int) -> bytes:
    """Read a file that only this user can have written. Raises `OSError`."""
    file = open_regular(name, dir_fd=folder)
    with os.fdopen(file, "rb") as opened:
        about = os.fstat(opened.fileno())
        if about.st_uid != os.getuid() or about.st_mode & stat.S_IWOTH:
            raise PermissionError(name)
        return opened.read(MAX_FILE_BYTES)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):  # also if it is another user's: its file does not count
        return False
    return True


def _runtime_folder() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir())


def _path(server: ServerAddress) -> str:
    return urlsplit(server.url).path.strip("/")


def _looked_for(environment: Mapping[str, str]) -> str:
    if not environment.get(PARENT):
        return (
            "This is not a kernel of a Jupyter server: neither "
            f"{URL_VARIABLE} nor {PARENT} nor JupyterHub's variables are set."
        )
    return f"Process {environment[PARENT]}, which started this kernel, is not a Jupyter server of this user."

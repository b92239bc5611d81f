"""A real JupyterHub with its proxy, whose people log in with a name and start JupyterLab servers as this user."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import psutil

from .server import free_port

PASSWORD = "hub-password-0123456789"
START_SECONDS = 60
CONFIGURATION = """
c.JupyterHub.bind_url = "http://127.0.0.1:{port}/"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub_port}"
c.JupyterHub.db_url = "sqlite:///{place}/hub.sqlite"
c.JupyterHub.cookie_secret_file = "{place}/hub_cookie_secret"
c.ConfigurableHTTPProxy.command = ["{proxy}"]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.ConfigurableHTTPProxy.pid_file = "{place}/proxy.pid"
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = "{password}"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{place}/homes/{{username}}"
c.Spawner.cmd = ["{python}", "-m", "jupyterhub.singleuser"]
c.Spawner.args = [
    "--allow-root",
    "--YDocExtension.disable_rtc=True",
    "--LabApp.expose_app_in_browser=True",
    "--LabApp.user_settings_dir={place}/settings",
]
c.Spawner.environment = {environment}
"""


class Hub:
    """`proxy`: where configurable-http-proxy is. `search_path`: where its Node is."""

    def __init__(self, place: Path, *, proxy: Path, search_path: str) -> None:
        self.place = place
        self.log_path = place / "hub.log"
        self.port = free_port()
        self._search_path = search_path
        environment = {
            name: str(place / folder)
            for name, folder in (
                ("JUPYTER_CONFIG_DIR", "config"),
                ("JUPYTER_DATA_DIR", "data"),
                ("JUPYTER_RUNTIME_DIR", "runtime"),
                ("IPYTHONDIR", "ipython"),
                ("XDG_RUNTIME_DIR", "session"),
            )
        }
        text = CONFIGURATION.format(
            port=self.port,
            hub_port=free_port(),
            proxy_port=free_port(),
            place=place,
            proxy=proxy,
            password=PASSWORD,
            python=sys.executable,
            environment=environment,
        )
        (place / "jupyterhub_config.py").write_text(text)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def root(self, username: str) -> Path:
        """The folder of somebody's server, made before they start it."""
        folder = self.place / "homes" / username
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def url(self, username: str) -> str:
        return f"{self.origin}/user/{username}/"

    def start(self) -> Hub:
        kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "USER") if name in os.environ}
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "jupyterhub", "-f", str(self.place / "jupyterhub_config.py")],
                cwd=self.place,
                env={**kept, "PATH": self._search_path, "HOME": str(self.place)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            try:
                if httpx.get(f"{self.origin}/hub/health").status_code == 200:
                    return self
            except httpx.TransportError:
                pass
            time.sleep(0.05)  # nothing tells that a port is open but trying it
        raise RuntimeError(f"The Hub did not come up:\n{self.log[-4000:]}")

    def stop(self) -> None:
        """It ends its proxy and its people's servers."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)

    def token_of_the_server(self, username: str) -> str:
        """What kernels and terminals of somebody's server find in their environment."""
        return self.environment_of_kernels(username)["JUPYTERHUB_API_TOKEN"]

    def environment_of_kernels(self, username: str) -> dict[str, str]:
        """What a kernel of somebody's server inherits, and what its launcher adds."""
        for process in psutil.Process(self._process.pid).children(recursive=True):
            found = process.environ()
            if found.get("JUPYTERHUB_USER") == username:
                return {**found, "JPY_PARENT_PID": str(process.pid)}
        raise LookupError(username)

"""Where this server's Jupyter keeps its own files, such as settings and databases, and where ours of a run belong.

Called by `app.py`. Changes never include these files, and sandboxes hide them. It reads the server's configuration
and environment, and no file.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_config_dir, jupyter_data_dir, jupyter_runtime_dir

# Settings of Jupyter's parts that name a file or folder: JupyterLab, jupyter-collaboration, jupyter-server-fileid.
_FOLDERS = (("LabApp", "workspaces_dir"), ("LabApp", "user_settings_dir"))
_FILES = (
    ("SQLiteYStore", "db_path"),
    ("YDocExtension", "session_store_path"),
    ("BaseFileIdManager", "db_path"),
    ("ArbitraryFileIdManager", "db_path"),
    ("LocalFileIdManager", "db_path"),
)
_VARIABLES = ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")


def jupyter_paths(server: Any) -> tuple[str, ...]:
    """Return absolute paths. `server`: the `ServerApp`.

    One that ends with `*` stands for every name with that prefix: SQLite has files beside its database.
    """
    folders = [jupyter_config_dir(), jupyter_data_dir(), jupyter_runtime_dir()]
    folders += [server.config_dir, server.data_dir, server.runtime_dir]
    folders += [_setting(server, *names) for names in _FOLDERS] + [os.environ.get(name, "") for name in _VARIABLES]
    files = [str(server.cookie_secret_file), *(_setting(server, *names) for names in _FILES)]
    found = [*(_absolute(path) for path in folders if path), *(f"{_absolute(path)}*" for path in files if path)]
    return tuple(dict.fromkeys(found))


def run_directories() -> Path:
    """Return the folder for run directories.

    It is removed with the login session if there is a folder for that. Otherwise it is in Jupyter's runtime folder,
    which is below the root if the home folder is.
    """
    session = os.environ.get("XDG_RUNTIME_DIR")
    return Path(session or jupyter_runtime_dir()) / "jupyter-cabinet"


def _setting(server: Any, part: str, name: str) -> str:
    """Return a setting; empty if nobody has set it. Parts that are not installed are not loaded for it."""
    value = server.config.get(part, {}).get(name, "")
    return value if isinstance(value, str) and value != ":memory:" else ""


def _absolute(path: str) -> str:
    # resolved like a relative path: from the folder where the server was started
    return str(Path(path).expanduser().absolute())

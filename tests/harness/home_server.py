"""A server whose root is its home directory, with Jupyter's files where they are by default: as on a JupyterHub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .server import LabServer

_PUT_ELSEWHERE = ("--BaseFileIdManager.", "--SQLiteYStore.", "--LabApp.workspaces_dir", "--LabApp.user_settings_dir")
_VARIABLES = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")


class HomeServer(LabServer):
    """See above."""

    def __init__(self, place: Path, **more: Any) -> None:
        super().__init__(place, **more)
        self.root = self.home

    def environment(self) -> dict[str, str]:
        return {name: value for name, value in super().environment().items() if name not in _VARIABLES}

    def _options(self) -> list[str]:
        options = [each for each in super()._options() if not each.startswith(_PUT_ELSEWHERE)]
        return [*options, f"--SQLiteYStore.db_path={self.home / '.jupyter_ystore.db'}"]

"""Tells the demo agent's hook program what happens, with Claude Code's own JSON. Standard library only."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .demo_session import Session

TIMEOUT_SECONDS = 15


class Hooks:
    """Runs the program once per event, and waits for it: whoever hears Stop knows all that came before."""

    def __init__(self, argv: Sequence[str], session: Session, root: Path) -> None:
        self._argv = list(argv)
        self._session = session
        self._root = root

    def tell(self, event: str, **fields: Any) -> None:
        if not self._argv:
            return
        payload = {
            "session_id": self._session.id,
            "transcript_path": str(self._session.path),
            "cwd": str(self._root),
            "hook_event_name": event,
            **fields,
        }
        try:
            subprocess.run(
                self._argv,
                input=json.dumps(payload).encode(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=TIMEOUT_SECONDS,
                check=False,
                start_new_session=True,  # Ctrl-C is for the agent, not for the messenger
            )
        except (OSError, subprocess.SubprocessError):
            pass  # a hook that fails must not disturb the person

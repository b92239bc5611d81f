"""Reports events to the demo agent's hook program, with Claude Code's own JSON. Standard library only."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .session import Session

TIMEOUT_SECONDS = 15


class Waiting:
    """A hook that waits for a person's answer."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self.fd = process.stdout.fileno()

    def decision(self) -> dict[str, Any]:
        """Wait for the hook's answer and return it.

        Empty if the hook gave no valid answer; then the person answers in the terminal.
        """
        said = b""
        while piece := os.read(self.fd, 65536):
            said += piece
        try:
            return dict(json.loads(said)["hookSpecificOutput"]["decision"])
        except (ValueError, KeyError, TypeError):
            return {}


class Hooks:
    """Runs the hook program once per event and waits for it, so that events arrive in order."""

    def __init__(self, argv: Sequence[str], session: Session, root: Path) -> None:
        self._argv = list(argv)
        self._session = session
        self._root = root

    def tell(self, event: str, **fields: Any) -> None:
        """Call the program with one event, and wait until it has ended, for at most `TIMEOUT_SECONDS`.

        Never raises because of it.
        """
        if not self._argv:
            return
        payload = self._payload(event, fields)
        with suppress(OSError, subprocess.SubprocessError):  # a hook that fails must not disturb the person
            subprocess.run(
                self._argv,
                input=json.dumps(payload).encode(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=TIMEOUT_SECONDS,
                check=False,
                start_new_session=True,  # Ctrl-C is meant for the agent, not for the hook program
            )

    @contextmanager
    def asking(self, **fields: Any) -> Iterator[Waiting | None]:
        """Start a PermissionRequest hook, which may answer as long as nobody has answered elsewhere; end it afterwards.

        Yields None if there is no hook program, or it cannot be started.
        """
        if not self._argv:
            yield None
            return
        try:
            process = subprocess.Popen(
                self._argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            yield None
            return
        with process:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.write(json.dumps(self._payload("PermissionRequest", fields)).encode())
                process.stdin.close()
            yield Waiting(process)
            process.terminate()

    def _payload(self, event: str, fields: dict[str, Any]) -> dict[str, Any]:
        return {
            "session_id": self._session.id,
            "transcript_path": str(self._session.path),
            "cwd": str(self._root),
            "hook_event_name": event,
            **fields,
        }

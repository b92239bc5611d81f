"""A block of every directive, the files on the disk before and after, and a server that dies in between."""

import errno
import json
import os
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from jupyter_cabinet.agents.directives.answer_block import Directive, parse
from jupyter_cabinet.agents.directives.effects.doer import DirectiveDoer
from jupyter_cabinet.agents.directives.effects.model import Applied, KnownAgent, Origin
from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.agents.files.persona import Goal

NOW = datetime(2026, 1, 14, 12, 30, tzinfo=UTC)
AGENTS = {
    "ada": KnownAgent(
        goals=(Goal(metric="leads", target=10, floor=5, period="weekly"),), zone=ZoneInfo("Europe/Berlin")
    ),
    "bob": KnownAgent(),
}

IGNORED = re.compile(r"\..+\.[0-9a-f]{12}|persona\.md")  # the first as `storage.files.replace` names them

BLOCK = """```memory
CONTEXT_UPDATE: Looked around.
DECISION: Keep SQLite.
LEARNING: Mornings are quiet.
GOAL_UPDATE [leads]: +2.5
MESSAGE_TO [bob]: Hello, @bob.
SLACK [general]: Done, @bob.
TASK_CREATE [bob] [1]: Fix it | Soon
TASK_COMPLETE [old-task]: Works.
```"""


def directives(*lines: str) -> Sequence[Directive]:
    parsed = parse("```memory\n" + "\n".join(lines) + "\n```")
    assert not parsed.problems
    return parsed.directives


def task_of_ada(agents: Path, **changes: Any) -> Path:
    place = agents / "ada" / "tasks" / "old-task.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"id": "old-task", "toAgent": "ada", "title": "Old", "colour": "red", **changes}))
    return place


def apply_all(doer: DirectiveDoer, origin: Origin, found: Sequence[Directive]) -> list[Applied]:
    return [doer.apply(each, origin, among=found) for each in found]


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder, but for personas, and temporary ones, which a killed server leaves."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not IGNORED.fullmatch(path.name))
    return {str(path.relative_to(folder)): path.read_text() for path in files}


class Died(BaseException):
    """The server was killed: nothing that it does from now on happens."""


class FileOperations:
    """Counts what is done to files, and kills the server, or fails, at one of these operations.

    `dies_at`: the operation, from 1, before which it dies; or behind which, with `after`. `fails_at`: the one that
    finds the disk full. Reading does not count.
    """

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *, dies_at: int = 0, after: bool = False, fails_at: int = 0
    ) -> None:
        self.count = 0
        self._dies_at, self._after, self._fails_at = dies_at, after, fails_at
        for name in ("replace", "rename", "fsync", "write", "unlink"):
            monkeypatch.setattr(os, name, self._counted(getattr(os, name)))
        self._open, self._mkdir = os.open, os.mkdir
        monkeypatch.setattr(os, "mkdir", self._made)
        monkeypatch.setattr(os, "open", self._opened)

    def _opened(self, path: Any, flags: int, *arguments: Any, **named: Any) -> int:
        if not flags & os.O_CREAT:
            return self._open(path, flags, *arguments, **named)
        descriptor: int = self._counted(self._open)(path, flags, *arguments, **named)
        return descriptor

    def _made(self, path: Any, *arguments: Any, **named: Any) -> None:
        make = self._mkdir if os.path.lexists(path) else self._counted(self._mkdir)
        make(path, *arguments, **named)

    def _counted(self, operation: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            self.count += 1
            dead = self._dies_at and self.count >= self._dies_at
            if dead and not (self._after and self.count == self._dies_at):
                raise Died
            if self.count == self._fails_at:
                raise OSError(errno.ENOSPC, "No space left on device")
            result = operation(*arguments, **named)
            if dead:
                raise Died
            return result

        return counted


def put_agents(root: Path) -> None:
    """Make `ada` and `bob`, without a file but their personas."""
    for slug in AGENTS:
        (root / ".agents" / slug).mkdir(parents=True)
        (root / ".agents" / slug / "persona.md").write_text(f"---\nname: {slug}\n---\n")


def doer_in(root: Path) -> DirectiveDoer:
    """As a server has one, with the agents `ada` and `bob`."""
    return DirectiveDoer(root=root, folders=AgentFolders(root, root / ".cabinet"), known=AGENTS.get)

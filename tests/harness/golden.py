"""Recorded outputs of a CLI and the events and outcome in their golden files.

`JUPYTER_CABINET_UPDATE_GOLDEN=1` writes the golden files again; read the difference before you commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec

from jupyter_cabinet.runtimes.model import PermissionMode, Request
from jupyter_cabinet.runtimes.port import Exit, Runtime

FIXTURES = Path(__file__).parents[1] / "fixtures"
UPDATE = "JUPYTER_CABINET_UPDATE_GOLDEN"


def recordings(runtime: str) -> list[Path]:
    return sorted((FIXTURES / "cli" / runtime).iterdir())


def case_of(path: Path) -> str:
    """The recording's name without the CLI's version: `err401-0.169.0.jsonl` is `err401`."""
    name = path.name.partition(".")[0].rpartition("-")[0]
    return f"{name}.stderr" if "stderr" in path.name else name


def replay(
    runtime: Runtime, path: Path, exit: Exit, *, transcript: bool = False, permission_mode: PermissionMode = "edit"
) -> dict[str, object]:
    """What a conversation makes of the recording."""
    request = Request(
        prompt="Please create hello.txt",
        mode="terminal" if transcript else "headless",
        cwd="/workspace",
        session_id="s1",
        permission_mode=permission_mode,
    )
    conversation = runtime.conversation(request)
    source = "transcript" if transcript else "stderr" if "stderr" in path.name else "stdout"
    events = conversation.feed(source, path.read_bytes())
    outcome = conversation.finish(None if transcript else exit)
    found: dict[str, object] = json.loads(msgspec.json.encode({"events": events, "outcome": outcome}))
    return found


def golden(runtime: str, path: Path, found: dict[str, object]) -> object:
    """The contents of the golden file."""
    place = FIXTURES / "golden" / runtime / f"{case_of(path)}.json"
    if os.environ.get(UPDATE):
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    return json.loads(place.read_text())


def check_text(path: Path, text: str) -> None:
    """A text is as it was recorded. `path`: below the folder of fixtures."""
    place = FIXTURES / path
    if os.environ.get(UPDATE):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    assert text == place.read_text()

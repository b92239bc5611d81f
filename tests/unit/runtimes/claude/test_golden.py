"""Every recorded output of Claude Code gives the events and the outcome in its golden file.

`JUPYTER_CABINET_UPDATE_GOLDEN=1` writes them again; read the difference before you commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.port import Exit

FIXTURES = Path(__file__).parents[3] / "fixtures"
GOLDEN = FIXTURES / "golden" / "claude"
RECORDED = sorted((FIXTURES / "cli" / "claude").iterdir())
TERMINATED = 143

# What each recording is about, in the words of the port.
FAILURES = {
    "err400": "unknown",
    "err401-retries0": "not_logged_in",
    "err429-forever": "rate_limited",
    "err500": "model_unavailable",
    "err529-stream": "model_unavailable",
    "noserver": "model_unavailable",
    "nokey": "not_logged_in",
    "max-turns": "output_limit",
    "denied-json": "permission_denied",
    "denied-stream": "permission_denied",
    "mcp-denied": "permission_denied",
    "resume-badid-stream": "session_gone",
    "resume-badid-stream.stderr": "session_gone",
    "resume-notuuid.stderr": "session_gone",
    "root-refused.stderr": "permission_denied",
    "session-id-reuse.stderr": "session_exists",
    "empty-stdin.stderr": "crashed",
    "sigterm": "cancelled",
}


def case(path: Path) -> str:
    return path.name.replace("-2.1.329", "").rsplit(".", 1)[0]


def replay(path: Path) -> dict[str, object]:
    is_transcript = path.name.startswith("session-") and path.suffix == ".jsonl"
    mode = "terminal" if is_transcript else "headless"
    request = Request(prompt="Please create hello.txt", mode=mode, cwd="/workspace", session_id="s1")
    conversation = Claude().conversation(request)
    source = "transcript" if is_transcript else "stderr" if "stderr" in path.name else "stdout"
    events = conversation.feed(source, path.read_bytes())
    ended = None if is_transcript else Exit(code=TERMINATED if case(path) == "sigterm" else 1)
    outcome = conversation.finish(ended)
    found: dict[str, object] = json.loads(msgspec.json.encode({"events": events, "outcome": outcome}))
    return found


@pytest.mark.parametrize("path", RECORDED, ids=case)
def test_a_recording_gives_its_golden_events(path):
    found = replay(path)
    golden = GOLDEN / f"{case(path)}.json"
    if os.environ.get("JUPYTER_CABINET_UPDATE_GOLDEN"):
        golden.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    assert found == json.loads(golden.read_text())


@pytest.mark.parametrize("path", [p for p in RECORDED if not case(p).startswith("session")], ids=case)
def test_a_recording_fails_with_its_kind_or_succeeds(path):
    failure = replay(path)["outcome"].get("failure")
    assert (failure or {}).get("kind") == FAILURES.get(case(path))


def test_every_golden_file_has_its_recording():
    assert {path.stem for path in GOLDEN.iterdir()} == {case(path) for path in RECORDED}

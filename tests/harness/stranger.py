"""A runtime of "another package" whose agent says whatever a script tells it to: for tests of foreign text.

A script is a JSON file in the root's `.stranger/`; the instruction `say NAME …` picks it. Not a real CLI's double:
it has no questions to answer and understands nothing. The server finds it through an entry point (`install`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from jupyter_cabinet.runtimes.model import AnswerFinished, AnyAgentEvent, Failure, Launch, Outcome, Request
from jupyter_cabinet.runtimes.port import About, Capabilities, Conversation, Exit, Located, Missing

NAME = "stranger"
WHISPERER = "whisperer"
FOLDER = ".stranger"
LOGGED_OUT = ".whisperer-logged-out"
END = b"<<the stranger has spoken>>"
# Writes the files and the bytes of its script, then waits to be closed where it has a terminal.
PROGRAM = """
import base64, json, pathlib, sys
script = json.loads(pathlib.Path(sys.argv[1]).read_text())
for path, text in script["files"].items():
    pathlib.Path(path).write_text(text)
sys.stdout.buffer.write(base64.b64decode(script["screen"]) + sys.argv[2].encode())
sys.stdout.flush()
if sys.stdin.isatty():
    for line in sys.stdin:
        pass
"""


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """What it does: bytes for the terminal, files, events, and how it ends."""

    screen: bytes = b""
    files: dict[str, str] = {}
    events: tuple[AnyAgentEvent, ...] = ()
    failure: str = ""
    stays: bool = False  # the answer does not end


class Stranger:
    """The adapter."""

    about = About(name=NAME, title="Stranger & Sons", install="nobody installs it")

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        return Located(path=sys.executable, version="1.0", login="yes")

    def capabilities(self, located: Located) -> Capabilities:
        return Capabilities(interactive=True, headless=True, finish_signal=True, permission_modes=("edit",))

    def launch(self, located: Located, request: Request) -> Launch:
        return Launch(argv=(located.path, "-I", "-c", PROGRAM, str(_place(request)), END.decode()))

    def conversation(self, request: Request) -> Conversation:
        return Talk(msgspec.json.decode(_place(request).read_bytes(), type=Script))

    def kept_environment(self) -> tuple[str, ...]:
        return ()

    def transcripts(self, home: Path) -> Path | None:
        return None


class Whisperer(Stranger):
    """One that cannot be in a terminal, and knows two models. Logged out where its home says so."""

    about = About(name=WHISPERER, title="Whisperer", install="whisper it", login="Whisper your name.")

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        is_out = (Path(environment["HOME"]) / LOGGED_OUT).exists()
        return Located(path=sys.executable, version="1.0", login="no" if is_out else "yes")

    def capabilities(self, located: Located) -> Capabilities:
        return Capabilities(headless=True, permission_modes=("ask", "edit"), models=("small", "large"))


class Talk:
    """Gives the script's events when its program has written everything."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._heard = b""
        self._told = False

    def start(self) -> bytes:
        return b""

    def feed(self, source: str, data: bytes) -> list[AnyAgentEvent]:
        self._heard = (self._heard + data)[-4 * len(END) :]
        if self._told or source not in ("stdout", "screen") or END not in self._heard:
            return []
        self._told = True
        end = () if self._script.stays else (AnswerFinished(),)
        return [*self._script.events, *end]

    def send(self, text: str) -> bytes:
        return text.encode()

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        return b""

    def finish(self, exit: Exit | None) -> Outcome:
        if self._script.failure:
            return Outcome(failure=Failure(kind="unknown", message=self._script.failure))
        return Outcome(text="It has spoken.")


def install(folder: Path) -> None:
    """Make the entry points known to every Python that has `folder` and `tests/` on its path."""
    about = folder / f"{NAME}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n")
    names = f"{NAME} = harness.stranger:Stranger\n{WHISPERER} = harness.stranger:Whisperer\n"
    (about / "entry_points.txt").write_text(f"[jupyter_cabinet.runtimes.v1]\n{names}")


def write(root: Path, name: str, *, events: Sequence[AnyAgentEvent] = (), **fields: Any) -> None:
    """Write a script."""
    (root / FOLDER).mkdir(exist_ok=True)
    script = Script(events=tuple(events), **fields)
    files = {str(root / path): text for path, text in script.files.items()}
    (root / FOLDER / f"{name}.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(script, files=files)))


def _place(request: Request) -> Path:
    found = re.search(r"^say ([\w-]+)", request.prompt, re.MULTILINE)
    assert found, json.dumps(request.prompt)
    return Path(request.cwd) / FOLDER / f"{found[1]}.json"

"""Carries out the demo agent's steps and reports them through a `Voice`. Standard library only.

It knows neither pipes nor terminals: `stream.py` and `screen.py` are the voices.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Protocol

from . import documents, heartbeat, next_prompts, plan_answers, reflection
from .instructions import LIST, InstructionStep, document, steps
from .session import Session

LONGEST_SLEEP_SECONDS = 3600
LOOK_SECONDS = 0.05
FLOOD_PIECE = ("The demo agent floods the output as requested. " * 21 + "\n") * 64  # about 64 KiB
QUESTIONS: list[dict[str, Any]] = [
    {
        "question": "Which format?",
        "header": "Format",
        "options": [{"label": "CSV"}, {"label": "Parquet", "description": "smaller, typed"}],
        "multiSelect": False,
    },
    {
        "question": "Which columns?",
        "header": "Columns",
        "options": [{"label": "date"}, {"label": "amount"}, {"label": "customer"}],
        "multiSelect": True,
    },
]
NOT_UNDERSTOOD = """\
I did not understand this instruction. I am the demo agent, a small program without a model, and I know only these:

"""


class Failed(Exception):
    """The instruction cannot be carried out; the message is for the person."""


class Denied(Failed):
    """A person, or the permission mode, has denied it."""


class Voice(Protocol):
    """Where the agent's output goes."""

    def text(self, text: str) -> None:
        """Say something."""

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """Announce a tool. Returns the call's id. Raises `Failed` if it is not allowed."""

    def result(self, call_id: str, text: str, is_error: bool = False) -> None:
        """Report the result of a call."""

    def ask(self, question: str) -> bool | None:
        """Return yes, no, or None if nobody can be asked."""

    def inquire(self, questions: list[dict[str, Any]]) -> dict[str, str] | None:
        """Ask several questions at once. Return the answer to each, or None if nobody can be asked."""


class Work:
    """One instruction in one folder."""

    def __init__(self, prompt: str, root: Path, session: Session, voice: Voice) -> None:
        self._prompt = prompt
        self._steps = steps(prompt)
        # an instruction typed into the open CLI continues with the document of the previous one
        self._path = document(prompt) or session.document
        session.document = self._path
        self._root = root
        self._session = session
        self._voice = voice

    def run(self) -> str:
        """Carry out the steps. Return the final message. Raises `Failed`."""
        if heartbeat.is_report_wanted(self._prompt):
            report = heartbeat.report(self._prompt, [self._do(step) for step in self._steps])
            is_idle_play = heartbeat.is_play(self._prompt) and report == heartbeat.NOTHING_TO_REPORT
            return self._say(NOT_UNDERSTOOD + LIST if is_idle_play else report)
        if reflection.is_reflection_wanted(self._prompt):
            return self._say(reflection.reflection(self._prompt))
        if (suggested := next_prompts.answer(self._prompt)) is not None:
            return self._say(suggested)
        if (answer := plan_answers.answer(self._prompt)) is not None:
            return self._say(answer)
        if plan_answers.is_step(self._prompt):
            said = [self._do(step) for step in self._steps]
            return self._say(plan_answers.with_report(self._prompt, "\n".join(said)))
        if not self._steps:
            return self._say(NOT_UNDERSTOOD + LIST)
        said = [self._do(step) for step in self._steps]
        return self._say("\n".join(said))

    def _say(self, text: str) -> str:
        self._voice.text(text)
        return text

    def _do(self, step: InstructionStep) -> str:
        if step.kind in ("append", "replace", "cell", "plan", "summary"):
            return self._edit(step)
        action = getattr(self, f"_{step.kind}")
        done: str = action(step)
        return done

    # --- the document ----------------------------------------------------------------------------

    def _edit(self, step: InstructionStep) -> str:
        if self._path is None:
            if step.kind == "plan":
                return documents.plan(None)
            raise Failed(
                "I do not know which document to edit. Ask me beside an open document, or write: You are editing PATH."
            )
        notebook = self._path.endswith(".ipynb")
        tool = "NotebookEdit" if notebook else "Edit"
        self._voice.text(f"I will edit {self._path}.")
        told = self._told(step, notebook)
        call_id = self._voice.call(tool, {"file_path": self._path, **told})
        try:
            if self._told(step, notebook) != told:
                raise documents.EditRefused(f"{self._path} was changed in the meantime.")
            done = self._change(step, documents.place(self._root, self._path), notebook)
        except (documents.EditRefused, OSError) as error:
            self._voice.result(call_id, str(error), is_error=True)
            raise Failed(str(error)) from None
        self._voice.result(call_id, done)
        return f"{done} I changed {self._path}."

    def _told(self, step: InstructionStep, notebook: bool) -> dict[str, str]:
        """Return what the step would change; empty if it cannot."""
        try:
            file = documents.place(self._root, self._path or "")
            return documents.rehearsed(file, lambda copy: self._change(step, copy, notebook))
        except (documents.EditRefused, OSError):
            return {"new_source": ""} if notebook else {"old_string": "", "new_string": ""}

    def _change(self, step: InstructionStep, file: Path, notebook: bool) -> str:
        match step.kind:
            case "replace":
                return documents.replace(file, step.what, step.how)
            case "plan":
                return documents.append(file, documents.plan(file))
            case "summary":
                return documents.append(file, documents.outline(file))
            case "cell" if notebook:
                return documents.append(file, *_cell(step))
            case "cell":
                raise documents.EditRefused(f"{file.name} is not a notebook, so it has no cells.")
        text = step.what or "A line added by the demo agent."
        return documents.append(file, f"## {text}" if step.how in ("heading", "section") else text)

    # --- the rest ----------------------------------------------------------------------------------

    def _ask(self, step: InstructionStep) -> str:
        answer = self._voice.ask("Should the demo agent continue?")
        if answer is None:
            return "I wanted to ask a question, but nobody can answer here."
        return "You said yes." if answer else "You said no."

    def _inquire(self, step: InstructionStep) -> str:
        answers = self._voice.inquire(QUESTIONS)
        if answers is None:
            return "I ask several questions at once only in a headless run that may ask."
        return "\n".join(f"{question} {answer}" for question, answer in answers.items())

    def _remember(self, step: InstructionStep) -> str:
        lost = " Until I end: the folder of my sessions cannot be written." if self._session.unwritten else ""
        return f"I have noted: {step.what}{lost}"

    def _recall(self, step: InstructionStep) -> str:
        told = self._session.told()
        return "You told me: " + "; ".join(told) if told else "You have told me nothing in this session."

    def _reply(self, step: InstructionStep) -> str:
        return step.what

    def _sleep(self, step: InstructionStep) -> str:
        time.sleep(min(float(step.what), LONGEST_SLEEP_SECONDS))
        return f"I slept {step.what} s."

    def _leave(self, step: InstructionStep) -> str:
        """Like an agent that starts a background command: it has its own session, and nobody waits for it."""
        nothing = subprocess.DEVNULL
        command = ["sleep", step.what]
        subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
        return f"I left {shlex.join(command)} at work."

    def _await(self, step: InstructionStep) -> str:
        try:
            file = documents.place(self._root, step.what)
        except documents.EditRefused as error:
            raise Failed(str(error)) from None
        end = time.monotonic() + LONGEST_SLEEP_SECONDS
        while not file.exists():
            if time.monotonic() > end:
                raise Failed(f"{step.what} did not come.")
            time.sleep(LOOK_SECONDS)
        return f"I waited for {step.what}."

    def _touch(self, step: InstructionStep) -> str:
        """The one command that it knows. It asks for permission like other agents."""
        command = f"touch {shlex.quote(step.what)}"
        call_id = self._voice.call("Bash", {"command": command})
        try:
            documents.place(self._root, step.what).touch()
        except (documents.EditRefused, OSError) as error:
            self._voice.result(call_id, str(error), is_error=True)
            raise Failed(str(error)) from None
        self._voice.result(call_id, "")
        return f"I ran {command}."

    def _flood(self, step: InstructionStep) -> str:
        for _ in range(int(step.what) * 16):
            self._voice.text(FLOOD_PIECE)
        return f"I wrote {step.what} MiB."

    def _fail(self, step: InstructionStep) -> str:
        raise Failed("I failed, as requested.")

    def _crash(self, step: InstructionStep) -> str:
        sys.stderr.write("The demo agent crashed, as requested.\n")
        sys.stderr.flush()
        os._exit(70)

    def _hang(self, step: InstructionStep) -> str:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()


def _cell(step: InstructionStep) -> tuple[str, str]:
    """Return text and kind of a new cell. Only what it should print or contain is understood."""
    verb, _, rest = step.what.partition(" ")
    quoted = rest.strip().strip("\"'“”`")
    if verb.lower() in ("says", "saying"):
        return quoted or "A cell added by the demo agent.", "markdown"
    if step.how.startswith("markdown"):
        return step.what or "A cell added by the demo agent.", "markdown"
    if verb.lower() in ("prints", "print"):
        return f"print({json.dumps(quoted, ensure_ascii=False)})", "code"
    if step.how.startswith("code") and step.what:
        return step.what, "code"
    return f"# The demo agent has no model. You asked for a cell that {step.what or 'does something'}.", "code"

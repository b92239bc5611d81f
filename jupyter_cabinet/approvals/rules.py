"""What people need to know before they allow something, and what is said of the answer. Pure.

The risks are read off the words of what an agent asks for: hints for a person, not a wall.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from datetime import datetime, timedelta
from typing import Annotated, Any

import msgspec

from ..core.durations import spelled
from ..runtimes.model import AnswerOption, PermissionAsked
from .model import Approval, AskedPart, AskingRun, Risk

LONGEST_NOTE = 4000  # characters
LONGEST_PART = 100_000  # characters
LONGEST_WHOLE = 400_000  # characters, of all parts
LONGEST_LINE = 500  # characters, of what stands on a button or in a title
LONGEST_QUOTED = 20_000  # characters of a command that are split as a shell would: that takes the square of its length
_LABELS = {
    "command": "Command",
    "cmd": "Command",
    "file_path": "File",
    "path": "File",
    "notebook_path": "File",
    "content": "Content",
    "old_string": "Old text",
    "new_string": "New text",
    "new_source": "New text",
    "diff": "Change",
    "url": "Address",
    "cwd": "In the folder",
}
_UNSHOWN = ("description", "justification")  # they are the reason given
_COMMANDS = ("command", "cmd")
_FILES = ("file_path", "path", "notebook_path")
_WRITING = re.compile(r"write|edit|patch|replace|create", re.IGNORECASE)
_FETCHING = re.compile(r"fetch|web|browser|http", re.IGNORECASE)
_DELETING = re.compile(
    r"\b(rm|rmdir|unlink|shred|truncate|mkfs\S*|dd)\s|\s-delete\b|\bgit\s+(clean|reset\s+--hard|push\s[^\n]{0,200}--force)"
    r"|\b(drop|truncate)\s+(table|database|schema)\b|\bdelete\s+from\b|\brmtree\b",
    re.IGNORECASE,
)
_REACHING_OUT = re.compile(
    r"\b(curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|ftp)\s|\bgit\s+(clone|push|pull|fetch)\b"
    r"|\b(pip|pip3|uv|npm|pnpm|yarn|cargo|gem|go|apt|apt-get|brew|conda|mamba)\s+(install|add|get|i|ci)\b|https?://",
    re.IGNORECASE,
)


def approval_of(
    run: AskingRun, asked: PermissionAsked, *, id: str, root: str, now: datetime, seconds: float
) -> Approval:
    """The question of a run, as people read it. `root` is absolute."""
    kind, tool = kind_of(asked), shortened(asked.tool, LONGEST_LINE)
    return Approval(
        id=id,
        run_id=run.id,
        question_id=asked.question_id,
        session_id=run.session_id,
        terminal_id=run.terminal_id,
        path=run.path,
        runtime_title=run.runtime_title,
        instruction=run.instruction,
        kind=kind,
        title=f"{run.runtime_title} {_ASKS[kind].format(tool=tool)}",
        question=shortened(asked.question, LONGEST_PART),
        tool=tool,
        parts=parts_of(asked.input),
        why=shortened(asked.why, LONGEST_PART),
        folder=run.folder,
        isolated=run.isolated,
        risks=risks_of(asked, isolated=run.isolated, root=root, folder=run.folder),
        options=tuple(_option(option) for option in asked.options),
        in_terminal=asked.in_terminal,
        owner=run.owner,
        owner_name=run.owner_name,
        visibility=run.visibility,
        asked_at=now,
        expires_at=now + timedelta(seconds=seconds),
    )


def _option(option: AnswerOption) -> AnswerOption:
    return msgspec.structs.replace(
        option,
        label=shortened(option.label, LONGEST_LINE),
        grants=shortened(option.grants, LONGEST_LINE),
        questions=tuple(
            msgspec.structs.replace(each, question=shortened(each.question, LONGEST_LINE)) for each in option.questions
        ),
    )


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


_ASKS = {
    "command": "asks to run a command",
    "edit": "asks to edit a file",
    "tool": "asks to use {tool}",
    "question": "asks a question",
}


def kind_of(asked: PermissionAsked) -> Any:
    if not any(option.kind.startswith("allow") for option in asked.options):
        return "question"
    if any(isinstance(asked.input.get(name), str | list) for name in _COMMANDS):
        return "command"
    writes = any(name in asked.input for name in ("content", "new_string", "diff")) or _WRITING.search(asked.tool)
    return "edit" if writes and any(name in asked.input for name in _FILES) else "tool"


def parts_of(arguments: dict[str, Any]) -> tuple[AskedPart, ...]:
    """Every argument, whole: nothing that decides may be hidden. What no screen can hold is cut, and says so."""
    shown = {name: value for name, value in arguments.items() if name not in _UNSHOWN or not isinstance(value, str)}
    parts, room = [], LONGEST_WHOLE
    for label, text in (each for name, value in shown.items() for each in _spelled(name, value)):
        parts.append(_part(shortened(label, LONGEST_LINE), text, min(room, LONGEST_PART)))
        room -= len(parts[-1].text)
    return tuple(parts)


def _spelled(name: str, value: Any) -> list[tuple[str, str]]:
    """Label and text of an argument; questions to a person as people read them, one by one."""
    try:
        return [question.spelled() for question in msgspec.convert({name: value}, _Questions).questions]
    except msgspec.ValidationError:
        return [(_LABELS.get(name, name), _text(value))]


class _Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    label: str
    description: str = ""


class _Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """As Claude Code asks it (2.1.329). One with anything more is shown as it is: nothing may be hidden."""

    question: str
    options: list[_Choice]
    header: str = ""
    multiSelect: bool = False  # noqa: N815  # its name on the wire

    def spelled(self) -> tuple[str, str]:
        choices = [f"- {each.label}: {each.description}".removesuffix(": ") for each in self.options]
        several = ["(several answers are possible)"] if self.multiSelect else []
        return self.header or "Question", "\n".join([self.question, *choices, *several])


class _Questions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    questions: Annotated[list[_Question], msgspec.Meta(min_length=1)]


def _part(label: str, text: str, room: int) -> AskedPart:
    if len(text) <= room:
        return AskedPart(label=label, text=text)
    return AskedPart(label=f"{label} (the first {room} of {len(text)} characters)", text=text[:room])


def _is_cut(arguments: dict[str, Any]) -> bool:
    sizes = [len(_text(value)) for value in arguments.values()]
    return max(sizes, default=0) > LONGEST_PART or sum(sizes) > LONGEST_WHOLE


def risks_of(asked: PermissionAsked, *, isolated: bool, root: str, folder: str) -> tuple[Risk, ...]:
    if kind_of(asked) == "question":
        return ()
    command = " ".join(_text(asked.input[name]) for name in _COMMANDS if name in asked.input)[:LONGEST_PART]
    files = [str(asked.input[name]) for name in _FILES if name in asked.input]
    outside = any(_leads_out(word, root, folder) for word in (*files, *_words(command)))
    found: dict[Risk, bool] = {
        "deletes": bool(_DELETING.search(f"{command} ")),
        "outside": outside,
        "network": bool(_REACHING_OUT.search(f"{command} ") or _FETCHING.search(asked.tool)),
        "cut": _is_cut(asked.input),
        "no_sandbox": not isolated,
    }
    return tuple(risk for risk, is_one in found.items() if is_one)


def option_of(approval: Approval, option_id: str) -> AnswerOption | None:
    return next((option for option in approval.options if option.id == option_id), None)


def needs_words(option: AnswerOption) -> bool:
    """A choice that is nothing without what the person says with it."""
    return option.kind == "choice" and option.takes_note


def refusal(asked: Approval | PermissionAsked) -> AnswerOption | None:
    """What a question is answered with when nobody answers it."""
    return next((option for option in asked.options if option.kind == "deny"), None)


def unanswered(asked: Approval | PermissionAsked) -> str:
    """The answer that nobody gives: no, or none where the terminal asks it too."""
    denial = None if asked.in_terminal else refusal(asked)
    return denial.id if denial else ""


def outcome_of(option: AnswerOption, note: str) -> str:
    """Without who: that stands beside it."""
    said = f": {note.replace(chr(10), '; ')}" if note else ""
    match option.kind:
        case "allow_once":
            return "Allowed once"
        case "allow_session":
            return "Allowed for this session"
        case "deny":
            return f"Denied{said}"
        case "terminal":
            return "Left to the terminal"
    return f"Answered{said}" if needs_words(option) else f"Answered {option.label}{said}"


def expired(approval: Approval, seconds: float) -> str:
    if approval.in_terminal or refusal(approval) is None:
        return f"Nobody answered in {spelled(seconds)}, it is left to the terminal"
    return f"Denied, nobody answered in {spelled(seconds)}"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return shlex.join(value)
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode()  # json.dumps has a limit of depth


def _words(command: str) -> list[str]:
    if len(command) > LONGEST_QUOTED:
        return command.split()
    try:
        return shlex.split(command)
    except ValueError:  # an open quote: a person sees the command itself
        return command.split()


def _leads_out(word: str, root: str, folder: str) -> bool:
    """Whether a word of a command names a place outside the workspace. `/` inside an address or an option does not."""
    path = word.rpartition("=")[2].lstrip("<>")
    if path.startswith("~"):
        return True
    if "://" in path or not (path.startswith("/") or ".." in path.split("/")):
        return False
    place = posixpath.normpath(posixpath.join(folder, path))
    return not (place == root or place.startswith(root.rstrip("/") + "/")) and place != "/dev/null"

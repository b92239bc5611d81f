"""What people need to know before they allow something, and what is said of the answer. Pure.

It works on the values that adapters make (`runtimes/asked.py`) and knows no CLI. The risks are read off the words of
what an agent asks for: hints for a person, not a wall.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from ..core.durations import spelled
from ..runtimes.asked import (
    AnyAsked,
    Argument,
    Change,
    Choice,
    ChoiceQuestion,
    Command,
    Edit,
    Fetch,
    ToolUse,
)
from ..runtimes.model import AnswerOption, QuestionAsked
from .model import Approval, AskedPart, AskingRun, Risk

LONGEST_NOTE = 4000  # characters
LONGEST_PART = 100_000  # characters
LONGEST_WHOLE = 400_000  # characters, of all parts
LONGEST_LINE = 500  # characters, of what stands on a button or in a title
LONGEST_QUOTED = 20_000  # characters of a command that are split as a shell would: that takes the square of its length
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
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


def approval_of(run: AskingRun, asked: QuestionAsked, *, id: str, root: str, now: datetime, seconds: float) -> Approval:
    """The question of a run, as people read it. `root` is absolute."""
    kind, tool = kind_of(asked.asks), shortened(asked.tool, LONGEST_LINE)
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
        parts=parts_of(asked.asks),
        why=shortened(asked.why, LONGEST_PART),
        folder=run.folder,
        isolated=run.isolated,
        risks=risks_of(asked.asks, isolated=run.isolated, root=root, folder=run.folder),
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
    """`text` with at most `limit` characters; an ellipsis stands for what was cut off."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


Kind = Literal["command", "edit", "tool", "question"]
_ASKS: dict[Kind, str] = {
    "command": "asks to run a command",
    "edit": "asks to edit a file",
    "tool": "asks to use {tool}",
    "question": "asks a question",
}


def kind_of(asks: AnyAsked) -> Kind:
    """The sort of card that a person sees."""
    match asks:
        case Command():
            return "command"
        case Edit():
            return "edit"
        case Choice():
            return "question"
    return "tool"


def parts_of(asks: AnyAsked) -> tuple[AskedPart, ...]:
    """All of it, whole: nothing that decides may be hidden. What no screen can hold is cut, and says so."""
    parts, room = [], LONGEST_WHOLE
    for label, text in _spelled(asks):
        parts.append(_part(shortened(label, LONGEST_LINE), text, min(room, LONGEST_PART)))
        room -= len(parts[-1].text)
    return tuple(parts)


def _spelled(asks: AnyAsked) -> list[tuple[str, str]]:
    """Label and text of each part."""
    match asks:
        case Command(cwd=cwd):
            place = [("In the folder", cwd)] if cwd else []
            return [("Command", _command(asks)), *place, *_arguments(asks.more)]
        case Edit(paths=paths, changes=changes):
            told = [("File", path) for path in paths]
            return [*told, *(part for change in changes for part in _change(change)), *_arguments(asks.more)]
        case Fetch(url=url, query=query):
            told = [(label, text) for label, text in (("Address", url), ("Search for", query)) if text]
            return [*told, *_arguments(asks.more)]
        case ToolUse(server=server, paths=paths):
            place = [("Tool server", server)] if server else []
            return [*place, *(("File", path) for path in paths), *_arguments(asks.arguments)]
        case Choice(questions=questions):
            return [*map(_question, questions), *_arguments(asks.more)]


def _command(asks: Command) -> str:
    return asks.text or shlex.join(asks.argv)


def _change(change: Change) -> list[tuple[str, str]]:
    if change.diff:
        return [("Change", change.diff)]
    return [("Content", change.new)] if change.old is None else [("Old text", change.old), ("New text", change.new)]


def _arguments(arguments: tuple[Argument, ...]) -> list[tuple[str, str]]:
    return [(each.name, _text(each)) for each in arguments]


def _question(asked: ChoiceQuestion) -> tuple[str, str]:
    choices = [f"- {each.label}: {each.description}".removesuffix(": ") for each in asked.answers]
    several = ["(several answers are possible)"] if asked.several else []
    return asked.header or "Question", "\n".join([asked.question, *choices, *several])


def _part(label: str, text: str, room: int) -> AskedPart:
    if len(text) <= room:
        return AskedPart(label=label, text=text)
    return AskedPart(label=f"{label} (the first {room} of {len(text)} characters)", text=text[:room])


def _is_cut(asks: AnyAsked) -> bool:
    sizes = [len(text) for _, text in _spelled(asks)]
    return max(sizes, default=0) > LONGEST_PART or sum(sizes) > LONGEST_WHOLE


def risks_of(asks: AnyAsked, *, isolated: bool, root: str, folder: str) -> tuple[Risk, ...]:
    """What a person should look at twice. `isolated`: the run is in a sandbox; `root` and `folder` are absolute."""
    if isinstance(asks, Choice):
        return ()
    command = _command(asks)[:LONGEST_PART] if isinstance(asks, Command) else ""
    found: dict[Risk, bool] = {
        "deletes": bool(_DELETING.search(f"{command} ")),
        "outside": any(_leads_out(word, root, folder) for word in (*_files(asks), *_words(command))),
        "network": bool(_REACHING_OUT.search(f"{command} ")) or _goes_out(asks),
        "cut": _is_cut(asks),
        "no_sandbox": not isolated,
    }
    return tuple(risk for risk, is_one in found.items() if is_one)


def _files(asks: AnyAsked) -> tuple[str, ...]:
    match asks:
        case Edit(paths=paths) | ToolUse(paths=paths):
            return paths
        case Command(cwd=cwd):
            return (cwd,) if cwd else ()
    return ()


def _goes_out(asks: AnyAsked) -> bool:
    """An address in a value, under whatever name, is one that somebody may be asked at."""
    if isinstance(asks, ToolUse):
        return any(_ADDRESS.search(each.value) for each in asks.arguments)
    return isinstance(asks, Fetch)


def option_of(approval: Approval, option_id: str) -> AnswerOption | None:
    """The option with this id; None where the question never offered it."""
    return next((option for option in approval.options if option.id == option_id), None)


def needs_words(option: AnswerOption) -> bool:
    """A choice that is nothing without what the person says with it."""
    return option.kind == "choice" and option.takes_note


def refusal(asked: Approval | QuestionAsked) -> AnswerOption | None:
    """What a question is answered with when nobody answers it."""
    return next((option for option in asked.options if option.kind == "deny"), None)


def unanswered(asked: Approval | QuestionAsked) -> str:
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
    """What is told of a question that nobody answered in `seconds`: where it was left, or that it was denied."""
    if approval.in_terminal or refusal(approval) is None:
        return f"Nobody answered in {spelled(seconds)}, it is left to the terminal"
    return f"Denied, nobody answered in {spelled(seconds)}"


def _text(argument: Argument) -> str:
    """An argument as people read it."""
    if not argument.is_json:
        return argument.value
    try:
        found = msgspec.json.decode(argument.value)
        if isinstance(found, list) and all(isinstance(word, str) for word in found):
            return shlex.join(found)
        return msgspec.json.format(argument.value, indent=1)  # json.dumps has a limit of depth
    except msgspec.DecodeError:  # a secret was taken out in the middle of it
        return argument.value


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

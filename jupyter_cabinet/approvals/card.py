"""The card of an approval: title, every part of the action, its risks, its options. Pure.

It works on the values that adapters make (`runtimes/requested_actions.py`) and knows no CLI.
"""

from __future__ import annotations

import shlex
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from ..runtimes.model import AnswerOption, QuestionAsked
from ..runtimes.requested_actions import (
    AnyAction,
    Argument,
    Change,
    Choice,
    ChoiceQuestion,
    Command,
    Edit,
    Fetch,
    ToolUse,
)
from . import shell
from .model import Approval, AskedPart, AskingRun, ProposedEdit, Shown, ShownCommand
from .risks import risks_of

LONGEST_PART = 100_000  # characters
LONGEST_WHOLE = 400_000  # characters, of all parts
MOST_SHOWN = 40  # commands of a line
LONGEST_LINE = 500  # characters, of a button's text or a title


def approval_of(
    run: AskingRun,
    asked: QuestionAsked,
    *,
    id: str,
    root: str,
    now: datetime,
    seconds: float,
    edits: tuple[ProposedEdit, ...] = (),
) -> Approval:
    """Return the question of a run, as people read it. Stores nothing. Secrets in `asked` are not removed here.

    `root` is absolute. `now`: when it was asked. `seconds`: how long it waits for an answer. `edits`: see `edits.py`.
    """
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
        title=f"{run.runtime_title} {_OWN_TOOLS.get(asked.tool) or _ASKS[kind].format(tool=tool)}",
        question=shortened(asked.question, LONGEST_PART),
        tool=tool,
        parts=parts_of(asked.asks),
        runs=runs_of(asked.asks),
        edits=edits,
        why=shortened(asked.why, LONGEST_PART),
        folder=run.folder,
        isolated=run.isolated,
        risks=risks_of(asked.asks, isolated=run.isolated, root=root, folder=run.folder, cut=is_cut(asked.asks)),
        options=tuple(_option(option) for option in asked.options),
        in_terminal=asked.in_terminal,
        owner=run.owner,
        owner_name=run.owner_name,
        visibility=run.visibility,
        asked_at=now,
        expires_at=now + timedelta(seconds=seconds),
    )


def shown_of(approval: Approval) -> Shown:
    """Return the fields of a question that a person sees and that an answer refers to."""
    return Shown(**{name: getattr(approval, name) for name in Shown.__struct_fields__})


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
    """Return the text with at most `limit` characters; an ellipsis replaces the rest."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


Kind = Literal["command", "edit", "tool", "question"]
_ASKS: dict[Kind, str] = {
    "command": "asks to run a command",
    "edit": "asks to edit a file",
    "tool": "asks to use {tool}",
    "question": "asks a question",
}
_OWN_TOOLS = {"cell_run": "asks to run a cell"}  # tools of Cabinet that a person is asked about


def kind_of(asks: AnyAction) -> Kind:
    """Return the kind of card for an action; "tool" for an action of no other kind, also for a web page."""
    match asks:
        case Command():
            return "command"
        case Edit():
            return "edit"
        case Choice():
            return "question"
    return "tool"


def parts_of(asks: AnyAction) -> tuple[AskedPart, ...]:
    """Return all of it: nothing that matters for the decision may be hidden.

    A part too long for any screen is cut and marked.
    """
    parts, room = [], LONGEST_WHOLE
    for label, text in _spelled(asks):
        part = _part(shortened(label, LONGEST_LINE), text, min(room, LONGEST_PART))
        parts.append(msgspec.structs.replace(part, changes=isinstance(asks, Edit) and label in _CHANGES))
        room -= len(parts[-1].text)
    return tuple(parts)


def _spelled(asks: AnyAction) -> list[tuple[str, str]]:
    """Return label and text of each part."""
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
    return [*map(_question, asks.questions), *_arguments(asks.more)]


def _command(asks: Command) -> str:
    return asks.text or shlex.join(asks.argv)


def runs_of(asks: AnyAction) -> tuple[ShownCommand, ...]:
    """Return the commands of a line for a shell, in their order, if it has 2 to `MOST_SHOWN`; otherwise none.

    Whether they can be read with certainty is not checked.
    """
    if not isinstance(asks, Command) or asks.is_title or not asks.text:
        return ()
    found = shell.read(asks.text).sources
    if not 1 < len(found) <= MOST_SHOWN:
        return ()
    return tuple(ShownCommand(text=shortened(text, LONGEST_PART), how=how) for text, how in found)


_CHANGES = ("Change", "Content", "Source", "Old text", "New text")
_CELL_TYPES = {"code": "Code", "markdown": "Markdown", "raw": "Raw"}


def _change(change: Change) -> list[tuple[str, str]]:
    cell_type = _CELL_TYPES.get(change.cell_type, change.cell_type)
    if change.cell_mode == "insert":
        after = [("After the cell", change.cell)] if change.cell else []
        return [("New cell", cell_type or "No cell type given"), *after, ("Source", change.new)]
    if change.cell_mode == "delete":
        return [("Delete the cell", change.cell), *([("Source", change.new)] if change.new else [])]
    cell = [("Cell", change.cell)] if change.cell else []
    cell += [("Cell type", cell_type)] if cell_type else []
    if change.diff:
        return [*cell, ("Change", change.diff)]
    if change.old is None:
        return [*cell, ("Content", change.new)]
    return [*cell, ("Old text", change.old), ("New text", change.new)]


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


def is_cut(asks: AnyAction) -> bool:
    """Return whether a part of it, or all of it together, is too long for any screen, so that `parts_of` cuts it."""
    sizes = [len(text) for _, text in _spelled(asks)]
    return max(sizes, default=0) > LONGEST_PART or sum(sizes) > LONGEST_WHOLE


def _text(argument: Argument) -> str:
    """Return an argument as people read it."""
    if not argument.is_json:
        return argument.value
    try:
        found = msgspec.json.decode(argument.value)
        if isinstance(found, list) and all(isinstance(word, str) for word in found):
            return shlex.join(found)
        return msgspec.json.format(argument.value, indent=1)  # json.dumps has a limit of depth
    except msgspec.DecodeError:  # a secret was removed from the middle of it
        return argument.value

"""What an ACP agent asks for, and how each permission mode handles its question. Pure.

Called by `client.py`. The protocol gives the kind of tool, changes of files, and paths; the rest is the agent's own.
"""

from __future__ import annotations

from typing import Any

from ..model import AnswerOption, OptionKind, QuestionAsked, ToolCall
from ..requested_actions import AnyAction, Argument, Change, Command, Edit, Fetch, ToolUse
from ..shared.messages.content_blocks import blocks
from ..shared.messages.json_values import inner, string
from ..shared.tool_table import CommandTool, FetchTool, ToolTable, asked_for, every, reason, rest, tool_use
from .notices import tool_server_of
from .raw_arguments import edit_of, path_name

Options = list[tuple[str, str, str]]  # id, label, the protocol's kind
_KINDS: dict[str, OptionKind] = {
    "allow_once": "allow_once",
    "allow_always": "allow_session",
    "reject_once": "deny",
    "reject_always": "deny",
}

_FILE_KINDS = ("read", "delete", "move", "edit")  # about a file, which an argument may name
_BY_KIND: ToolTable = {"execute": CommandTool(cwd="cwd"), "fetch": FetchTool(url="url", query="query")}


def asked_of(known: dict[str, Any], servers: tuple[str, ...] = ()) -> AnyAction:
    """Return the action that a tool call would carry out; a plain `ToolUse` if its kind is not known.

    `known`: everything the agent has said about the call. `servers`: the tool servers of the run.
    """
    kind, given = string(known, "kind"), inner(known, "rawInput")
    if tool_server_of(known, servers) is None:
        if kind == "edit" and (edit := _edit(known, given)):
            return edit
        made = asked_for(_BY_KIND, kind, given)
        if isinstance(made, Command | Fetch):
            return made
        if kind == "execute" and string(known, "title"):
            return Command(text=string(known, "title"), more=rest(given), is_title=True)
    return _tool(known, given, tool_server_of(known, servers) or "")


def _edit(known: dict[str, Any], given: dict[str, Any]) -> Edit | None:
    told = [block for block in blocks(known.get("content")) if block.get("type") == "diff"]
    if not told:
        return edit_of(given, _places(known))
    changes = tuple(
        Change(new=string(each, "newText"), old=string(each, "oldText") if each.get("oldText") else None)
        for each in told
    )
    paths = tuple(dict.fromkeys(path for path in (*(string(each, "path") for each in told), *_places(known)) if path))
    said = {
        *(paths if len(paths) == 1 else ()),
        *(change.new for change in changes),
        *(change.old for change in changes),
    }
    return Edit(paths=paths, changes=changes, more=_beyond(said, given)) if paths else None


def _tool(known: dict[str, Any], given: dict[str, Any], server: str) -> ToolUse:
    name = string(known, "name") or string(known, "kind") or "a tool"
    places = _places(known)
    if not server and not places and string(known, "kind") in _FILE_KINDS and (path := path_name(given)):
        given, places = {name: value for name, value in given.items() if name != path}, (given[path],)
    found = tool_use(name, given, server=server)
    title = string(known, "title") if not given else ""  # nothing else is known then
    told = every({"title": title}) if title else ()
    return ToolUse(tool=found.tool, server=found.server, paths=places, arguments=(*found.arguments, *told))


def _beyond(said: set[str | None], given: dict[str, Any]) -> tuple[Argument, ...]:
    """Return the arguments that add information."""
    return rest({name: value for name, value in given.items() if not (isinstance(value, str) and value in said)})


def _places(known: dict[str, Any]) -> tuple[str, ...]:
    return tuple(path for place in blocks(known.get("locations")) if (path := string(place, "path")))


def chosen(options: Options, *, granted: bool) -> str | None:
    """Return the id of the option that allows (`granted`) or rejects the call; None if there is none.

    An option for this call only is preferred to one for all later calls.
    """
    kinds = ("allow_once", "allow_always") if granted else ("reject_once", "reject_always")
    return next((option for kind in kinds for option, _, of_kind in options if of_kind == kind), None)


def is_refusal(option: str, options: Options) -> bool:
    """Return whether this answer denies the request. No answer, or an unknown one, denies it too."""
    return next((kind for known, _, kind in options if known == option), "reject_once").startswith("reject")


def question(question_id: str, title: str, call: ToolCall, asks: AnyAction, options: Options) -> QuestionAsked:
    """Return the question with the agent's own answers. `title` is the name of the agent."""
    return QuestionAsked(
        question_id=question_id,
        question=f"{title} asks to use {described(call)}",
        tool=call.tool,
        input=call.input,
        asks=asks,
        why=reason(call.input),
        options=tuple(
            AnswerOption(
                id=option,
                label=label,
                kind=_KINDS[kind],
                grants=f"In the words of {title}: {label}" if kind == "allow_always" else "",
            )
            for option, label, kind in options
        ),
    )


def described(call: ToolCall) -> str:
    """Return the call in a few words: the tool and its main argument."""
    return f"{call.tool}: {call.summary}" if call.summary else f"{call.tool}."

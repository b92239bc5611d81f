"""Builds requests, and checks them before anything is sent. Pure. Called by `cabinet.py` and its objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

import msgspec

from ...agents.model import NewMessageRun
from ...core.slugs import is_slug
from ...editor.model import Attachment, NewCellRun
from ...runners.port import RunnerName
from ...runs.model import NewManualRun
from ...runtimes.model import PermissionMode, RunMode

Context = Iterable[Attachment | Mapping[str, str]]
NewRunBody = NewCellRun | NewMessageRun | NewManualRun

_ID = re.compile(r"[0-9A-Za-z-]{1,64}")


def run_body(
    instruction: str,
    *,
    agent: str | None,
    notebook: str | None,
    new_session: bool,
    context: Context,
    source: str,
    **choices: Any,
) -> NewRunBody:
    """Return the body of `POST runs`.

    `choices`: those of every kind of run, `session_id`, `runtime`, `model`, `permission_mode`, `mode`, `isolate`,
    `runner`. Raises `ValueError` or `TypeError`.
    """
    _check_choices(choices)
    if not _text("instruction", instruction).strip():
        raise ValueError("The instruction is empty. Say what to do.")
    if agent is not None and not is_slug(_text("agent", agent)):
        raise ValueError(
            f"{agent!r} is not a valid name of an agent. Names consist of lowercase letters, digits and hyphens."
        )
    attachments = tuple(_attachment(each) for each in context)
    if notebook is None:
        _check_without_notebook(new_session=new_session, attachments=attachments, source=source)
        return _plain_body(instruction, agent, choices)
    if new_session and choices["session_id"] is not None:
        raise ValueError("Give either session or new_session, not both.")
    return NewCellRun(
        instruction=instruction,
        notebook=_text("notebook", notebook),
        agent=agent,
        new_session=new_session,
        source=_text("source", source),
        attachments=attachments,
        **choices,
    )


def checked_id(value: str, what: str = "a run") -> str:
    """Return the id, as a part of an address. Raises `ValueError` if it is not 1 to 64 letters, digits and hyphens."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise ValueError(f"{value!r} is not a valid id of {what}.")
    return value


def play_inputs(inputs: Mapping[str, Any]) -> dict[str, str]:
    """Return a play's inputs; numbers and truth values are written as in Python. Raises `TypeError`."""
    for name, value in inputs.items():
        if not isinstance(value, str | int | float):
            raise TypeError(f"The input {name} must be a text or a number, not {type(value).__name__}.")
    return {name: str(value) for name, value in inputs.items()}


def _plain_body(instruction: str, agent: str | None, choices: Mapping[str, Any]) -> NewRunBody:
    if agent is None:
        return NewManualRun(instruction=instruction, **choices)
    return NewMessageRun(instruction=instruction, agent=agent, **choices)


def _check_choices(choices: Mapping[str, Any]) -> None:
    for name, value in choices.items():
        if value is not None and name != "isolate":
            _text(name, value)
    if choices["isolate"] not in (None, True, False):
        raise TypeError("isolate must be True, False or None.")
    allowed = {"permission_mode": PermissionMode, "mode": RunMode, "runner": RunnerName}
    for name, known in ((name, get_args(kind)) for name, kind in allowed.items()):
        if choices[name] is not None and choices[name] not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}.")


def _check_without_notebook(*, new_session: bool, attachments: tuple[Attachment, ...], source: str) -> None:
    given = {"new_session": new_session, "context": attachments, "source": source}
    for name, value in given.items():
        if value:
            raise ValueError(f"{name} only works for cells of a notebook. Give notebook= too, the path of one.")


def _attachment(value: Attachment | Mapping[str, str]) -> Attachment:
    try:
        return value if isinstance(value, Attachment) else msgspec.convert(value, Attachment)
    except msgspec.ValidationError as error:
        raise ValueError(f"A part of the context is not valid: {error}.") from None


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {type(value).__name__}.")
    return value

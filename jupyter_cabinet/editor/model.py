"""The values of the room, also the wire format."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..runs.model import NewRun, Run
from ..sessions.model import Session


class Attachment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of the open document, or of what a notebook's kernel holds, that goes into the prompt."""

    kind: Literal["cell", "selection", "error", "variable"]
    title: str  # "Cell [3]", "Selection, 2 lines", "Last error: KeyError", "df, 7,990 × 4"
    text: str


class NewEditorRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="editor"):
    """An instruction about one document. It needs `session_id` or `path`, and works in a terminal where `mode` is not
    given."""

    path: str | None = None  # the document, relative to the server's root
    attachments: tuple[Attachment, ...] = ()


class NewCellRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="cell"):
    """An instruction from a cell of a notebook. It continues the session that the notebook has with this agent, or,
    without one, with the session that the sidebar has for the notebook; it works in that session's open CLI, else
    headless."""

    notebook: str  # relative to the server's root
    agent: str | None = None  # a slug; with `session_id` it must be that session's
    new_session: bool = False
    source: str = ""  # which cell, as people see it: "[5]"
    attachments: tuple[Attachment, ...] = ()


class OpenSession(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST editor/sessions`: find the document's session, or with `new` begin another."""

    path: str
    new: bool = False
    runtime: str | None = None


class SessionDetail(msgspec.Struct, frozen=True, kw_only=True):
    """A session with its runs, oldest first."""

    session: Session
    runs: tuple[Run, ...]


class SessionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A session as a line of the history. `runs` counts its instructions."""

    session: Session
    last_run: Run | None
    runs: int


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """Something that can be mentioned with `@`."""

    kind: Literal["file"]
    path: str
    title: str
    size: int  # bytes
    note: str  # why its content will not be in the prompt; empty otherwise


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A document after a run. `content`: text, or a notebook as its JSON; `None` where `note` says why."""

    path: str
    size: int | None = None  # bytes
    format: Literal["text", "json"] | None = None
    content: str | dict[str, Any] | None = None
    note: str = ""


class EditedRun(Run, frozen=True, kw_only=True):
    """The reply of `POST runs`: the run, and of an editor run that was waited for until its end the document."""

    document: Document | None = None


class HistoryLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A line of `.agents/.history/editor-sessions.jsonl`, in the shape that existing installations have."""

    id: str
    page_path: str
    instruction: str
    timestamp: str
    duration: float  # seconds
    status: Literal["completed", "failed"]
    summary: str  # at most 500 characters
    output: str

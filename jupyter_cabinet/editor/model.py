"""The data types of editor runs, sessions and mentions. Also the wire format."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..runs.model import NewRun, Run
from ..sessions.model import Session


class Attachment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the open document, or a variable of a notebook's kernel, that is attached to the prompt."""

    kind: Literal["cell", "selection", "error", "variable"]
    title: str  # "Cell [3]", "Selection, 2 lines", "Last error: KeyError", "df, 7,990 × 4"
    text: str


class NewEditorRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="editor"):
    """A request for a run about one document. It needs `session_id` or `path`. By default, it works in a terminal."""

    path: str | None = None  # the document, relative to the server's root
    attachments: tuple[Attachment, ...] = ()


class NewCellRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="cell"):
    """A request from a cell of a notebook. It continues the notebook's session with this agent.

    Without an agent, it continues the session that the sidebar has for the notebook. It works in that session's open
    CLI; if none is open, it works headless.
    """

    notebook: str  # relative to the server's root
    agent: str | None = None  # slug; with `session_id`, it must be the agent of that session
    new_session: bool = False
    source: str = ""  # label of the cell: "[5]"
    attachments: tuple[Attachment, ...] = ()


class OpenSession(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST editor/sessions`: find the document's session, or, with `new`, start another one."""

    path: str
    new: bool = False
    runtime: str | None = None


class SessionDetail(msgspec.Struct, frozen=True, kw_only=True):
    """A session with its runs, oldest first."""

    session: Session
    runs: tuple[Run, ...]


class SessionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A session in the list of the history. `runs`: the number of its runs."""

    session: Session
    last_run: Run | None
    runs: int


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """A file that can be mentioned with `@`."""

    kind: Literal["file"]
    path: str
    title: str
    size: int  # bytes
    note: str  # why its content will not be in the prompt; empty otherwise


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A document after a run. `content`: text, or the JSON of a notebook; None if `note` says why it is missing."""

    path: str
    size: int | None = None  # bytes
    format: Literal["text", "json"] | None = None
    content: str | dict[str, Any] | None = None
    note: str = ""


class EditedRun(Run, frozen=True, kw_only=True):
    """The reply of `POST runs`: the run and, for an editor run that has ended, its document."""

    document: Document | None = None


class HistoryLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A line of `.agents/.history/editor-sessions.jsonl`, in the format of existing installations."""

    id: str
    page_path: str
    instruction: str
    timestamp: str
    duration: float  # seconds
    status: Literal["completed", "failed"]
    summary: str  # at most 500 characters
    output: str

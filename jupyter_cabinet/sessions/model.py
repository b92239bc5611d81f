"""The values of the room, also the wire format."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..core.events import Event
from ..core.people import Visibility
from ..runtimes.model import Usage


class DocumentSubject(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="document"):
    """A document that is edited. `path` is relative to the server's root."""

    path: str


class NotebookSubject(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="notebook"):
    """A notebook whose cells ask a named agent. `path` is relative to the server's root."""

    path: str
    agent: str


class AgentSubject(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="agent"):
    """An agent's own work."""

    slug: str


class ChannelSubject(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="channel"):
    """A thread of a chat channel."""

    id: str


Subject = DocumentSubject | NotebookSubject | AgentSubject | ChannelSubject


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation of a runtime, continued over many runs."""

    id: str  # a UUID: also chosen for the CLI, if it accepts one
    subject: Subject | None = None  # its subject
    told_path: str | None = None  # the document's path that the agent received last
    title: str  # the first instruction; empty before
    runtime: str
    native_id: str | None = None  # the CLI's own id, once known
    continues: str | None = None  # the id of another person's session, or of one about a subject, that it continues
    native_cost_usd: float | None = None  # the CLI's sum for the whole session so far, if it reports one
    native_usage: Usage | None = None  # the same for tokens
    owner: str
    visibility: Visibility
    terminal_id: str | None = None  # set while the CLI is open
    created_at: datetime
    updated_at: datetime

    @property
    def path(self) -> str | None:
        """The document or notebook that it is about, relative to the server's root; None if it is about none."""
        return self.subject.path if isinstance(self.subject, DocumentSubject | NotebookSubject) else None

    @property
    def agent(self) -> str | None:
        """The named agent with which a person works on a notebook; None in all other cases, also for an agent's own
        work.
        """
        return self.subject.agent if isinstance(self.subject, NotebookSubject) else None


class SessionFilter(msgspec.Struct, frozen=True, kw_only=True):
    """The filters of a list of sessions."""

    path: str | None = None
    named: str | None = None  # text in the path, or else one of `ids`
    ids: tuple[str, ...] = ()
    limit: int = 50


class SessionClosed(Event, frozen=True, kw_only=True, tag="session_closed"):
    """The session's CLI is no longer open. A further instruction resumes it."""

    resource = "cabinet-runs"

    session_id: str
    reason: str

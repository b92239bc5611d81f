"""The values of the room, also the wire format. A *session* here is one conversation as a CLI keeps it on disk."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from ..core.events import Event
from ..runs.model import NewRun
from ..runtimes.model import PermissionMode, RunMode, Usage
from ..runtimes.requested_actions import AnyAction
from ..runtimes.session_entries import EntryKind

Grade = Literal["A", "B", "C", "D", "F"]
Pressure = Literal["none", "moderate", "high", "critical"]
FindingKind = Literal[
    "output_token_limit",
    "context_exhausted",
    "error",
    "context_pressure",
    "loop",
    "repeated_failures",
    "stall",
    "no_progress",
    "waste",
    "retries",
]


def session_key(runtime: str, native_id: str, source: str = "") -> str:
    """Return the id of a session in the API. Pass its file as `source` only if another one has the same native id."""
    return hashlib.sha256("\0".join((runtime, native_id, source)).encode(errors="replace")).hexdigest()[:32]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One reason of a judgement. `entries`: ids of the entries that show it, at most ten."""

    kind: FindingKind
    message: str  # a sentence for a person
    points: int  # how much it lowers the grade: see `health.WEIGHTS`
    entries: tuple[str, ...] = ()


class SessionHealth(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement of a session, from its entries alone."""

    version: int
    grade: Grade
    pressure: Pressure
    compactions: int
    peak_tokens: int  # largest context of one answer: input, cache reads and cache writes
    context_window: int = 0  # tokens, if the CLI names it
    wasted_share: float = 0.0  # 0 to 1, of the output tokens
    findings: tuple[Finding, ...] = ()  # the most important first


class SessionMarks(msgspec.Struct, frozen=True, kw_only=True):
    """What a person has added to a session."""

    alias: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    starred: bool = False
    archived: bool = False


class EntryMark(msgspec.Struct, frozen=True, kw_only=True):
    """What a person has added to one entry."""

    entry: str
    bookmarked: bool = False
    note: str = ""


class MarkedEntry(EntryMark, frozen=True, kw_only=True):
    """An entry with a bookmark or a note, in a list. `place`: its number in the timeline; None: not shown there."""

    place: int | None
    kind: EntryKind
    side: str = ""
    text: str = ""  # the beginning, in one line; of a call, the tool and its arguments


class MarkedEntries(msgspec.Struct, frozen=True, kw_only=True):
    """The entries of a session with a bookmark or a note, in order, at most 500."""

    items: tuple[MarkedEntry, ...]


class CliSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session in a list."""

    id: str
    runtime: str
    native_id: str
    title: str
    cwd: str = ""  # absolute; empty: unknown
    path: str | None = None  # the same relative to the server's root; None: outside, so it cannot be continued here
    parent_id: str = ""  # id of the session that it was forked from, or that started it
    is_sub_agent: bool = False
    started_at: float | None = None  # seconds since 1970
    ended_at: float | None = None  # of its last entry
    messages: int = 0  # of people
    calls: int = 0  # of tools
    errors: int = 0
    models: tuple[str, ...] = ()
    usage: Usage = Usage()
    cost_usd: float | None = None
    grade: Grade | None = None  # None: it has no answer yet
    reasons: tuple[str, ...] = ()  # up to three, for the grade
    is_gone: bool = False  # the CLI's transcript no longer exists
    marks: SessionMarks = SessionMarks()
    snippet: str = ""  # in a search: the text around the match
    entry: str = ""  # in a search: id of the entry with the match


class CliSessionPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of sessions, the most recently used first. `next`: the cursor of the next page."""

    items: tuple[CliSession, ...]
    next: str | None = None
    total: int = 0  # of all pages; in a search, the sessions that may match


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """A working directory with sessions."""

    cwd: str
    path: str | None = None  # relative to the server's root; None: outside
    sessions: int
    last_at: float | None = None


class ProjectList(msgspec.Struct, frozen=True, kw_only=True):
    """All projects, the most recently used first, and the state of the index."""

    items: tuple[Project, ...]
    tags: tuple[str, ...] = ()
    runtimes: dict[str, int] = {}  # number of sessions
    indexing: int = 0  # files that are still to be read
    enabled: bool = True


class TimelineEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry as people read it: a call has its result."""

    id: str
    place: int  # its number in the timeline, from 0
    kind: EntryKind
    at: float | None = None
    seconds: float | None = None  # until the next entry
    text: str = ""
    is_cut: bool = False  # whether `text` is only a beginning
    tool: str = ""
    action: AnyAction | None = None
    documents: dict[str, str] = {}  # paths of `action` that exist below the server's root: the same relative to it
    result: str | None = None  # of a call; None: there is none
    is_error: bool = False
    model: str = ""
    usage: Usage | None = None
    side: str = ""  # the call or sub-agent that it belongs to; empty: the main conversation
    bookmarked: bool = False
    note: str = ""


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a session's timeline. The lists have the places of all entries of these kinds, for jumping."""

    session: CliSession
    health: SessionHealth | None
    items: tuple[TimelineEntry, ...]
    total: int
    hidden: int = 0  # entries of unknown kinds, which are left out
    branches: int = 1  # ends of the tree; the timeline shows the path to the last one, or to the requested one
    branch: str = ""  # id of the last entry of the shown branch; empty: the last branch
    place: int | None = None  # number of the entry that `around` asked for; of a result, its call's
    errors: tuple[int, ...] = ()
    people: tuple[int, ...] = ()
    edits: tuple[int, ...] = ()
    bookmarks: tuple[int, ...] = ()


class TimelineMatches(msgspec.Struct, frozen=True, kw_only=True):
    """The places of the entries that contain the words, in order. `is_complete`: whether all entries were searched."""

    places: tuple[int, ...]
    is_complete: bool = True


class LastMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The last answer of a session; empty if there is none."""

    text: str = ""
    at: float | None = None


class UsageRow(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens and cost of one day, runtime, project and model. `day` is in UTC."""

    day: str
    runtime: str
    cwd: str
    model: str
    answers: int
    usage: Usage
    cost_usd: float | None = None  # None: not reported


class UsageTable(msgspec.Struct, frozen=True, kw_only=True):
    """Usage over time, oldest first."""

    items: tuple[UsageRow, ...]


class SessionPatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PATCH sessions/{id}`. A field that is left out stays as it is."""

    alias: str | msgspec.UnsetType = msgspec.UNSET
    note: str | msgspec.UnsetType = msgspec.UNSET
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    starred: bool | msgspec.UnsetType = msgspec.UNSET
    archived: bool | msgspec.UnsetType = msgspec.UNSET


class EntryPatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PATCH sessions/{id}/entries`. A field that is left out stays as it is."""

    entry: str
    bookmarked: bool | msgspec.UnsetType = msgspec.UNSET
    note: str | msgspec.UnsetType = msgspec.UNSET


class NewNextPromptsRun(
    NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="next_prompts"
):
    """A request for suggestions. `title`: of the run in lists; `prompt`: what the CLI receives."""

    title: str
    prompt: str


class NextPrompts(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has suggested to ask next, at most three prompts."""

    prompts: tuple[str, ...] = ()
    problem: str = ""  # why there are none, in a sentence
    is_final: bool = False  # whether the run has ended


class ContinueSession(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST sessions/{id}/continue`."""

    instruction: str
    runtime: str | None = None  # another CLI, which receives a summary of the session; None: the session's own
    mode: RunMode | None = None
    permission_mode: PermissionMode | None = None


class SessionFilter(msgspec.Struct, frozen=True, kw_only=True):
    """The filters of a list of sessions."""

    runtime: str | None = None
    project: str | None = None  # the working directory
    query: str | None = None
    tag: str | None = None
    grade: str | None = None
    starred: bool = False
    archived: bool = False  # only those that are archived; else only the others
    since: float | None = None  # seconds since 1970
    with_sub_agents: bool = False
    limit: int = 50
    cursor: int = 0  # how many to skip


class SessionsIndexed(Event, frozen=True, kw_only=True, tag="sessions_indexed"):
    """Sessions on disk have changed. `ids`: at most 50 of them; `indexing`: files that are still to be read."""

    resource = "cabinet-runs"

    ids: tuple[str, ...]
    indexing: int = 0

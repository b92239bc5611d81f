"""The values of the room, also the wire format."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..approvals.model import ApprovalState
from ..changes.model import ChangedFile
from ..core.people import Person
from ..runs.model import Run, RunFilter

LISTED_FILES = 20  # of an entry, in lists
LISTED_CHARACTERS = 300  # of questions, in lists


class ActivityRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A question of a run and its result. `what`: the command, the files, the address, as a text."""

    id: str  # of the approval
    kind: Literal["command", "edit", "tool", "question"]
    title: str  # "Claude Code asks to run a command"
    what: str
    state: ApprovalState
    outcome: str = ""  # a sentence without its full stop; empty while it waits
    by: Person | None = None  # who has answered; None: a rule, the CLI, the time limit or the end of the run
    rule_id: str | None = None
    rule: str = ""  # the rule that answered it, or required asking
    asked_at: datetime
    closed_at: datetime | None = None


class ActivityEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One run with its approvals and changes.

    `asked`: oldest first; None if the caller may not read approvals. `files`: in lists at most 20, `more_files` is the
    number of the others. `not_compared`: why its changes are not known, or no longer kept, a sentence; empty if they
    are. `agent_name`: the current name of the run's agent; empty if it has none, or the caller cannot see that agent.
    """

    run: Run
    agent_name: str = ""
    asked: tuple[ActivityRequest, ...] | None = ()
    files: tuple[ChangedFile, ...] = ()
    more_files: int = 0
    not_compared: str = ""


class ActivityPage(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first, with only the beginning of long texts. `next` is the cursor of the following page."""

    items: tuple[ActivityEntry, ...]
    next: str | None = None


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """Something that waits for a person to review it.

    `kind`: `directives` are those that an agent has written after reading text from outside; a `plan` has proposals.
    `name`: the slug of the agent that proposes a soul, the name of the skill or tool server, the id of the run that has
    written the directives, or the id of the plan. `title`: what people call it; of directives, the name of the agent.
    `agent`: the slug of the agent that has written the directives. `count`: of directives or proposals. `source`: where
    it came from, as a phrase; of a skill not checked, because its folder says it. `changed`: other files of the skill
    were approved before. `since`: when it was proposed, or a file of the skill was changed last. `may_decide`: whether
    the caller may.
    """

    kind: Literal["soul", "skill", "tool_server", "directives", "plan"]
    name: str
    title: str
    agent: str = ""
    count: int = 1
    source: str = ""
    changed: bool = False
    since: datetime
    may_decide: bool


class ActivityFilter(msgspec.Struct, frozen=True, kw_only=True):
    """The filters of the activity list. `asked`: only runs that have asked something."""

    runs: RunFilter = RunFilter()
    asked: bool = False

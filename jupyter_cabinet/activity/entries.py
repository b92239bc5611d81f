"""Builds an entry of the activity list from a run, its questions and its changes. Pure."""

from __future__ import annotations

import msgspec

from ..approvals.card import shortened
from ..approvals.model import Approval
from ..changes.model import Changes
from ..runs.model import Run, in_list
from .model import LISTED_CHARACTERS, LISTED_FILES, ActivityEntry, ActivityRequest


def entry_of(
    run: Run, approvals: tuple[Approval, ...] | None, changes: Changes | None, agent_name: str = ""
) -> ActivityEntry:
    """Return an entry.

    `approvals`: oldest first; None: the caller may not read them. `changes`: None if unknown.
    """
    return ActivityEntry(
        run=run,
        agent_name=agent_name,
        asked=None if approvals is None else tuple(map(_asked, approvals)),
        files=changes.files if changes else (),
        not_compared=changes.reason if changes else "",
    )


def listed(entry: ActivityEntry) -> ActivityEntry:
    """Return an entry for a list: long texts are cut, and at most `LISTED_FILES` files are included.

    `more_files` of the result counts the files that were left out.
    """
    asked = entry.asked and tuple(
        msgspec.structs.replace(each, what=shortened(each.what, LISTED_CHARACTERS)) for each in entry.asked
    )
    return msgspec.structs.replace(
        entry,
        run=in_list(entry.run),
        asked=asked,
        files=entry.files[:LISTED_FILES],
        more_files=max(0, len(entry.files) - LISTED_FILES),
    )


def _asked(approval: Approval) -> ActivityRequest:
    return ActivityRequest(
        id=approval.id,
        kind=approval.kind,
        title=approval.title,
        what=what_is_asked(approval),
        state=approval.state,
        outcome=approval.outcome,
        by=approval.answered_by,
        rule_id=approval.rule_id,
        rule=approval.rule,
        asked_at=approval.asked_at,
        closed_at=approval.closed_at,
    )


def what_is_asked(approval: Approval) -> str:
    """Return what an approval asks for, as text: its first part unchanged, each other one with its label.

    Parts with the text that files gain and lose are left out, because they are in the changes. If nothing is left, it
    is the question, else the name of the tool.
    """
    parts = [part for part in approval.parts if not part.changes]
    lines = [part.text if at == 0 else f"{part.label}: {part.text}" for at, part in enumerate(parts)]
    return "\n".join(lines) or approval.question or approval.tool

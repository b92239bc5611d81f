"""The display names of the owners of agents, as the records of the agents have them. Called by `service.py`.

Records from before owners had display names get them as soon as their owner looks at the agents.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import msgspec

from ...core.people import Principal, Visibility
from ...core.plain_text import one_line
from ..model import AgentRecord
from .roster import Roster, RosterEntry, new_record

log = logging.getLogger(__name__)

LONGEST_NAME = 80  # characters of a person's name


def record_of(slug: str, owner: Principal, visibility: Visibility) -> AgentRecord:
    """Return the record of a new agent."""
    return _named(new_record(slug, owner=owner.username, visibility=visibility), owner)


async def add_missing_names(
    roster: Roster, entries: Sequence[RosterEntry], principal: Principal
) -> Sequence[RosterEntry]:
    """Add the caller's display name to those of their agents that have none, and return the entries with it.

    Nothing is added outside the browser. An error while it is stored is only logged.
    """
    return [await _with_name(roster, each, principal) for each in entries]


async def _with_name(roster: Roster, entry: RosterEntry, principal: Principal) -> RosterEntry:
    record = entry.record
    if record.owner_name or record.owner != principal.username or not principal.in_browser:
        return entry
    try:
        await roster.change(entry.slug, lambda now: _named(now, principal) if now.owner == record.owner else now)
    except Exception as error:  # a full disk must not hide the agents
        log.warning("The name of the owner of %s could not be put on record: %s", entry.slug, error)
    return msgspec.structs.replace(entry, record=_named(record, principal))


def _named(record: AgentRecord, owner: Principal) -> AgentRecord:
    return msgspec.structs.replace(record, owner_name=one_line(owner.display_name, most=LONGEST_NAME))

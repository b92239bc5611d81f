"""Whether a heartbeat would find something to do. Agents with `heartbeat_mode: when_needed` have none otherwise.

Called by `heartbeat_schedule.py`. No model is called for this.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from ...core.errors import Malformed
from ..correspondence.mailbox import AgentItems
from ..directives.effects.doer import DirectiveDoer
from ..goals.progress import label
from ..prompts.checks import due_checks
from ..prompts.gathering import changed_since
from ..run_kinds.run_terms import zone_of
from .roster import Roster, RosterEntry


class SomethingToDo:
    """Looks for it in the files of an agent, as they are now."""

    def __init__(self, *, root: Path, roster: Roster, items: AgentItems, doer: DirectiveDoer) -> None:
        self._root = root
        self._roster = roster
        self._items = items
        self._doer = doer

    async def exists_for(self, entry: RosterEntry) -> bool:
        """Return whether there is a message, an open task, a changed page, a due check or a goal that is behind.

        True also if the goals cannot be read. Raises `OutOfService` if the agent has errors.
        """
        return await asyncio.to_thread(self._exists, entry)

    def _exists(self, entry: RosterEntry) -> bool:
        slug, now = entry.slug, self._roster.clock.now()
        if self._items.inbox(slug).messages:
            return True
        if self._items.open_tasks(slug).tasks:
            return True
        if due_checks(entry.files.texts.get("HEARTBEAT.md", ""), entry.record.checks, now)[1]:
            return True
        last = entry.record.last_heartbeat
        if any(changed_since(self._root, page, last) for page in entry.persona.focus):
            return True
        zone = zone_of(entry.persona, self._roster.settings)
        try:
            goals = self._doer.goals(slug, now=now).goals.values()
        except Malformed:
            return True  # the heartbeat's warnings report the error
        return any(label(goal, now=now, zone=zone) in ("behind", "critical") for goal in goals)

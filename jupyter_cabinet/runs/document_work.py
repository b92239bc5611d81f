"""In which documents agents of other people work: what everybody who may read runs learns of private runs.

It hears of runs on the event bus, and announces only that the list has changed. `web/handlers/editor.py` serves it.
"""

from __future__ import annotations

from ..core.events import Event, EventBus, Scope
from ..core.people import Principal, may_see
from ..storage.database import Database
from . import store
from .model import DocumentWork, DocumentWorkChanged, Run, RunChanged
from .rules.lifecycle import is_at_work, is_final


class WorkInDocuments:
    """Reveals only the document of a private run, the person for whom it works, and the name of its runtime."""

    def __init__(self, *, database: Database, bus: EventBus) -> None:
        self._database = database
        self._bus = bus
        self._paths: dict[str, str] = {}  # by run: the document in which a private run works, as it was announced
        bus.subscribe(self._heard)

    async def of_others(self, principal: Principal) -> list[DocumentWork]:
        """Return where private runs that `principal` may not see work in a document now, in any server.

        Oldest first.
        """
        found = await self._database.read(store.at_work_in_documents)
        return [_shown(run) for run in found if not may_see(principal, run.owner, run.visibility)]

    def _heard(self, event: Event, scope: Scope) -> None:
        if isinstance(event, RunChanged) and event.run.visibility == "private":
            run = event.run
            before = self._paths.pop(run.id, None)
            now = run.path if is_at_work(run) else None
            if now is not None:
                self._paths[run.id] = now
            # This server may not know the beginning: it has ended the run of one that died.
            if now != before or (run.path is not None and is_final(run)):
                self._bus.publish(DocumentWorkChanged(), Scope(owner=run.owner, visibility="server"))


def _shown(run: Run) -> DocumentWork:
    by = run.trigger.display_name if run.trigger.username == run.owner else run.owner
    return DocumentWork(run_id=run.id, path=run.path or "", by=by, agent=run.runtime_title)

"""`runs/{id}/changes`: a run's changes in the workspace, and people's decisions about them."""

from __future__ import annotations

from ...changes.model import Changes, Decide, FileDiff
from ...changes.retention import Kept
from ...core.errors import NotAllowed
from ...core.events import Scope
from ...core.people import owns
from ..handler import CabinetHandler
from ..operation import Query, operation


class RunChangesHandler(CabinetHandler):
    """`runs/{id}/changes`"""

    auth_resource = "cabinet-runs"

    @operation("read", gives=Changes)
    async def get(self, run_id: str) -> None:
        """List the files that the run has changed, with the decision about each."""
        run = await self.services.runs.get(run_id, self.principal)
        self.reply(await self.services.changes.of(run.id))

    @operation("execute", body=Decide, gives=Changes)
    async def post(self, run_id: str) -> None:
        """Accept or revert changes, or undo such a decision. For the owner of the run.

        Later edits are kept. If they cannot be kept, the answer is 409 with their `paths`, and nothing is written.
        """
        run = await self.services.runs.get(run_id, self.principal)
        if not owns(self.principal, run.owner):
            raise NotAllowed("Only the owner of the run may decide about its changes.")
        scope = Scope(owner=run.owner, visibility=run.visibility)
        self.reply(await self.services.changes.decide(run.id, self.body(Decide), self.principal, scope))


class KeptChangesHandler(CabinetHandler):
    """`changes`"""

    auth_resource = "cabinet-runs"

    @operation("read", gives=Kept)
    async def get(self) -> None:
        """Return the disk usage of the changes of all runs, and its limit."""
        self.reply(await self.services.changes.kept())


class RunChangedFileHandler(CabinetHandler):
    """`runs/{id}/changes/file`"""

    auth_resource = "cabinet-runs"

    @operation(
        "read", gives=FileDiff, query=(Query(name="path", about="of a changed file, relative to the server's root"),)
    )
    async def get(self, run_id: str) -> None:
        """Return the lines of one changed file. A notebook is listed by cell."""
        run = await self.services.runs.get(run_id, self.principal)
        self.reply(await self.services.changes.file(run.id, self.path_argument("path") or ""))

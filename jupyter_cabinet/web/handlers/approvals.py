"""`approvals`: approval requests and questions of agents. Only a browser session may answer."""

from __future__ import annotations

import msgspec

from ...approvals.model import Approval, ApprovalFilter, NewAnswer
from ...core.errors import Invalid
from ...core.people import owns
from ..handler import CabinetHandler
from ..operation import Query, operation

MAX_PAGE = 200


class ApprovalItem(msgspec.Struct, frozen=True, kw_only=True):
    """A question, and whether the caller may answer it here. `server`: the other server where it can be answered."""

    approval: Approval
    may_answer: bool
    server: str = ""


class ApprovalList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page."""

    items: tuple[ApprovalItem, ...]
    next: str | None = None


class ApprovalsHandler(CabinetHandler):
    """`approvals`"""

    auth_resource = "cabinet-approvals"

    @operation(
        "read",
        gives=ApprovalList,
        query=(
            Query(name="state", about="`waiting` or `closed`; without it both", values=("waiting", "closed")),
            Query(name="run_id", about="only questions of this run"),
            Query(name="limit", kind="integer", about="at most 200"),
            Query(name="cursor", about="`next` of the page before"),
        ),
    )
    async def get(self) -> None:
        """List the questions that the caller may see, newest first."""
        state = self.text_argument("state")
        if state not in (None, "waiting", "closed"):
            raise Invalid("state must be waiting or closed.", field="state")
        wanted = ApprovalFilter(
            waiting=None if state is None else state == "waiting",
            run_id=self.text_argument("run_id"),
            limit=min(self.integer_argument("limit", 50), MAX_PAGE),
            cursor=self.text_argument("cursor"),
        )
        found = await self.services.approvals.find(wanted, self.principal)
        may = self.principal.in_browser and await self.may("execute")
        servers = await self.services.approvals.servers_of(found)
        items = [
            ApprovalItem(
                approval=each,
                may_answer=may and owns(self.principal, each.owner) and each.id not in servers,
                server=servers.get(each.id, ""),
            )
            for each in found
        ]
        self.reply(ApprovalList(items=tuple(items), next=found[-1].id if len(found) >= wanted.limit > 0 else None))


class ApprovalHandler(CabinetHandler):
    """`approvals/{id}`"""

    auth_resource = "cabinet-approvals"

    @operation("read", gives=Approval)
    async def get(self, approval_id: str) -> None:
        """Return one question as it is now."""
        self.reply(await self.services.approvals.get(approval_id, self.principal))

    @operation("execute", body=NewAnswer, gives=Approval)
    async def post(self, approval_id: str) -> None:
        """Answer a question. Only the owner of the run may do this, in the browser."""
        self.reply(await self.services.approvals.answer(approval_id, self.body(NewAnswer), self.principal))

"""`approval-rules`: what is allowed, asked or denied in advance.

Only a person in the browser may change it.
"""

from __future__ import annotations

import msgspec

from ...approvals.rule_evaluation import Decision
from ...approvals.rules import NewRuleList, RuleList
from ...core.errors import NotAllowed
from ...runtimes.requested_actions import AnyAction
from ..handler import CabinetHandler
from ..operation import operation


class Explain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An action that an agent might request. `folder` is relative to the root directory."""

    asks: AnyAction
    agent: str | None = None  # slug; None: a CLI without an agent
    folder: str = ""


class ApprovalRulesHandler(CabinetHandler):
    """`approval-rules`"""

    auth_resource = "cabinet-approvals"

    @operation("read", gives=RuleList)
    async def get(self) -> None:
        """Return all rules, the hash of this version of them, and which the caller may not change."""
        self.reply(await self.services.approval_rules.find(self.principal))

    @operation("execute", body=NewRuleList, gives=RuleList)
    async def put(self) -> None:
        """Replace all rules. Only a person in the browser who may run agents may do this.

        Only its author or an administrator may change or remove a rule.
        """
        if not await self.may("execute", "cabinet-runs"):
            raise NotAllowed("Only a person who may run agents may change the rules for them.")
        self.reply(await self.services.approval_rules.put(self.body(NewRuleList), self.principal))


class ApprovalRulesExplainHandler(CabinetHandler):
    """`approval-rules/explain`"""

    auth_resource = "cabinet-approvals"

    @operation("read", body=Explain, gives=Decision)
    async def post(self) -> None:
        """Return the decision of the rules about an action in a run of the caller, and the reason.

        Nothing is executed.
        """
        asked, rules = self.body(Explain), self.services.approval_rules
        explained = rules.explain(asked.asks, agent=asked.agent, folder=asked.folder, principal=self.principal)
        self.reply(await explained)

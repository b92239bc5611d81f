"""The approval rules of this root directory: read anew for each question, changed by a person at a browser alone.

They are one confirmed version in the trust store, outside the root, so that no agent can write them. What they mean is
`rule_evaluation.py`'s to say. Called by `service.py` and `web/handlers/approval_rules.py`.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from ..core import paths
from ..core.clock import Clock
from ..core.errors import Conflict, Invalid, NotAllowed
from ..core.ids import new_id
from ..core.people import Principal
from ..runtimes.model import QuestionAsked
from ..runtimes.requested_actions import AnyAction, Command, Edit
from . import matching
from .model import AskingRun
from .rule_evaluation import Decision, commands_of, decide
from .rules import MOST_RULES, ApprovalRule, NewRule, NewRuleList, RuledCommand, RuleList, as_new, checked
from .shell import Words

log = logging.getLogger(__name__)

NAME = "approval-rules"  # of the thing in the trust store
TRIES = 5  # to add a rule beside somebody else who changes them
_RULES = msgspec.json.Decoder(tuple[ApprovalRule, ...])
STRICTEST = ("deny", "ask", "allow")


class ConfirmedVersions(Protocol):
    """Where confirmed versions are kept; `trust/service.py` has it."""

    async def confirmed_content(self, what: str) -> bytes | None:
        """The version that was confirmed last."""

    async def replace_version(self, what: str, before: str, digest: str, content: bytes, principal: Principal) -> bool:
        """Keep a version instead of the one with the hash `before` (empty: of none). False: another one is there."""


class Doing(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done, by whom and where. `folder` is absolute: where the CLI works."""

    asks: AnyAction
    agent: str | None  # slug; None: a CLI without one
    runtime: str | None = None  # name of the CLI; None: whichever
    owner: str  # of the run
    folder: str


class Rulebook:
    """Reads, changes and applies the rules."""

    def __init__(self, *, trust: ConfirmedVersions, clock: Clock, root: Path) -> None:
        self._trust = trust
        self._clock = clock
        self._root = root

    async def read(self) -> RuleList:
        """All rules as they are now."""
        content = await self._trust.confirmed_content(NAME)
        if content is None:
            return RuleList(rules=(), hash="")
        try:
            rules = _RULES.decode(content)
        except msgspec.DecodeError:
            log.exception("The approval rules cannot be read: none holds, so everything is asked")
            rules = ()
        return RuleList(rules=rules, hash=_hash(content))

    # --- what they say -----------------------------------------------------------------------

    async def decide(self, doing: Doing) -> Decision:
        """What holds now. It reads the rules anew, so that one that is gone allows nothing."""
        rules = [rule for rule in (await self.read()).rules if _holds_for(rule, doing.owner)]
        return await asyncio.to_thread(self._decide, rules, doing)

    async def always_rules(self, doing: Doing) -> tuple[NewRule, ...]:
        """The rules that would allow exactly this from now on; none where that is not certain."""
        return await asyncio.to_thread(self._always_rules, doing)

    async def explain(self, asks: AnyAction, *, agent: str | None, folder: str, principal: Principal) -> Decision:
        """What would hold for a question in a run of the caller. `folder` is relative to the root. Raises
        `OutsideRoot`."""
        place = self._root.joinpath(*paths.check(folder, field="folder")) if folder else self._root
        return await self.decide(Doing(asks=asks, agent=agent, owner=principal.username, folder=str(place)))

    def _decide(self, rules: Sequence[ApprovalRule], doing: Doing) -> Decision:
        """Looks at the disk: a link must not lead past a rule, neither by its name nor by where it leads."""
        root, folder, now = str(self._root.resolve()), _real_folder(doing), self._clock.now()
        readings = dict.fromkeys([doing.asks, _real(doing.asks, folder)])
        found = [
            decide(rules, asks, agent=doing.agent, runtime=doing.runtime, folder=folder, root=root, now=now)
            for asks in readings
        ]
        return min(found, key=lambda each: STRICTEST.index(each.effect))

    def _always_rules(self, doing: Doing) -> tuple[NewRule, ...]:
        root, folder = str(self._root.resolve()), _real_folder(doing)
        return rules_for(
            commands_of(doing.asks, folder=folder, root=root),
            agent=doing.agent or "",
            runtime=doing.runtime if doing.agent is None else None,
            folder=matching.folder_below(folder, root) or None,
        )

    # --- changes -----------------------------------------------------------------------------

    async def put(self, new: NewRuleList, principal: Principal) -> RuleList:
        """All rules at once. Raises `NotAllowed` for a program, `Invalid` for a rule that cannot hold, `Conflict` where
        they are no longer those that were read. A rule that comes back unchanged keeps who made it."""
        _check_person(principal)
        now = await self.read()
        if new.hash != now.hash:
            raise Conflict("The rules were changed meanwhile. Look at them again.")
        known = {rule.id: rule for rule in now.rules}
        rules = [self._made(checked(each), known.get(each.id or ""), principal) for each in new.rules]
        if len({rule.id for rule in rules}) < len(rules):
            raise Invalid("Two rules have the same id.", field="rules")
        if not await self._keep(rules, now.hash, principal):
            raise Conflict("The rules were changed meanwhile. Look at them again.")
        return await self.read()

    async def add(self, new: Sequence[NewRule], principal: Principal) -> tuple[str, ...]:
        """Some rules more; those that have ended go. Returns their ids. Raises as `put`."""
        made = [self._made(checked(each), None, principal) for each in new]
        now = self._clock.now()
        await self._change(
            lambda rules: [*(each for each in rules if each.expires_at is None or now < each.expires_at), *made],
            principal,
        )
        return tuple(rule.id for rule in made)

    async def remove(self, ids: Collection[str], principal: Principal) -> None:
        """Some rules fewer. Raises as `put`."""
        await self._change(lambda rules: [rule for rule in rules if rule.id not in ids], principal)

    async def _change(
        self, change: Callable[[Sequence[ApprovalRule]], Sequence[ApprovalRule]], principal: Principal
    ) -> None:
        for _ in range(TRIES):
            now = await self.read()
            if await self._keep(change(now.rules), now.hash, principal):
                return
        raise Conflict("The rules are being changed by somebody else. Try again in a moment.")

    async def _keep(self, rules: Sequence[ApprovalRule], before: str, principal: Principal) -> bool:
        _check_person(principal)
        if len(rules) > MOST_RULES:
            raise Invalid(f"There are at most {MOST_RULES} rules.", field="rules")
        content = msgspec.json.encode(rules)
        return await self._trust.replace_version(NAME, before, _hash(content), content, principal)

    def _made(self, new: NewRule, known: ApprovalRule | None, principal: Principal) -> ApprovalRule:
        if known is not None and as_new(known) == new:
            return known
        values = msgspec.structs.asdict(new) | {
            "id": known.id if known else new_id(),
            "made_by": principal.person,
            "made_at": self._clock.now(),
            "for_everyone": principal.shared_token or principal.administrator,
        }
        return ApprovalRule(**values)


def doing_of(run: AskingRun, asked: QuestionAsked) -> Doing:
    """What the rules are asked about."""
    return Doing(asks=asked.asks, agent=run.agent, runtime=run.runtime, owner=run.owner, folder=run.folder)


def rules_for(commands: Sequence[Words], *, agent: str, runtime: str | None, folder: str | None) -> tuple[NewRule, ...]:
    """A rule for each of these commands, which allows it and nothing else."""
    return tuple(
        NewRule(effect="allow", action=RuledCommand(argv=words), agent=agent, runtime=runtime, folder=folder)
        for words in commands
    )


def _check_person(principal: Principal) -> None:
    if not principal.in_browser:
        raise NotAllowed("Approval rules are made in the browser, by a person.")


def _holds_for(rule: ApprovalRule, owner: str) -> bool:
    """Nobody allows anything in the runs of somebody else, whose questions they could not answer either."""
    return rule.effect != "allow" or rule.for_everyone or rule.made_by.username == owner


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _real_folder(doing: Doing) -> str:
    named = doing.asks.cwd if isinstance(doing.asks, Command) else ""
    return _resolved(Path(doing.folder, named))


def _real(asks: AnyAction, folder: str) -> AnyAction:
    """The same by where its paths lead."""
    if not isinstance(asks, Edit):
        return asks
    return msgspec.structs.replace(asks, paths=tuple(_resolved(Path(folder, path)) for path in asks.paths))


def _resolved(path: Path) -> str:
    """Raises nothing: what leads nowhere is no place below the root."""
    try:
        return str(path.resolve())
    except (OSError, RuntimeError, ValueError):  # a circle, a NUL
        return "/"

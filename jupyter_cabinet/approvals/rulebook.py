"""The approval rules of this root directory: read for each question, changed only by a person in the browser.

They are one confirmed version in the trust store, outside the root, so that no agent can write them.
`rule_evaluation.py` knows their meaning. Called by `service.py` and `web/handlers/approval_rules.py`.
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
from ..core.people import Principal, owns
from ..runtimes.model import QuestionAsked
from ..runtimes.requested_actions import AnyAction, Command, Edit
from . import matching
from .model import AskingRun
from .rule_evaluation import Decision, commands_of, decide
from .rules import MOST_RULES, ApprovalRule, NewRule, NewRuleList, RuledCommand, RuleList, as_new, checked, spelled
from .shell import Words

log = logging.getLogger(__name__)

NAME = "approval-rules"  # of the entry in the trust store
OF_ANOTHER = "{name} has made the rule “{rule}”. Only {name} or an administrator can change or remove it."
TRIES = 5  # to add a rule while somebody else changes them
_RULES = msgspec.json.Decoder(tuple[ApprovalRule, ...])
STRICTEST = ("deny", "ask", "allow")


class ConfirmedVersions(Protocol):
    """The store of confirmed versions; `trust/service.py` implements it."""

    async def confirmed_content(self, what: str) -> bytes | None:
        """Return the version that was confirmed last; None if there is none."""

    async def replace_version(self, what: str, before: str, digest: str, content: bytes, principal: Principal) -> bool:
        """Store a version instead of the one with the hash `before` (empty: of none).

        Return False if another one is there.
        """


class Doing(msgspec.Struct, frozen=True, kw_only=True):
    """An action with its agent and folder. `folder` is absolute: where the CLI works."""

    asks: AnyAction
    agent: str | None  # slug; None: a CLI without one
    runtime: str | None = None  # name of the CLI; None: any
    owner: str  # of the run
    folder: str


class Rulebook:
    """Reads, changes and applies the rules."""

    def __init__(self, *, trust: ConfirmedVersions, clock: Clock, root: Path) -> None:
        self._trust = trust
        self._clock = clock
        self._root = root

    async def read(self) -> RuleList:
        """Return all rules as they are now, also expired ones.

        If the stored rules are damaged, it logs that and returns none.
        """
        content = await self._trust.confirmed_content(NAME)
        if content is None:
            return RuleList(rules=(), hash="")
        try:
            rules = _RULES.decode(content)
        except msgspec.DecodeError:
            log.exception("The approval rules cannot be read, so every action is asked about")
            rules = ()
        return RuleList(rules=rules, hash=_hash(content))

    async def find(self, principal: Principal) -> RuleList:
        """Return all rules, also those of others, and which of them the caller may not change."""
        found = await self.read()
        protected = tuple(rule.id for rule in found.rules if not _may_change(principal, rule))
        return msgspec.structs.replace(found, protected=protected)

    # --- decisions --------------------------------------------------------------------------

    async def decide(self, doing: Doing) -> Decision:
        """Return the decision now. It reads the rules again, so that a removed one allows nothing.

        Only the rules of the run's owner and those for all people count. Paths are checked as they are named and with
        links resolved; the stricter decision counts.
        """
        rules = [rule for rule in (await self.read()).rules if _holds_for(rule, doing.owner)]
        return await asyncio.to_thread(self._decide, rules, doing)

    async def always_rules(self, doing: Doing) -> tuple[NewRule, ...]:
        """Return the rules that would allow exactly this from now on; none if that is not certain.

        Only commands have some. Stores nothing: see `add`.
        """
        return await asyncio.to_thread(self._always_rules, doing)

    async def explain(self, asks: AnyAction, *, agent: str | None, folder: str, principal: Principal) -> Decision:
        """Return the decision about a question in a run of the caller. Asks and records nothing.

        `folder` is relative to the root; empty: the root. Raises what `paths.check` raises, with the field `folder`.
        """
        place = self._root.joinpath(*paths.check(folder, field="folder")) if folder else self._root
        return await self.decide(Doing(asks=asks, agent=agent, owner=principal.username, folder=str(place)))

    def _decide(self, rules: Sequence[ApprovalRule], doing: Doing) -> Decision:
        """Check the disk: a link must not bypass a rule, neither by its name nor by its target."""
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
        """Replace all rules, and return them as they are then.

        An unchanged rule keeps its author; a changed one gets the caller. Raises `NotAllowed` unless a person in the
        browser is the caller, and for a changed or removed rule of another person; `Invalid` and `OutsideRoot` for a
        rule that cannot work; `Invalid` for more than `MOST_RULES`; `Conflict` if they have changed since they were
        read.
        """
        _check_person(principal)
        now = await self.read()
        if new.hash != now.hash:
            raise Conflict("The rules were changed in the meantime. Reload them, then try again.")
        known = {rule.id: rule for rule in now.rules}
        rules = [self._made(checked(each), known.get(each.id or ""), principal) for each in new.rules]
        if len({rule.id for rule in rules}) < len(rules):
            raise Invalid("Two rules have the same id.", field="rules")
        if not await self._keep(rules, now, principal):
            raise Conflict("The rules were changed in the meantime. Reload them, then try again.")
        return await self.find(principal)

    async def add(self, new: Sequence[NewRule], principal: Principal) -> tuple[str, ...]:
        """Add rules, and remove expired ones of anybody. Returns their ids, in order. Ids in `new` are ignored.

        Raises like `put`; `Conflict` only if others keep changing the rules.
        """
        made = [self._made(checked(each), None, principal) for each in new]
        now = self._clock.now()
        await self._change(
            lambda rules: [*(each for each in rules if each.expires_at is None or now < each.expires_at), *made],
            principal,
        )
        return tuple(rule.id for rule in made)

    async def remove(self, ids: Collection[str], principal: Principal) -> None:
        """Remove rules. Unknown ids are ignored.

        Raises `NotAllowed` like `put`, and `Conflict` if others keep changing the rules.
        """
        await self._change(lambda rules: [rule for rule in rules if rule.id not in ids], principal)

    async def _change(
        self, change: Callable[[Sequence[ApprovalRule]], Sequence[ApprovalRule]], principal: Principal
    ) -> None:
        for _ in range(TRIES):
            now = await self.read()
            if await self._keep(change(now.rules), now, principal):
                return
        raise Conflict("Another person is changing the rules. Try again in a moment.")

    async def _keep(self, rules: Sequence[ApprovalRule], before: RuleList, principal: Principal) -> bool:
        _check_person(principal)
        self._check_others(before.rules, rules, principal)
        if len(rules) > MOST_RULES:
            raise Invalid(f"There are at most {MOST_RULES} rules.", field="rules")
        content = msgspec.json.encode(rules)
        return await self._trust.replace_version(NAME, before.hash, _hash(content), content, principal)

    def _check_others(
        self, before: Sequence[ApprovalRule], after: Sequence[ApprovalRule], principal: Principal
    ) -> None:
        """Otherwise anybody could remove what another person has denied. An expired rule may go."""
        kept, now = {rule.id: rule for rule in after}, self._clock.now()
        for rule in before:
            is_over = rule.expires_at is not None and now >= rule.expires_at and rule.id not in kept
            if kept.get(rule.id) != rule and not is_over and not _may_change(principal, rule):
                raise NotAllowed(OF_ANOTHER.format(rule=spelled(rule.action), name=rule.made_by.display_name))

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
    """Return the question in the form that the rules check."""
    return Doing(asks=asked.asks, agent=run.agent, runtime=run.runtime, owner=run.owner, folder=run.folder)


def rules_for(commands: Sequence[Words], *, agent: str, runtime: str | None, folder: str | None) -> tuple[NewRule, ...]:
    """Return a rule for each of these commands, which allows only that."""
    return tuple(
        NewRule(effect="allow", action=RuledCommand(argv=words), agent=agent, runtime=runtime, folder=folder)
        for words in commands
    )


def _may_change(principal: Principal, rule: ApprovalRule) -> bool:
    return owns(principal, rule.made_by.username)


def _check_person(principal: Principal) -> None:
    if not principal.in_browser:
        raise NotAllowed("Only a person in the browser may change approval rules.")


def _holds_for(rule: ApprovalRule, owner: str) -> bool:
    """Nobody decides about the runs of somebody else, whose questions they could not answer either."""
    return rule.for_everyone or rule.made_by.username == owner


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _real_folder(doing: Doing) -> str:
    named = doing.asks.cwd if isinstance(doing.asks, Command) else ""
    return _resolved(Path(doing.folder, named))


def _real(asks: AnyAction, folder: str) -> AnyAction:
    """Return the same with the real targets of its paths."""
    if not isinstance(asks, Edit):
        return asks
    return msgspec.structs.replace(asks, paths=tuple(_resolved(Path(folder, path)) for path in asks.paths))


def _resolved(path: Path) -> str:
    """Raises nothing: a path that cannot be resolved is not below the root."""
    try:
        return str(path.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a NUL
        return "/"

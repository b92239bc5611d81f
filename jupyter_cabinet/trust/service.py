"""What a person at a browser has confirmed: the root directory, once, and each version of what grants power below it
(rule 8 of ARCHITECTURE.md). What that is, and its hash, the rooms above say: agents, plays.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from ..core.clock import Clock
from ..core.errors import Invalid, NotAllowed, NotTrusted
from ..core.events import EventBus, Scope
from ..core.people import Principal
from .model import TrustConfirmed, TrustPolicy, TrustState
from .store import TrustStore, root_hash


class Trust:
    """Answers whether agents may run here, and keeps a person's confirmation."""

    def __init__(self, *, root: Path, store: TrustStore, policy: TrustPolicy, clock: Clock, bus: EventBus) -> None:
        self._root = root
        self._store = store
        self._policy = policy
        self._clock = clock
        self._bus = bus

    async def state(self) -> TrustState:
        """Whether the root directory is confirmed, with the hash that `confirm` takes."""
        digest = root_hash(self._root)
        confirmed = self._policy == "always" or await asyncio.to_thread(self._store.is_confirmed, digest)
        return TrustState(root=str(self._root), confirmed=confirmed, hash=digest, policy=self._policy)

    async def require(self) -> None:
        """Raise `NotTrusted` where nobody has confirmed the root directory."""
        state = await self.state()
        if not state.confirmed:
            raise NotTrusted(root=state.root, hash=state.hash)

    async def confirm(self, digest: str, principal: Principal) -> TrustState:
        """Keep a person's confirmation. A kernel, a script or a ticket may not give it."""
        if not principal.in_browser:
            raise NotAllowed("A folder is confirmed in the browser, by a person.")
        state = await self.state()
        if digest != state.hash:
            raise Invalid("This is not the hash of the folder as it is now. Look at it again.", field="hash")
        await asyncio.to_thread(
            self._store.confirm, digest, what=state.root, by=principal.username, at=self._clock.now()
        )
        scope = Scope(owner=principal.username, visibility="server")
        self._bus.publish(TrustConfirmed(root=state.root, by=principal.display_name), scope)
        return await self.state()

    # --- what grants power below the root ------------------------------------------------------

    async def is_confirmed(self, what: str, digest: str) -> bool:
        """Whether a person has confirmed this version of a thing. `what`: its kind and name, such as `agent/ada`."""
        if self._policy == "always":
            return True
        found = await asyncio.to_thread(self._store.version, self._name(what))
        return found is not None and found[0] == digest

    async def confirmed_hashes(self, kind: str) -> dict[str, str] | None:
        """The confirmed hashes of all things of a kind, by name; None: everything counts as confirmed."""
        if self._policy == "always":
            return None
        prefix = self._name(f"{kind}/")
        found = await asyncio.to_thread(self._store.versions, prefix)
        return {name.removeprefix(prefix): digest for name, digest in found.items()}

    async def confirmed_content(self, what: str) -> bytes | None:
        """The version that a person has confirmed last, as it was handed in then."""
        found = await asyncio.to_thread(self._store.version, self._name(what))
        return None if found is None else found[1]

    async def confirmer(self, what: str) -> str | None:
        """The user name of the person who has confirmed a thing last; None: nobody has."""
        return await asyncio.to_thread(self._store.confirmer, self._name(what))

    async def confirmers(self, kind: str) -> dict[str, str]:
        """The same of all things of a kind, by name."""
        prefix = self._name(f"{kind}/")
        found = await asyncio.to_thread(self._store.confirmers, prefix)
        return {name.removeprefix(prefix): by for name, by in found.items()}

    async def confirm_version(self, what: str, digest: str, content: bytes, principal: Principal) -> None:
        """Keep a person's confirmation of a version. A kernel, a script or a ticket may not give it: `NotAllowed`."""
        if not principal.in_browser:
            raise NotAllowed("What an agent may do is confirmed in the browser, by a person.")
        by, at = principal.username, self._clock.now()
        await asyncio.to_thread(self._store.confirm_version, self._name(what), digest, content, by=by, at=at)

    async def replace_version(self, what: str, before: str, digest: str, content: bytes, principal: Principal) -> bool:
        """The same, where the version with the hash `before` (empty: none) is still the confirmed one; else False."""
        if not principal.in_browser:
            raise NotAllowed("What an agent may do is confirmed in the browser, by a person.")
        by, at = principal.username, self._clock.now()
        replace = self._store.replace_version
        return await asyncio.to_thread(replace, self._name(what), before, digest, content, by=by, at=at)

    async def move(self, what: str, to: str) -> None:
        """The thing has another name now: what was confirmed of it holds under that name alone."""
        await asyncio.to_thread(self._store.move_version, self._name(what), self._name(to))

    async def forget(self, what: str) -> None:
        """The thing is gone: what comes under its name later has to be confirmed."""
        await asyncio.to_thread(self._store.forget_version, self._name(what))

    def _name(self, what: str) -> str:
        """Not the same below another root: what was confirmed there was confirmed for those documents."""
        return f"{root_hash(self._root)}/{what}"

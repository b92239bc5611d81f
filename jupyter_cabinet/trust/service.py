"""Trust in the root directory: asked once of a person at a browser (rule 14 of the architecture)."""

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

"""Confirmations by a person in the browser: the root directory, and each version of what grants power below it.

See rule 8 of ARCHITECTURE.md. The rooms above (agents, plays) define what is confirmed, and its hash.
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
    """Determines whether agents may run here, and stores a person's confirmation."""

    def __init__(self, *, root: Path, store: TrustStore, policy: TrustPolicy, clock: Clock, bus: EventBus) -> None:
        self._root = root
        self._store = store
        self._policy = policy
        self._clock = clock
        self._bus = bus

    async def state(self) -> TrustState:
        """Return whether the root directory is confirmed, with the hash that `confirm` takes.

        With the policy `always` it always is. Raises `Unavailable` if the database of confirmations cannot be opened,
        like all methods here.
        """
        digest = root_hash(self._root)
        confirmed = self._policy == "always" or await asyncio.to_thread(self._store.is_confirmed, digest)
        return TrustState(root=str(self._root), confirmed=confirmed, hash=digest, policy=self._policy)

    async def require(self) -> None:
        """Raise `NotTrusted` if nobody has confirmed the root directory."""
        state = await self.state()
        if not state.confirmed:
            raise NotTrusted(root=state.root, hash=state.hash)

    async def confirm(self, digest: str, principal: Principal) -> TrustState:
        """Store a person's confirmation of the folder, emit `TrustConfirmed`, and return the state.

        Raises `Invalid` if the folder has changed since `digest`. A kernel, a script or a ticket may not give it:
        `NotAllowed`.
        """
        if not principal.in_browser:
            raise NotAllowed("Only a person can confirm a folder, in the browser. Open JupyterLab to confirm it.")
        state = await self.state()
        if digest != state.hash:
            raise Invalid("The folder has changed since you read it. Check it again, then confirm it.", field="hash")
        await asyncio.to_thread(
            self._store.confirm, digest, what=state.root, by=principal.username, at=self._clock.now()
        )
        scope = Scope(owner=principal.username, visibility="server")
        self._bus.publish(TrustConfirmed(root=state.root, by=principal.display_name), scope)
        return await self.state()

    # --- what grants power below the root ------------------------------------------------------

    async def is_confirmed(self, what: str, digest: str) -> bool:
        """Return whether a person has confirmed this version. `what`: its kind and name, such as `agent/ada`.

        Only the last confirmed version counts. With the policy `always` every version does.
        """
        if self._policy == "always":
            return True
        found = await asyncio.to_thread(self._store.version, self._name(what))
        return found is not None and found[0] == digest

    async def confirmed_hashes(self, kind: str) -> dict[str, str] | None:
        """Return the confirmed hashes of all entries of a kind, by name; None: everything counts as confirmed."""
        if self._policy == "always":
            return None
        prefix = self._name(f"{kind}/")
        found = await asyncio.to_thread(self._store.versions, prefix)
        return {name.removeprefix(prefix): digest for name, digest in found.items()}

    async def confirmed_content(self, what: str) -> bytes | None:
        """Return the content of the version that a person has confirmed last, whatever the policy; None: nobody has
        confirmed one.
        """
        found = await asyncio.to_thread(self._store.version, self._name(what))
        return None if found is None else found[1]

    async def confirmer(self, what: str) -> str | None:
        """Return the user name of the person who has confirmed it last; None: nobody has."""
        return await asyncio.to_thread(self._store.confirmer, self._name(what))

    async def confirmers(self, kind: str) -> dict[str, str]:
        """Return the user names of the persons who have confirmed the entries of a kind last, by the entry's name.

        Entries that nobody has confirmed are missing.
        """
        prefix = self._name(f"{kind}/")
        found = await asyncio.to_thread(self._store.confirmers, prefix)
        return {name.removeprefix(prefix): by for name, by in found.items()}

    async def confirm_version(self, what: str, digest: str, content: bytes, principal: Principal) -> None:
        """Store a person's confirmation of a version, in place of the previous one. It emits no event.

        A kernel, a script or a ticket may not give it: `NotAllowed`.
        """
        if not principal.in_browser:
            raise NotAllowed(
                "Only a person can confirm what an agent may do, in the browser. Open JupyterLab to confirm it."
            )
        by, at = principal.username, self._clock.now()
        await asyncio.to_thread(self._store.confirm_version, self._name(what), digest, content, by=by, at=at)

    async def replace_version(self, what: str, before: str, digest: str, content: bytes, principal: Principal) -> bool:
        """Confirm if the version with the hash `before` (empty: none) is still the confirmed one, and return True.

        Otherwise return False and change nothing. Raises `NotAllowed` as `confirm_version`.
        """
        if not principal.in_browser:
            raise NotAllowed(
                "Only a person can confirm what an agent may do, in the browser. Open JupyterLab to confirm it."
            )
        by, at = principal.username, self._clock.now()
        replace = self._store.replace_version
        return await asyncio.to_thread(replace, self._name(what), before, digest, content, by=by, at=at)

    async def move(self, what: str, to: str) -> None:
        """Record that it was renamed: its confirmation applies only to the new name, in place of one that this name
        had.
        """
        await asyncio.to_thread(self._store.move_version, self._name(what), self._name(to))

    async def forget(self, what: str) -> None:
        """Remove its confirmation, if there is one: a later entry under its name has to be confirmed."""
        await asyncio.to_thread(self._store.forget_version, self._name(what))

    def _name(self, what: str) -> str:
        """Return the key of a confirmation. It names the root, because a confirmation applies only below that root."""
        return f"{root_hash(self._root)}/{what}"

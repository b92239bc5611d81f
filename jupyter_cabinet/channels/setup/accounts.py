"""The accounts of people on chat platforms that are connected with a person of this server, as people manage them.

Only a person in the browser connects an account or changes what it may do. `service.py` has the channels.
"""

from __future__ import annotations

import msgspec

from ...agents.roster.roster import Roster
from ...core.errors import Invalid, NotAllowed, NotFound, Refused
from ...core.ids import new_id
from ...core.people import Principal, owns
from ...foundation import Foundation
from .. import store
from ..model import (
    MAX_NAME,
    ChannelChanged,
    CodeOwner,
    EnterCode,
    NotifyFields,
    Pairing,
    PairingFields,
)
from ..platforms import PLATFORMS
from ..records import scope_of
from ..rules.pairing_codes import PairingCodes, PairingRequest, TooManyGuesses
from .book import ChannelBook
from .configuration import Configuration
from .form_checks import check_agent, check_notify, require_browser


class ConnectedAccounts:
    """What `web/` calls."""

    def __init__(self, foundation: Foundation, *, book: ChannelBook, codes: PairingCodes, roster: Roster) -> None:
        self._book = book
        self._codes = codes
        self._roster = roster
        self._database = foundation.database
        self._commits = foundation.commits
        self._bus = foundation.bus
        self._clock = foundation.clock

    async def pairings(self, principal: Principal) -> list[Pairing]:
        """Return the caller's pairings, and all of the channels that the caller owns. Raises `Malformed`."""
        await self._book.refresh()
        found = [each for each in self._book.configuration.pairings if self._may_manage(each, principal)]
        if all(each.direct_chat for each in found):
            return found
        return await self._database.read(lambda c: [store.with_direct_chat(c, each) for each in found])

    async def enter_code(self, entered: EnterCode, principal: Principal) -> CodeOwner:
        """Return whose code it is, and pair that account with the caller if `may` is given. It replaces an earlier
        pairing.

        Whether the caller has the rights in `may` is not checked here. Raises `NotAllowed` for a program, `Invalid` for
        a code that is wrong or too old or for an unknown agent, and `Refused` after too many wrong codes.
        """
        require_browser(principal)
        await self._book.refresh()
        now = self._clock.monotonic()
        try:
            request = self._codes.find(entered.code, now, by=principal.username)
        except TooManyGuesses:
            raise Refused("Too many wrong codes were entered. Wait ten minutes, then try again.") from None
        channel = self._book.channel(request.channel) if request else None
        if request is None or channel is None:
            raise Invalid(
                "This code is wrong or too old. Write to the bot again, and it tells you a new one.", field="code"
            )
        pairing = None if entered.may is None else await self._pair(request, entered, principal)
        return CodeOwner(
            channel_id=channel.id,
            channel_title=channel.title,
            sender_id=request.sender.id,
            sender_name=request.sender.name[:MAX_NAME],
            pairing=pairing,
        )

    async def _pair(self, request: PairingRequest, entered: EnterCode, principal: Principal) -> Pairing:
        await check_agent(entered.agent, principal, self._roster)
        pairing = Pairing(
            id=new_id(),
            channel_id=request.channel,
            sender_id=request.sender.id,
            sender_name=request.sender.name[:MAX_NAME],
            username=principal.username,
            display_name=principal.display_name,
            shared_login=principal.shared_token,
            may=tuple(dict.fromkeys(entered.may or ())),
            agent=entered.agent,
            direct_chat=request.chat,
            created_at=self._clock.now(),
        )
        account = (pairing.channel_id, pairing.sender_id)

        def change(before: Configuration) -> Configuration:
            others = (each for each in before.pairings if (each.channel_id, each.sender_id) != account)
            return msgspec.structs.replace(before, pairings=(*others, pairing))

        await self._book.change(change)
        self._codes.use(request)
        self._tell_of(pairing)
        return pairing

    async def change_pairing(self, pairing_id: str, fields: PairingFields, principal: Principal) -> Pairing:
        """Change what a paired account may do, and what it hears. For the person it belongs to, in the browser.

        Whether the caller has the rights in `may` is not checked here. Raises `NotFound`, `NotAllowed`, `Invalid`.
        """
        require_browser(principal)
        pairing = await self._pairing(pairing_id, principal)
        if not owns(principal, pairing.username):
            raise NotAllowed("Only the person to whom this account belongs may change what it may do.")
        await check_agent(fields.agent, principal, self._roster)
        self._check_may(pairing, fields)
        check_notify(fields)
        heard = {name: getattr(fields, name) for name in NotifyFields.__struct_fields__}
        changed = msgspec.structs.replace(pairing, may=tuple(dict.fromkeys(fields.may)), agent=fields.agent, **heard)

        def change(before: Configuration) -> Configuration:
            kept = tuple(changed if each.id == pairing_id else each for each in before.pairings)
            return msgspec.structs.replace(before, pairings=kept)

        await self._book.change(change)
        if fields.notify == "off":
            await self._commits.commit(lambda c: store.forget_later(c, pairing.channel_id, f"told/{pairing.id}/"))
        self._tell_of(pairing)
        return changed

    async def delete_pairing(self, pairing_id: str, principal: Principal) -> None:
        """Disconnect an account, and give up what waits to be sent to it. For its person and for the owner of the
        channel.

        Raises `NotFound`, and `NotAllowed` for a program.
        """
        require_browser(principal)
        pairing = await self._pairing(pairing_id, principal)

        def change(before: Configuration) -> Configuration:
            kept = tuple(each for each in before.pairings if each.id != pairing_id)
            return msgspec.structs.replace(before, pairings=kept)

        await self._book.change(change)
        await self._commits.commit(
            lambda c: store.give_up_for(c, pairing.channel_id, pairing.sender_id, chat=pairing.direct_chat)
        )
        self._tell_of(pairing)

    async def _pairing(self, pairing_id: str, principal: Principal) -> Pairing:
        found = next((each for each in await self.pairings(principal) if each.id == pairing_id), None)
        if found is None:
            raise NotFound("There is no such connected account.")
        return found

    def _may_manage(self, pairing: Pairing, principal: Principal) -> bool:
        channel = self._book.channel(pairing.channel_id)
        return owns(principal, pairing.username) or (channel is not None and owns(principal, channel.owner))

    def _check_may(self, pairing: Pairing, fields: PairingFields) -> None:
        channel = self._book.channel(pairing.channel_id)
        info = PLATFORMS[channel.platform] if channel is not None else None
        if info is None or set(fields.may) == set(pairing.may):
            return
        if info.by_login:
            raise Invalid("In a web chat, you may do what you may do on this server.", field="may")
        if info.only_sends:
            raise Invalid(f"{info.title} cannot ask agents or answer requests.", field="may")

    def _tell_of(self, pairing: Pairing) -> None:
        if (channel := self._book.channel(pairing.channel_id)) is not None:
            self._bus.publish(ChannelChanged(channel_id=channel.id), scope_of(channel))

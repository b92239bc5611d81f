"""The adapter of webhooks: what comes in is pushed by requests, and what goes out is a signed request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

import msgspec

from ...core.clock import Clock
from ...core.ids import new_id
from ...plays.signatures import PREFIX, signature
from ..http import HttpClient, HttpReply, doubt_of, seconds_of
from ..model import Channel
from ..port import Account, Button, NotSent, Place, Rejected
from ..pushed import PushedDeliveries
from .addresses import problem_of_address
from .model import OWN_DELIVERY, WebhookAnswer, WebhookButton

TITLE = "The receiver"


class WebhookAdapter(PushedDeliveries):
    """The receiver of one channel."""

    def __init__(self, channel: Channel, secret: str, *, clock: Clock, own_port: int) -> None:
        """`own_port`: of this server, to which nothing is sent; 0: not known."""
        super().__init__()
        self._secret = secret
        self._clock = clock
        parts = urlsplit(channel.api_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        self._http = HttpClient(TITLE, channel.api_url, check_address=partial(_check, port=port, own_port=own_port))

    async def connect(self) -> Account:
        """Check where the receiver is, and return an account without a name. Nothing is sent before there is an answer.

        Raises `Rejected` for an address to which nothing may be sent, and `NotSent` if it cannot be resolved.
        """
        await self._http.check()
        return Account(id="", name="")

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Send one message, and return its id. Raises `Rejected`, `NotSent` and `InDoubt`."""
        answer = WebhookAnswer(
            id=new_id(),
            conversation=place.chat,
            thread=place.thread,
            text=text,
            buttons=tuple(WebhookButton(label=each.label, data=each.data) for each in buttons),
            in_reply_to=place.answers,
        )
        await self._post(answer, repeatable=False)
        return answer.id

    async def replace(self, place: Place, message_id: str, text: str) -> None:
        """Tell the receiver the new text of a message, which has no buttons any more.

        Raises `Rejected` and `NotSent`.
        """
        answer = WebhookAnswer(
            id=new_id(), conversation=place.chat, thread=place.thread, text=text, replaces=message_id
        )
        await self._post(answer, repeatable=True)

    async def typing(self, place: Place) -> None:
        """Do nothing: the receiver is only told what is to be shown."""

    async def close(self) -> None:
        """End what waits, and all connections."""
        await super().close()
        await self._http.close()

    async def _post(self, answer: WebhookAnswer, *, repeatable: bool) -> None:
        body = msgspec.json.encode(answer)
        timestamp, delivery = str(int(self._clock.now().timestamp())), f"{OWN_DELIVERY}{answer.id}"
        headers = {
            "Content-Type": "application/json",
            "X-Cabinet-Timestamp": timestamp,
            "X-Cabinet-Delivery": delivery,
            "X-Cabinet-Signature": f"{PREFIX}{signature(self._secret, timestamp, delivery, body)}",
        }
        reply = await self._http.call("POST", "", repeatable=repeatable, headers=headers, data=body)
        self._check_reply(reply, repeatable=repeatable)

    def _check_reply(self, reply: HttpReply, *, repeatable: bool) -> None:
        """Raise what a reply means, unless the message was taken. Its content is not read."""
        if 200 <= reply.status < 300:
            return
        if reply.status == 503 and "Retry-After" in reply.headers:
            raise NotSent(self._http.too_often, seconds_of(reply.headers["Retry-After"]))
        if reply.status >= 500:
            raise doubt_of(repeatable)(self._http.trouble)
        raise Rejected(f"{TITLE} refuses this with the status {reply.status}.")


def _check(address: str, *, port: int, own_port: int) -> None:
    if problem := problem_of_address(address, port, own_port=own_port):
        raise Rejected(problem, "Enter another address, then save the channel again.")

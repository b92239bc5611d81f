"""Doubles of chat platforms behind one interface, for the tests that every platform must pass."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import msgspec

from harness.agents import make
from harness.backend import ADA as OWNER
from harness.backend import BOUND_SECONDS, Place
from harness.channels import connected
from harness.waiting import LOOK_SECONDS
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels.model import ChannelMessage, EnterCode, NewChannel, Right
from jupyter_cabinet.channels.rules.admission import MAX_TEXT
from jupyter_cabinet.channels.rules.code_blocks import segments
from jupyter_cabinet.channels.web_chat.model import ChatMessage, NewChatMessage, PressButton
from jupyter_cabinet.channels.web_chat.service import shown as page_message
from jupyter_cabinet.core.errors import CabinetError
from jupyter_cabinet.testing import discord, slack, telegram, webhook

# Of the next message that the bot sends. cut_before: the socket is cut and nothing has happened. cut_after: it has
# happened, and the reply is lost. refused: the platform never takes it.
SendFault = Literal["rate", "server_error", "cut_before", "cut_after", "refused"]


@dataclass(frozen=True)
class Person:
    """An account on a platform. `number`: makes its id."""

    number: int
    name: str
    is_bot: bool = False


ADA, EVE, ROBOT = Person(1001, "Ada"), Person(6666, "Eve"), Person(77, "Robot", is_bot=True)


@dataclass(frozen=True)
class Written:
    """A message that a person has written. `thread`: where its answer belongs; empty: nowhere in particular."""

    id: str
    thread: str


@dataclass(frozen=True)
class Shown:
    """A message of the bot, as people see it now.

    `code`: its code blocks, which are also in `text`. `data`: of each button.
    """

    id: str
    text: str
    code: tuple[str, ...]
    buttons: tuple[str, ...]
    data: tuple[str, ...]
    in_group: bool
    thread: str


class ChatDouble(Protocol):
    """A local double of a platform, with one bot and one group."""

    title: str  # of the platform
    account: str  # of the bot
    longest: int  # what a message holds, in characters of ASCII
    secrets: tuple[str, ...]
    wrong_token: str  # the problem of a channel whose token is wrong
    refusal: str  # the reason of a message that was refused
    in_log: str  # what the log says of a message that is sent, if everything is logged; empty: nothing
    greetings: int  # messages of the bot before a person is known: it tells a code
    lacks: Mapping[str, str]  # what the platform does not have, and why a test of that says nothing about it

    def new_channel(self, agent: str) -> NewChannel:
        """Return the channel of the bot."""

    def write(
        self,
        text: str,
        *,
        by: Person = ADA,
        group: bool = False,
        mention: bool = False,
        in_thread: bool = False,
    ) -> Written:
        """Write to the bot. `mention`: of the bot, at the beginning."""

    def edit(self, written: Written, text: str, *, group: bool = False, mention: bool = False) -> None:
        """Change what Ada has written."""

    def press(self, shown: Shown, label: str, *, by: Person = ADA, forged: bool = False) -> str:
        """Press a button as it was shown, and return the id of the press. `forged`: with data of another request."""

    def told(self, press: str) -> str | None:
        """Return the note to the person who pressed; None: nothing yet."""

    def shown(self) -> list[Shown]:
        """Return the messages of the bot, in order."""

    def fail_next(self, kind: SendFault) -> None:
        """Let the next message of the bot fail."""

    def repeat_deliveries(self) -> None:
        """Deliver everything so far once more."""

    def deliver_nonsense(self) -> None:
        """Deliver something that the adapter does not know, and something that it cannot read."""

    def disturb_connection(self) -> None:
        """Let the connection fail in several ways, one after the other."""

    def revoke_token(self) -> None:
        """Accept the token no longer, and let the adapter notice."""


class TelegramDouble:
    """Telegram."""

    title = "Telegram"
    account = "@cabinet_test_bot"
    longest = telegram.MAX_LENGTH
    secrets = (telegram.TOKEN,)
    wrong_token = "Telegram does not know this token."
    refusal = "Telegram refuses: Forbidden: bot was blocked by the user."
    in_log = "sendMessage"
    greetings = 1
    lacks: Mapping[str, str] = {}
    group = telegram.Group(-100200)
    topic = telegram.Group(-100200, thread=8)

    def __init__(self, server: telegram.TelegramServer) -> None:
        self.server = server

    def new_channel(self, agent: str) -> NewChannel:
        return NewChannel(
            platform="telegram", title="Team bot", token=self.server.token, api_url=self.server.url, agent=agent
        )

    def write(
        self, text: str, *, by: Person = ADA, group: bool = False, mention: bool = False, in_thread: bool = False
    ) -> Written:
        where = (self.topic if in_thread else self.group) if group else None
        id = self.server.write(f"{self.account} {text}" if mention else text, by=_user(by), group=where)
        return Written(id=str(id), thread=str(self.topic.thread) if in_thread else "")

    def edit(self, written: Written, text: str, *, group: bool = False, mention: bool = False) -> None:
        text = f"{self.account} {text}" if mention else text
        self.server.write(text, group=self.group if group else None, edits=int(written.id))

    def press(self, shown: Shown, label: str, *, by: Person = ADA, forged: bool = False) -> str:
        message = next(each for each in self.server.sent if str(each.id) == shown.id)
        return self.server.press_with(data_of(shown, label, forged=forged), message, by=_user(by))

    def told(self, press: str) -> str | None:
        return self.server.answers.get(press)

    def shown(self) -> list[Shown]:
        return [self._shown(each) for each in self.server.sent]

    def _shown(self, message: telegram.SentMessage) -> Shown:
        units = message.text.encode("utf-16-le")
        ranges = [(each["offset"] * 2, (each["offset"] + each["length"]) * 2) for each in message.entities]
        return Shown(
            id=str(message.id),
            text=message.text,
            code=tuple(units[begin:end].decode("utf-16-le") for begin, end in ranges),
            buttons=tuple(label for label, _ in message.buttons),
            data=tuple(data for _, data in message.buttons),
            in_group=message.chat < 0,
            thread=str(message.thread or ""),
        )

    def fail_next(self, kind: SendFault) -> None:
        self.server.faults.append(telegram.Fault(method="sendMessage", kind="blocked" if kind == "refused" else kind))

    def repeat_deliveries(self) -> None:
        self.server.repeat_updates()

    def deliver_nonsense(self) -> None:
        self.server.deliver({"poll": {"id": "1"}})
        self.server.deliver({"message": {"message_id": "no number"}})

    def disturb_connection(self) -> None:
        for kind in ("server_error", "cut_after"):
            self.server.faults.append(telegram.Fault(method="getUpdates", kind=kind))

    def revoke_token(self) -> None:
        self.server.always = telegram.Fault(method="*", kind="unauthorized")
        self.server.write("hello")  # ends the long poll


def data_of(shown: Shown, label: str, *, forged: bool) -> str:
    """Return what the press of a button sends."""
    data = shown.data[shown.buttons.index(label)]
    return f"{data[:-4]}0000" if forged else data


def _user(person: Person) -> telegram.User:
    return telegram.User(person.number, person.name, is_bot=person.is_bot)


class SlackDouble:
    """Slack."""

    title = "Slack"
    account = "@cabinet"
    longest = 4000
    secrets = (slack.BOT_TOKEN, slack.APP_TOKEN)
    wrong_token = "Slack does not accept the bot token."
    refusal = "This channel is archived."
    in_log = ""  # the SDK would log texts, so it logs nothing
    greetings = 1
    lacks: Mapping[str, str] = {}
    mention = f"<@{slack.BOT_USER}>"

    def __init__(self, server: slack.SlackServer) -> None:
        self.server = server
        self._presses: dict[str, int] = {}

    def new_channel(self, agent: str) -> NewChannel:
        return NewChannel(
            platform="slack",
            title="Team bot",
            token=self.server.token,
            more_secrets={"app_token": self.server.app_token},
            api_url=self.server.url,
            agent=agent,
        )

    def write(
        self, text: str, *, by: Person = ADA, group: bool = False, mention: bool = False, in_thread: bool = False
    ) -> Written:
        text = f"{self.mention} {text}" if mention else text
        thread = self.server.write("What do you think?", channel=slack.GROUP) if in_thread else ""
        id = self.server.write(text, by=_slack_user(by), channel=slack.GROUP if group else "", thread=thread)
        return Written(id=id, thread=thread or (id if group else ""))

    def edit(self, written: Written, text: str, *, group: bool = False, mention: bool = False) -> None:
        text = f"{self.mention} {text}" if mention else text
        self.server.write(text, channel=slack.GROUP if group else "", edits=written.id)

    def press(self, shown: Shown, label: str, *, by: Person = ADA, forged: bool = False) -> str:
        message = next(each for each in self.server.sent if each.ts == shown.id)
        user = _slack_user(by)
        number = self._presses[user.id] = self._presses.get(user.id, 0) + 1
        self.server.press(message, data_of(shown, label, forged=forged), by=user)
        return f"{user.id}/{number}"

    def told(self, press: str) -> str | None:
        user, _, number = press.partition("/")
        notes = self.server.notes.get(user, [])
        return notes[int(number) - 1] if len(notes) >= int(number) else None

    def shown(self) -> list[Shown]:
        return [
            Shown(
                id=each.ts,
                text=each.text,
                code=tuple(text for text, is_code in each.parts if is_code),
                buttons=tuple(label for label, _ in each.buttons),
                data=tuple(data for _, data in each.buttons),
                in_group=each.channel == slack.GROUP,
                thread=each.thread,
            )
            for each in self.server.sent
        ]

    def fail_next(self, kind: SendFault) -> None:
        fault = slack.Fault(method="chat.postMessage", kind=kind)
        self.server.faults.append(fault)

    def repeat_deliveries(self) -> None:
        self.server.repeat_deliveries()

    def deliver_nonsense(self) -> None:
        for event in ({"type": "reaction_added", "user": "U1"}, {"type": 7}, None):
            self.server.deliver_event(event)
        self.server.send_raw("{")

    def disturb_connection(self) -> None:
        self.server.refresh_sockets()
        self.server.faults.append(slack.Fault(method="apps.connections.open", kind="server_error"))

    def revoke_token(self) -> None:
        self.server.token = "xoxb-another"
        self.server.write("hello")  # the answer cannot be sent; the socket lives on


def _slack_user(person: Person) -> slack.User:
    return slack.User(f"U{person.number}", person.name, is_bot=person.is_bot)


class DiscordDouble:
    """Discord. A thread is a separate chat there."""

    title = "Discord"
    account = "@cabinet"
    longest = discord.MAX_TEXT
    secrets = (discord.TOKEN,)
    wrong_token = "Discord does not accept the token."
    refusal = "The bot may not write in this channel. Give it the permission Send Messages."
    in_log = ""
    greetings = 1
    lacks: Mapping[str, str] = {}
    mention = f"<@{discord.BOT}>"

    def __init__(self, server: discord.DiscordServer) -> None:
        self.server = server

    def new_channel(self, agent: str) -> NewChannel:
        return NewChannel(
            platform="discord", title="Team bot", token=self.server.token, api_url=self.server.url, agent=agent
        )

    def write(
        self, text: str, *, by: Person = ADA, group: bool = False, mention: bool = False, in_thread: bool = False
    ) -> Written:
        text = f"{self.mention} {text}" if mention else text
        thread = self.server.start_thread() if in_thread else ""
        id = self.server.write(text, by=_discord_user(by), channel=thread or (discord.GROUP if group else ""))
        return Written(id=id, thread=thread)

    def edit(self, written: Written, text: str, *, group: bool = False, mention: bool = False) -> None:
        text = f"{self.mention} {text}" if mention else text
        self.server.write(text, channel=discord.GROUP if group else "", edits=written.id)

    def press(self, shown: Shown, label: str, *, by: Person = ADA, forged: bool = False) -> str:
        message = next(each for each in self.server.sent if each.id == shown.id)
        return self.server.press(message, data_of(shown, label, forged=forged), by=_discord_user(by))

    def told(self, press: str) -> str | None:
        return self.server.notes.get(press)

    def shown(self) -> list[Shown]:
        return [
            Shown(
                id=each.id,
                text=each.text,
                code=tuple(piece.text for piece in each.pieces if piece.kind == "code"),
                buttons=tuple(label for label, _ in each.buttons),
                data=tuple(data for _, data in each.buttons),
                in_group=each.channel == discord.GROUP or each.channel in self.server.threads,
                thread=each.channel if each.channel in self.server.threads else "",
            )
            for each in self.server.sent
        ]

    def fail_next(self, kind: SendFault) -> None:
        self.server.faults.append(discord.Fault(call="create_message", kind=kind))

    def repeat_deliveries(self) -> None:
        self.server.repeat_events()

    def deliver_nonsense(self) -> None:
        for name, data in (("TYPING_START", {}), ("MESSAGE_CREATE", {"id": 7}), ("MESSAGE_CREATE", None), (7, [])):
            self.server.dispatch(name, data)
        self.server.send_raw("{")

    def disturb_connection(self) -> None:
        self.server.close_next += [0, 4000]
        self.server.close_sockets(0)

    def revoke_token(self) -> None:
        self.server.token = f"{'b' * 24}.another.{'c' * 30}"
        self.server.write("hello")  # the answer cannot be sent; the session lives on


def _discord_user(person: Person) -> discord.User:
    return discord.User(str(person.number), person.name, is_bot=person.is_bot)


class WebDouble:
    """The page of the web chat, in Ada's browser. It calls the service that the page's requests reach."""

    title, account = "Web chat", ""
    longest = MAX_TEXT
    secrets: tuple[str, ...] = ()
    wrong_token = refusal = in_log = ""
    greetings = 0
    lacks: Mapping[str, str] = {
        "strangers": "Jupyter knows everybody who is logged in, and a button is pressed by its position.",
        "groups": "A web chat has no groups.",
        "edits": "Nobody edits a message of a web chat, and no bot writes there.",
        "deliveries": "The page sends only what the server's API takes, and hears at once if that fails.",
        "faults": "Nothing is sent over a network: a message is sent when it is on record.",
        "tokens": "A web chat needs no token.",
    }

    def __init__(self) -> None:
        self._written: list[NewChatMessage] = []
        self._notes: dict[str, str] = {}
        self._presses = 0
        self._work: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()

    def new_channel(self, agent: str) -> NewChannel:
        return NewChannel(platform="web", title="Team chat", agent=agent)

    @asynccontextmanager
    async def opened(self, backend: Backend, channel_id: str, database: Path) -> AsyncIterator[None]:
        """Open the page. What is done on it is requested in order."""
        self._backend, self._channel, self._database = backend, channel_id, database
        working = asyncio.create_task(self._request_all())
        yield
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    def write(
        self, text: str, *, by: Person = ADA, group: bool = False, mention: bool = False, in_thread: bool = False
    ) -> Written:
        assert by is ADA and not (group or mention or in_thread)
        self._written.append(NewChatMessage(key=f"written-{len(self._written)}", text=text))
        self._send(self._written[-1])
        return Written(id=self._written[-1].key, thread="")

    def _send(self, new: NewChatMessage) -> None:
        async def request() -> None:
            await self._backend.web_chat.write(self._channel, new, OWNER, RIGHTS)

        self._work.put_nowait(request)

    def press(self, shown: Shown, label: str, *, by: Person = ADA, forged: bool = False) -> str:
        assert by is ADA and not forged
        pressed = PressButton(message=shown.id, button=shown.buttons.index(label))
        self._presses += 1
        id = str(self._presses)

        async def request() -> None:
            try:
                self._notes[id] = await self._backend.web_chat.press(self._channel, pressed, OWNER, RIGHTS)
            except CabinetError as error:
                self._notes[id] = error.message

        self._work.put_nowait(request)
        return id

    def told(self, press: str) -> str | None:
        return self._notes.get(press)

    def shown(self) -> list[Shown]:
        """Read the records as they are at this moment. The service does the same, but has to be awaited."""
        query = "SELECT body FROM channel_messages WHERE direction = 'out' AND state = 'sent' ORDER BY number"
        with closing(sqlite3.connect(self._database)) as records:
            found = [msgspec.json.decode(body, type=ChannelMessage) for (body,) in records.execute(query)]
        return [self._shown(page_message(each)) for each in found]

    def _shown(self, message: ChatMessage) -> Shown:
        parts = list(segments(message.text))
        return Shown(
            id=message.id,
            text="\n".join(part.text for part in parts),
            code=tuple(part.text for part in parts if part.is_code),
            buttons=message.buttons,
            data=(),
            in_group=False,
            thread="",
        )

    def repeat_deliveries(self) -> None:
        for new in self._written:
            self._send(new)

    async def _request_all(self) -> None:
        while True:
            await (await self._work.get())()


class WebhookDouble:
    """A program that passes messages of another chat system on, and shows what it receives there."""

    title, account = "Webhook", ""
    longest = MAX_TEXT
    wrong_token = ""
    refusal = "The receiver refuses this with the status 400."
    in_log = ""
    greetings = 1
    lacks: Mapping[str, str] = {
        "edits": "The other program does not pass edits on.",
        "deliveries": "A request gets a reply that says whether it was taken.",
        "tokens": "This server makes the secret. The receiver cannot revoke it.",
    }

    def __init__(self, receiver: webhook.WebhookReceiver) -> None:
        self.receiver = receiver
        self._bodies: list[dict[str, Any]] = []
        self._notes: dict[str, str] = {}
        self._count = 0
        self._work: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.receiver.secret,)

    def new_channel(self, agent: str) -> NewChannel:
        return NewChannel(
            platform="webhook", title="Team hook", api_url=self.receiver.address, agent=agent, shows_buttons=True
        )

    @asynccontextmanager
    async def opened(self, backend: Backend, channel_id: str) -> AsyncIterator[None]:
        """Begin to send what people write, in order."""
        self._backend, self._channel = backend, channel_id
        working = asyncio.create_task(self._send_all())
        try:
            yield
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    def write(
        self, text: str, *, by: Person = ADA, group: bool = False, mention: bool = False, in_thread: bool = False
    ) -> Written:
        self._count += 1
        body = self._body(by, group=group, thread="topic" if in_thread else "")
        body |= {"id": f"written-{self._count}", "text": text, "mentioned": mention or not group}
        self._bodies.append(body)
        self._work.put_nowait(body)
        return Written(id=body["id"], thread=body["thread"])

    def _body(self, by: Person, *, group: bool, thread: str = "") -> dict[str, Any]:
        return {
            "conversation": "the-team" if group else f"with-{by.number}",
            "thread": thread,
            "sender": {"id": str(by.number), "name": by.name, "bot": by.is_bot},
            "direct": not group,
        }

    def edit(self, written: Written, text: str, *, group: bool = False, mention: bool = False) -> None:
        """Do nothing: see `lacks`."""

    def press(self, shown: Shown, label: str, *, by: Person = ADA, forged: bool = False) -> str:
        self._count += 1
        body = self._body(by, group=shown.in_group, thread=shown.thread)
        body |= {"id": f"press-{self._count}", "press": data_of(shown, label, forged=forged)}
        self._work.put_nowait(body)
        return str(body["id"])

    def told(self, press: str) -> str | None:
        return self._notes.get(press)

    def shown(self) -> list[Shown]:
        found: dict[str, Shown] = {}
        for each in list(self.receiver.taken):
            id = each.get("replaces", each["id"])
            parts = list(segments(each["text"]))
            found[id] = Shown(
                id=id,
                text="\n".join(part.text for part in parts),
                code=tuple(part.text for part in parts if part.is_code),
                buttons=tuple(button["label"] for button in each.get("buttons", ())),
                data=tuple(button["data"] for button in each.get("buttons", ())),
                in_group=each["conversation"] == "the-team",
                thread=each.get("thread", ""),
            )
        return list(found.values())

    def fail_next(self, kind: SendFault) -> None:
        self.receiver.faults.append(kind)

    def repeat_deliveries(self) -> None:
        for body in self._bodies:
            self._work.put_nowait(body)

    def disturb_connection(self) -> None:
        self.receiver.faults += ["rate", "busy"]

    async def _send_all(self) -> None:
        while True:
            body = await self._work.get()
            self._count += 1
            signed = webhook.signed_delivery(
                self.receiver.secret, msgspec.json.encode(body), id=f"delivery-{self._count}"
            )
            taken = await self._backend.webhooks.receive(self._channel, signed)
            self._notes[body["id"]] = taken.note


RIGHTS: tuple[Right, ...] = ("ask", "approve")


@contextmanager
def _web() -> Iterator[ChatDouble]:
    yield cast("ChatDouble", WebDouble())  # what is missing is in `lacks`


@contextmanager
def _webhook() -> Iterator[ChatDouble]:
    with webhook.WebhookReceiver() as receiver:
        yield cast("ChatDouble", WebhookDouble(receiver))  # what is missing is in `lacks`


@contextmanager
def _discord() -> Iterator[ChatDouble]:
    with discord.DiscordServer() as server:
        yield DiscordDouble(server)


@contextmanager
def _slack() -> Iterator[ChatDouble]:
    with slack.SlackServer() as server:
        yield SlackDouble(server)


@contextmanager
def _telegram() -> Iterator[ChatDouble]:
    with telegram.TelegramServer() as server:
        yield TelegramDouble(server)


DOUBLES = {"telegram": _telegram, "slack": _slack, "discord": _discord, "web": _web, "webhook": _webhook}


@asynccontextmanager
async def conversing(
    chat: ChatDouble, folder: Path, agent: str = "helper", *, persona: Mapping[str, Any] | None = None
) -> AsyncIterator[tuple[Backend, str]]:
    """A server with an agent, a bot that is answered by it and that Ada may use, and the id of the channel."""
    async with Place(folder).backend() as backend:
        await make(backend, agent, **(persona or {}))
        channel = await backend.channels.create(chat.new_channel(agent), OWNER)
        if isinstance(chat, WebhookDouble):
            chat.receiver.secret = await backend.webhooks.make_secret(channel.id, OWNER)
        await connected(backend, channel.id)
        if isinstance(chat, WebDouble):
            async with chat.opened(backend, channel.id, folder / "root" / ".cabinet" / "cabinet.db"):
                yield backend, channel.id
            return
        async with chat.opened(backend, channel.id) if isinstance(chat, WebhookDouble) else nullcontext():
            chat.write("hello")
            code = re.search(r"[A-Z2-9]{4}-[A-Z2-9]{4}", (await message(chat, "do not know this account")).text)
            assert code is not None
            owner = await backend.connected_accounts.enter_code(EnterCode(code=code[0], may=("ask", "approve")), OWNER)
            assert owner.channel_id == channel.id
            yield backend, channel.id


async def message(chat: ChatDouble, part: str, *, count: int = 1) -> Shown:
    """Wait until the bot has sent so many messages with this text, and return the last of them."""
    try:
        async with asyncio.timeout(BOUND_SECONDS):
            while len(found := [each for each in chat.shown() if part in each.text]) < count:
                await asyncio.sleep(LOOK_SECONDS)
    except TimeoutError:
        raise AssertionError(f"“{part}” was not sent, but: {[each.text for each in chat.shown()]}") from None
    return found[-1]


def now(chat: ChatDouble, shown: Shown) -> Shown:
    """Return a message as it is now."""
    return next(each for each in chat.shown() if each.id == shown.id)

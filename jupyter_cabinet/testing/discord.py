"""A local Discord for tests, on 127.0.0.1: the REST API, the Gateway over WebSockets, refusals and faults on demand.

Made from https://docs.discord.com/developers: Gateway, Message, Interactions, Rate limits. It checks what Discord
checks: the token, intents, the length of texts, the form of buttons, the time until a press is answered. A session
keeps its events, so that a client that resumes it gets what it has missed. Tests act as people: they write, edit and
press buttons.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal

from .discord_markup import Piece, shown
from .local_server import LocalHandler, LocalServer, LocalSocket

TOKEN = "NDI0MjQyNDI0MjQyNDI0MjQy.double.of-Discord-for-tests-0123456789"  # noqa: S105 (of no real bot)
BOT, APP, GUILD, GROUP = "424242424242424242", "434343434343434343", "500", "501"
MAX_TEXT, MAX_ROWS, MAX_IN_ROW, MAX_LABEL, MAX_CUSTOM_ID = 2000, 5, 5, 80, 100
MESSAGES_OF_GUILDS, DIRECT_MESSAGES, PRIVILEGED = 1 << 9, 1 << 12, (1 << 1) | (1 << 8) | (1 << 15)
EPHEMERAL = 1 << 6

# cut_before: the connection is cut and nothing has happened. cut_after: it has happened, and the reply is lost.
# no_json: a reply of something between. refused: with a status and a code of Discord.
FaultKind = Literal["rate", "server_error", "cut_before", "cut_after", "no_json", "refused"]
Reply = tuple[int, dict[str, str], dict[str, Any]]


@dataclass(frozen=True)
class User:
    """An account."""

    id: str
    name: str
    is_bot: bool = False


ADA = User("1001", "Ada")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What the next call of a name meets. `seconds`: for `rate`, how long to wait. `status`, `code`: for `refused`."""

    call: str
    kind: FaultKind
    seconds: float = 1.0
    status: int = 403
    code: int = 50013


@dataclass(kw_only=True)
class SentMessage:
    """A message that the bot has sent, as it is now."""

    id: str
    channel: str
    arguments: dict[str, Any]
    versions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def pieces(self) -> list[Piece]:
        """What people see."""
        return shown(self.arguments["content"])

    @property
    def text(self) -> str:
        """The same as one text."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def buttons(self) -> list[tuple[str, str]]:
        """The label and the data of each button."""
        return [(each["label"], each["custom_id"]) for each in _buttons(self.arguments)]


@dataclass(kw_only=True)
class _Session:
    """What one client has identified for. `events`: all of them, with their numbers from 1 on."""

    id: str
    intents: int
    events: list[dict[str, Any]] = field(default_factory=list)
    socket: _Socket | None = None

    def put(self, name: str, data: Any) -> None:
        event = {"op": 0, "t": name, "s": len(self.events) + 1, "d": data}
        self.events.append(event)
        if self.socket is not None:
            self.socket.send(event)


@dataclass(kw_only=True)
class _Press:
    """A press that waits for an answer. `until`: when its token becomes invalid."""

    id: str
    token: str
    until: float
    answered: bool = False


class DiscordServer(LocalServer):
    """Serves one bot while it is open: `with DiscordServer() as discord: discord.url`."""

    def __init__(self, *, heartbeat_seconds: float = 30.0, answer_seconds: float = 3.0) -> None:
        """`answer_seconds`: in which a press must be answered."""
        super().__init__([(r"/gateway/", _Socket, {"discord": self}), (r"/api/v10/(.+)", _Api, {"discord": self})])
        self.token = TOKEN
        self.heartbeat_seconds = heartbeat_seconds
        self.answer_seconds = answer_seconds
        self.people: dict[str, User] = {ADA.id: ADA}
        self.threads: set[str] = set()  # ids of the threads in the group
        self.sent: list[SentMessage] = []
        self.notes: dict[str, str] = {}  # what only the person sees who has pressed, by the id of the press
        self.calls: list[str] = []  # names of the calls, in order
        self.heard: list[dict[str, Any]] = []  # what clients have sent to the Gateway
        self.faults: deque[Fault] = deque()
        self.remaining = 4  # calls that may still be made to send a message, as told with each reply
        self.starts_left = 1000
        self.allowed_intents = ~PRIVILEGED
        self.acknowledges = True  # heartbeats
        self.greets = True
        self.close_next: deque[int] = deque()  # close codes for those who identify or resume next; 0: it is cut
        self.reconnect_url = ""  # where a new session is resumed; empty: the usual address
        self._sessions: dict[str, _Session] = {}
        self._presses: dict[str, _Press] = {}  # by token
        self._events: list[tuple[str, dict[str, Any]]] = []
        self._sockets: list[_Socket] = []
        self._number = 10_000

    # --- what people do ------------------------------------------------------------------------

    def write(
        self,
        text: str,
        *,
        by: User = ADA,
        channel: str = "",
        edits: str = "",
        files: int = 0,
        replies_to: SentMessage | None = None,
        **fields: Any,
    ) -> str:
        """Write a message in a direct chat or a channel, and return its id.

        `edits`: the id of one that is changed. `replies_to`: a message of the bot, which the reply mentions.
        """
        with self.lock:
            self.people[by.id] = by
            message = self._message(edits or self._next_id(), channel or direct_chat(by), _account(by), text)
            message |= {"attachments": [{"id": "1", "filename": "a.png"}] * files}
            message |= {"edited_timestamp": f"2026-11-27T10:00:00.{self._next_id()}+00:00"} if edits else {}
            if replies_to is not None:
                content = replies_to.arguments["content"]
                message |= {"type": 19, "mentions": [*message["mentions"], _account(_bot())]}
                message["referenced_message"] = self._message(
                    replies_to.id, replies_to.channel, _account(_bot()), content
                )
            self._dispatch("MESSAGE_UPDATE" if edits else "MESSAGE_CREATE", message | fields)
        return str(message["id"])

    def press(self, message: SentMessage, data: str, *, by: User = ADA) -> str:
        """Press a button below a message, and return the id of the press."""
        with self.lock:
            self.people[by.id] = by
            press = _Press(id=self._next_id(), token=uuid.uuid4().hex, until=time.monotonic() + self.answer_seconds)
            self._presses[press.token] = press
            where = {"guild_id": GUILD, "member": {"user": _account(by), "nick": None}}
            payload = {
                "id": press.id,
                "application_id": APP,
                "type": 3,
                "token": press.token,
                "version": 1,
                "channel_id": message.channel,
                "data": {"custom_id": data, "component_type": 2, "id": 2},
                "message": self._message(message.id, message.channel, _account(_bot()), message.arguments["content"]),
            }
            payload |= where if self._is_in_guild(message.channel) else {"user": _account(by)}
            self._dispatch("INTERACTION_CREATE", payload)
        return press.id

    def start_thread(self) -> str:
        """Start a thread in the group, and return its id."""
        with self.lock:
            thread = self._next_id()
            self.threads.add(thread)
        return thread

    # --- what Discord does ---------------------------------------------------------------------

    def dispatch(self, name: Any, data: Any) -> None:
        """Deliver an event of any content."""
        with self.lock:
            self._dispatch(name, data)

    def repeat_events(self) -> None:
        """Deliver everything so far once more."""
        with self.lock:
            for name, data in list(self._events):
                self._dispatch(name, data)

    def send_raw(self, content: str) -> None:
        """Send something of any content to all clients."""
        self.on_loop(self._to_all, lambda socket: socket.write_message(content))

    def ask_to_reconnect(self) -> None:
        """Ask for another connection, as Discord does from time to time."""
        self.on_loop(self._to_all, lambda socket: socket.send({"op": 7, "d": None}))

    def ask_for_heartbeat(self) -> None:
        """Ask for a heartbeat at once."""
        self.on_loop(self._to_all, lambda socket: socket.send({"op": 1, "d": None}))

    def end_sessions(self) -> None:
        """End all sessions. Nothing that happens from now on is kept for them."""
        with self.lock:
            self._sessions.clear()
        self.on_loop(self._to_all, lambda socket: socket.send({"op": 9, "d": False}))

    def close_sockets(self, code: int) -> None:
        """Close all connections with a code. 0: cut them."""
        self.on_loop(self._to_all, lambda socket: socket.end(code))

    # --- the API -------------------------------------------------------------------------------

    def call(self, method: str, path: str, authorization: str, arguments: dict[str, Any]) -> Reply | None:
        """Carry out a call, and return status, headers and body of the reply; None: the connection is cut."""
        with self.lock:
            matches = ((name, re.fullmatch(pattern, path)) for of, pattern, name in _CALLS if of == method)
            name, found = next((each for each in matches if each[1] is not None), ("", None))
            if found is None:
                return _refusal(404, 0, "404: Not Found")
            self.calls.append(name)
            fault = self.faults.popleft() if self.faults and self.faults[0].call == name else None
            if fault is not None and fault.kind != "cut_after":
                return None if fault.kind == "cut_before" else _fault_reply(fault)
            if authorization != f"Bot {self.token}" and name not in ("respond", "follow_up"):
                return _refusal(401, 0, "401: Unauthorized")
            reply: Reply = getattr(self, f"_{name}")(arguments, *found.groups())
            return None if fault is not None else reply

    def _get_me(self, arguments: dict[str, Any]) -> Reply:
        return 200, {}, _account(_bot())

    def _get_gateway(self, arguments: dict[str, Any]) -> Reply:
        limit = {"total": 1000, "remaining": self.starts_left, "reset_after": 14_400_000, "max_concurrency": 1}
        return 200, {}, {"url": self.gateway_url, "shards": 1, "session_start_limit": limit}

    @property
    def gateway_url(self) -> str:
        """The address of the Gateway."""
        return f"ws://127.0.0.1:{self.port}/gateway/"

    def _create_message(self, arguments: dict[str, Any], channel: str) -> Reply:
        if (problem := self._problem(channel, arguments)) is not None:
            return problem
        message = SentMessage(id=self._next_id(), channel=channel, arguments=arguments)
        self.sent.append(message)
        own = self._message(message.id, channel, _account(_bot()), str(arguments["content"]))
        self._dispatch("MESSAGE_CREATE", own)
        headers = {"X-RateLimit-Limit": "5", "X-RateLimit-Remaining": str(self.remaining)}
        return 200, headers | {"X-RateLimit-Reset-After": "5.0", "X-RateLimit-Bucket": "b"}, own

    def _edit_message(self, arguments: dict[str, Any], channel: str, message_id: str) -> Reply:
        known = next((each for each in self.sent if (each.channel, each.id) == (channel, message_id)), None)
        if known is None:
            return _refusal(404, 10008, "Unknown Message")
        if (problem := self._problem(channel, arguments)) is not None:
            return problem
        known.versions.append(known.arguments)
        known.arguments = {**known.arguments, **arguments}
        return 200, {}, self._message(known.id, channel, _account(_bot()), str(arguments["content"]))

    def _type(self, arguments: dict[str, Any], channel: str) -> Reply:
        return (204, {}, {}) if self._is_known(channel) else _refusal(404, 10003, "Unknown Channel")

    def _respond(self, arguments: dict[str, Any], press_id: str, token: str) -> Reply:
        press = self._presses.get(token)
        if press is None or press.id != press_id or time.monotonic() > press.until:
            return _refusal(404, 10062, "Unknown interaction")
        if press.answered:
            return _refusal(400, 40060, "Interaction has already been acknowledged.")
        if arguments != {"type": 6}:
            return _refusal(400, 50035, "Invalid Form Body")
        press.answered = True
        return 204, {}, {}

    def _follow_up(self, arguments: dict[str, Any], app: str, token: str) -> Reply:
        press = self._presses.get(token)
        if press is None or app != APP or not press.answered:
            return _refusal(404, 10015, "Unknown Webhook")
        if not 0 < len(arguments["content"]) <= MAX_TEXT or not arguments["flags"] & EPHEMERAL:
            return _refusal(400, 50035, "Invalid Form Body")
        self.notes[press.id] = "".join(piece.text for piece in shown(arguments["content"]))
        return 200, {}, {"id": self._next_id()}

    def _problem(self, channel: str, arguments: dict[str, Any]) -> Reply | None:
        """Return the refusal of a message that Discord would not take."""
        if not self._is_known(channel):
            return _refusal(404, 10003, "Unknown Channel")
        content, rows = arguments.get("content"), arguments.get("components") or []
        if not isinstance(content, str) or not content.strip():
            return _refusal(400, 50006, "Cannot send an empty message")
        fits = len(content) <= MAX_TEXT and len(rows) <= MAX_ROWS
        return None if fits and _are_buttons(arguments) else _refusal(400, 50035, "Invalid Form Body")

    # --- the Gateway -----------------------------------------------------------------------------

    def opened(self, socket: _Socket) -> None:
        """Greet a client."""
        with self.lock:
            self._sockets.append(socket)
            if self.greets:
                socket.send({"op": 10, "d": {"heartbeat_interval": self.heartbeat_seconds * 1000}})

    def closed(self, socket: _Socket) -> None:
        """Forget a connection. Its session stays, unless the client has ended it."""
        with self.lock:
            self._sockets.remove(socket)
            for session in list(self._sessions.values()):
                if session.socket is socket:
                    session.socket = None
                    if socket.close_code in (1000, 1001) and not socket.is_ended:
                        del self._sessions[session.id]

    def take(self, content: str, socket: _Socket) -> None:
        """Take what a client sends."""
        payload = json.loads(content)
        with self.lock:
            self.heard.append(payload)
            if payload["op"] == 1 and self.acknowledges:
                socket.send({"op": 11})
            elif payload["op"] in (2, 6):
                self._begin(payload["op"], payload["d"], socket)

    def _begin(self, op: int, data: dict[str, Any], socket: _Socket) -> None:
        if self.close_next:
            socket.end(self.close_next.popleft())
        elif data["token"] != self.token:
            socket.end(4004)
        elif op == 2 and data["intents"] & ~self.allowed_intents:
            socket.end(4014)
        elif op == 2:
            self._identify(data["intents"], socket)
        else:
            self._resume(data["session_id"], data["seq"], socket)

    def _identify(self, intents: int, socket: _Socket) -> None:
        session = _Session(id=uuid.uuid4().hex, intents=intents, socket=socket)
        self._sessions[session.id] = session
        url = self.reconnect_url or self.gateway_url
        ready = {"v": 10, "user": _account(_bot()), "guilds": [{"id": GUILD, "unavailable": True}], "shard": [0, 1]}
        session.put("READY", ready | {"session_id": session.id, "resume_gateway_url": url, "application": {"id": APP}})

    def _resume(self, session_id: str, seq: int, socket: _Socket) -> None:
        session = self._sessions.get(session_id)
        if session is None:
            socket.send({"op": 9, "d": False})
            return
        session.socket = socket
        for event in session.events[seq:]:
            socket.send(event)
        session.put("RESUMED", {})

    def _dispatch(self, name: Any, data: Any) -> None:
        self._events.append((name, data))
        self.on_loop(self._deliver, name, data)

    def _deliver(self, name: Any, data: Any) -> None:
        with self.lock:
            for session in self._sessions.values():
                if isinstance(data, dict) and str(name).startswith("MESSAGE_"):
                    wanted = MESSAGES_OF_GUILDS if "guild_id" in data else DIRECT_MESSAGES
                    if not session.intents & wanted:
                        continue
                    session.put(name, _without_content(data))
                else:
                    session.put(name, data)

    def _to_all(self, do: Any) -> None:
        with self.lock:
            for socket in list(self._sockets):
                do(socket)

    # --- values ----------------------------------------------------------------------------------

    def _message(self, id: str, channel: str, author: dict[str, Any], content: str) -> dict[str, Any]:
        message: dict[str, Any] = {"id": id, "channel_id": channel, "author": author, "content": content, "type": 0}
        mentioned = [self.people.get(each) for each in re.findall(r"<@!?([0-9]+)>", content)]
        mentions = [_account(each) for each in mentioned if each is not None]
        mentions += [_account(_bot())] * bool(re.search(f"<@!?{BOT}>", content))
        message |= {"mentions": mentions, "attachments": [], "edited_timestamp": None, "flags": 0}
        message |= {"guild_id": GUILD, "member": {"nick": None}} if self._is_in_guild(channel) else {}
        return message

    def _is_in_guild(self, channel: str) -> bool:
        return channel == GROUP or channel in self.threads

    def _is_known(self, channel: str) -> bool:
        return self._is_in_guild(channel) or channel in {direct_chat(each) for each in self.people.values()}

    def _next_id(self) -> str:
        self._number += 1
        return str(self._number)


def direct_chat(user: User) -> str:
    """Return the id of the direct chat between a person and the bot."""
    return f"9{user.id}"


def _bot() -> User:
    return User(BOT, "cabinet", is_bot=True)


def _account(user: User) -> dict[str, Any]:
    name = {"username": user.name.lower(), "global_name": None if user.is_bot else user.name, "discriminator": "0"}
    return {"id": user.id, **name, **({"bot": True} if user.is_bot else {})}


def _without_content(message: dict[str, Any]) -> dict[str, Any]:
    """Return what a bot without the privileged intent gets of a message."""
    author, mentions = message.get("author"), message.get("mentions")
    is_own = isinstance(author, dict) and author.get("id") == BOT
    is_mentioned = isinstance(mentions, list) and any(each.get("id") == BOT for each in mentions)
    if "guild_id" not in message or is_own or is_mentioned:
        return message
    return message | {"content": "", "attachments": []}


def _buttons(arguments: dict[str, Any]) -> list[dict[str, Any]]:
    return [button for row in arguments.get("components") or [] for button in row["components"]]


def _are_buttons(arguments: dict[str, Any]) -> bool:
    buttons = _buttons(arguments)
    return (
        all(row["type"] == 1 and 0 < len(row["components"]) <= MAX_IN_ROW for row in arguments.get("components") or [])
        and all(
            each["type"] == 2
            and each["style"] in (1, 2, 3, 4)
            and 0 < len(each["label"]) <= MAX_LABEL
            and 0 < len(each["custom_id"]) <= MAX_CUSTOM_ID
            for each in buttons
        )
        and len({each["custom_id"] for each in buttons}) == len(buttons)
    )


def _refusal(status: int, code: int, message: str) -> Reply:
    return status, {}, {"message": message, "code": code}


def _fault_reply(fault: Fault) -> Reply:
    if fault.kind == "rate":
        headers = {"Retry-After": str(int(fault.seconds + 0.999)), "X-RateLimit-Remaining": "0"}
        headers |= {"X-RateLimit-Reset-After": str(fault.seconds), "X-RateLimit-Scope": "user"}
        body = {"message": "You are being rate limited.", "retry_after": fault.seconds, "global": False}
        return 429, headers, body
    if fault.kind == "refused":
        return _refusal(fault.status, fault.code, "Missing Permissions")
    if fault.kind == "no_json":
        return 200, {"Content-Type": "text/html"}, {}
    return 502, {}, {"message": "502: Bad Gateway", "code": 0}


_CALLS = (
    ("GET", "users/@me", "get_me"),
    ("GET", "gateway/bot", "get_gateway"),
    ("POST", r"channels/(\d+)/messages", "create_message"),
    ("PATCH", r"channels/(\d+)/messages/(\d+)", "edit_message"),
    ("POST", r"channels/(\d+)/typing", "type"),
    ("POST", r"interactions/(\d+)/([^/]+)/callback", "respond"),
    ("POST", r"webhooks/(\d+)/([^/]+)", "follow_up"),
)


class _Api(LocalHandler):
    def initialize(self, discord: DiscordServer) -> None:
        self.discord = discord

    def get(self, path: str) -> None:
        self._call(path)

    def post(self, path: str) -> None:
        self._call(path)

    def patch(self, path: str) -> None:
        self._call(path)

    def _call(self, path: str) -> None:
        authorization = self.request.headers.get("Authorization", "")
        arguments = json.loads(self.request.body or b"{}")
        self.answer(self.discord.call(self.request.method or "", path, authorization, arguments))


class _Socket(LocalSocket):
    def initialize(self, discord: DiscordServer) -> None:
        self.discord = discord
        self.is_ended = False  # by the server

    def opened(self) -> None:
        self.discord.opened(self)

    def end(self, code: int) -> None:
        """Close the connection with a code. 0: cut it."""
        self.is_ended = True
        if code:
            self.close(code, "closed")
        else:
            self.cut()

    def send(self, payload: dict[str, Any]) -> None:
        self.write_message(json.dumps(payload))

    def on_message(self, message: str | bytes) -> None:
        self.discord.take(message if isinstance(message, str) else message.decode(), self)

    def on_close(self) -> None:
        self.discord.closed(self)

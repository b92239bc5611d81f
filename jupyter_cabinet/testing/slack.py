"""A local Slack for tests, on 127.0.0.1: the Web API, Socket Mode over WebSockets, refusals and faults on demand.

Made from https://docs.slack.dev: Web API, Socket Mode, Events API and Block Kit. It checks what Slack checks: tokens,
membership, the length of texts, the form of blocks. An event that is not acknowledged comes again, after a while or on
the next socket; the press of a button does not. Tests act as people: they write, edit and press buttons.
"""

from __future__ import annotations

import json
import re
import uuid
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal

from .local_server import LocalHandler, LocalServer, LocalSocket

BOT_TOKEN = "xoxb-4242424242-double-of-Slack-for-tests"  # noqa: S105 (of no real bot)
APP_TOKEN = "xapp-1-A0CABINET-double-of-Slack-for-tests"  # noqa: S105 (of no real app)
BOT_USER, BOT_ID, APP, TEAM, GROUP = "U0CABINET", "B0CABINET", "A0CABINET", "T0TEAM", "C0TEAM"
MAX_TEXT = 40_000  # characters; longer texts are cut, which is an error here
MAX_BLOCKS, MAX_ACTIONS, MAX_LABEL, MAX_VALUE = 50, 25, 75, 2000
MOST_RETRIES = 3
LAST_SECONDS = 0.3  # from the request for another socket until the old one is closed

# cut_before: the socket is cut and nothing has happened. cut_after: it has happened, and the reply is lost. no_json: a
# reply of something between. refused: with an error of Slack.
FaultKind = Literal["rate", "server_error", "cut_before", "cut_after", "no_json", "refused"]
Reply = tuple[int, dict[str, str], dict[str, Any]]


@dataclass(frozen=True)
class User:
    """An account of the workspace."""

    id: str
    name: str
    is_bot: bool = False


ADA = User("U1001", "Ada")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What the next call of a method meets. `seconds`: for `rate`, how long to wait. `error`: for `refused`."""

    method: str
    kind: FaultKind
    seconds: int = 1
    error: str = "is_archived"


@dataclass(kw_only=True)
class SentMessage:
    """A message that the bot has sent, as it is now. `ts`: its id."""

    ts: str
    channel: str
    arguments: dict[str, Any]
    thread: str = ""
    versions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def parts(self) -> list[tuple[str, bool]]:
        """The texts that people see, and whether each is a code block."""
        blocks = self.arguments.get("blocks") or []
        elements = [each for block in blocks if block["type"] == "rich_text" for each in block["elements"]]
        return [
            ("".join(part.get("text") or part["url"] for part in each["elements"]), each["type"].endswith("formatted"))
            for each in elements
        ]

    @property
    def text(self) -> str:
        """What people see."""
        return "\n".join(text for text, _ in self.parts)

    @property
    def buttons(self) -> list[tuple[str, str]]:
        """The label and the value of each button."""
        blocks = self.arguments.get("blocks") or []
        buttons = [each for block in blocks if block["type"] == "actions" for each in block["elements"]]
        return [(each["text"]["text"], each["value"]) for each in buttons]


class SlackServer(LocalServer):
    """Serves one workspace with one app while it is open: `with SlackServer() as slack: slack.url`."""

    def __init__(self, *, retry_seconds: float = 3.0) -> None:
        """`retry_seconds`: how long a delivery may stay unacknowledged."""
        super().__init__([(r"/link/", _Socket, {"slack": self}), (r"/api/(.+)", _Api, {"slack": self})])
        self.token, self.app_token = BOT_TOKEN, APP_TOKEN
        self.retry_seconds = retry_seconds
        self.people: dict[str, User] = {ADA.id: ADA}
        self.sent: list[SentMessage] = []
        self.notes: dict[str, list[str]] = {}  # what only one person sees, by their id
        self.faults: deque[Fault] = deque()
        self.calls: list[str] = []  # the methods that were called, in order
        self.socket_mode = True
        self.unacknowledged: dict[str, dict[str, Any]] = {}  # by the id of the envelope
        self.acknowledged: list[str] = []
        self._deliveries: list[tuple[str, dict[str, Any]]] = []  # type and payload
        self._tickets: set[str] = set()
        self._sockets: list[_Socket] = []
        self._number = 0

    # --- what people do ------------------------------------------------------------------------

    def write(
        self,
        text: str,
        *,
        by: User = ADA,
        channel: str = "",
        thread: str = "",
        edits: str = "",
        files: int = 0,
    ) -> str:
        """Write a message in a direct chat or a channel, and return its id. `edits`: the id of one that is changed."""
        with self.lock:
            self.people[by.id] = by
            ts = edits or self._next_ts()
            where = channel or direct_chat(by)
            message: dict[str, Any] = {"type": "message", "user": by.id, "text": text, "ts": ts}
            message |= {"thread_ts": thread} if thread else {}
            message |= {"bot_id": "B0OTHER", "subtype": "bot_message"} if by.is_bot else {}
            message |= {"subtype": "file_share", "files": [{"id": "F1"}] * files} if files else {}
            kind = "channel" if channel else "im"
            if edits:
                message["edited"] = {"user": by.id, "ts": self._next_ts()}
                changed = {"type": "message", "subtype": "message_changed", "message": message, "ts": self._next_ts()}
                self._deliver_event(changed | {"channel": where, "channel_type": kind})
            else:
                self._deliver_event(message | {"channel": where, "channel_type": kind})
            if channel and f"<@{BOT_USER}>" in text:
                self._deliver_event(message | {"type": "app_mention", "channel": where})
        return ts

    def press(self, message: SentMessage, value: str, *, by: User = ADA) -> None:
        """Press a button below a message."""
        with self.lock:
            self.people[by.id] = by
            shown = {"type": "message", "ts": message.ts, "bot_id": BOT_ID, "text": message.arguments.get("text", "")}
            shown |= {"thread_ts": message.thread} if message.thread else {}
            payload = {
                "type": "block_actions",
                "user": {"id": by.id, "username": by.name.lower(), "name": by.name, "team_id": TEAM},
                "api_app_id": APP,
                "container": {"type": "message", "message_ts": message.ts, "channel_id": message.channel},
                "channel": {"id": message.channel, "name": "directmessage"},
                "message": shown,
                "response_url": f"{self.url}/actions",
                "trigger_id": str(uuid.uuid4()),
                "actions": [{"type": "button", "action_id": "b", "value": value, "action_ts": self._next_ts()}],
            }
            self._deliver("interactive", payload)

    # --- what Slack does -----------------------------------------------------------------------

    def deliver_event(self, event: Any) -> None:
        """Deliver an event of any content."""
        with self.lock:
            self._deliver_event(event)

    def send_raw(self, content: str) -> None:
        """Send something to the sockets that is no delivery."""
        self.on_loop(self._send_to_all, content)

    def repeat_deliveries(self) -> None:
        """Deliver everything so far once more, as after an acknowledgement that was lost."""
        with self.lock:
            for kind, payload in list(self._deliveries):
                self._put(kind, payload, retry=1)

    def refresh_sockets(self, reason: str = "refresh_requested") -> None:
        """Ask for another socket, as Slack does every few hours."""
        self.on_loop(self._end_sockets, reason)

    def cut_sockets(self) -> None:
        """Cut all sockets."""
        self.on_loop(self._end_sockets, "")

    # --- the API -------------------------------------------------------------------------------

    def call(self, token: str, method: str, arguments: dict[str, Any]) -> Reply | None:
        """Carry out a call, and return status, headers and body of the reply; None: the connection is cut."""
        with self.lock:
            self.calls.append(method)
            fault = self.faults.popleft() if self.faults and self.faults[0].method == method else None
            if fault is not None and fault.kind != "cut_after":
                return None if fault.kind == "cut_before" else _fault_reply(fault)
            answer = getattr(self, "_" + re.sub("([A-Z])", r"_\1", method.replace(".", "_")).lower(), None)
            if answer is None:
                return _error("unknown_method")
            if token != (self.app_token if method == "apps.connections.open" else self.token):
                return _error("invalid_auth")
            reply: Reply = answer(arguments)
            return None if fault is not None else reply

    def _auth_test(self, arguments: dict[str, Any]) -> Reply:
        return _ok(url=f"{self.url}/", team="Team", user="cabinet", team_id=TEAM, user_id=BOT_USER, bot_id=BOT_ID)

    def _apps_connections_open(self, arguments: dict[str, Any]) -> Reply:
        ticket = uuid.uuid4().hex
        self._tickets.add(ticket)
        return _ok(url=f"ws://127.0.0.1:{self.port}/link/?ticket={ticket}&app_id={APP}")

    def _users_info(self, arguments: dict[str, Any]) -> Reply:
        found = self.people.get(str(arguments.get("user", "")))
        if found is None:
            return _error("user_not_found")
        profile = {"display_name": found.name, "real_name": found.name}
        return _ok(user={"id": found.id, "name": found.name.lower(), "is_bot": found.is_bot, "profile": profile})

    def _chat_post_message(self, arguments: dict[str, Any]) -> Reply:
        if (problem := self._problem(arguments)) is not None:
            return _error(problem)
        thread = str(arguments.get("thread_ts") or "")
        message = SentMessage(ts=self._next_ts(), channel=str(arguments["channel"]), arguments=arguments, thread=thread)
        self.sent.append(message)
        if message.channel.startswith("D"):  # an app sees its own direct messages
            own = {"type": "message", "user": BOT_USER, "bot_id": BOT_ID, "text": arguments["text"], "ts": message.ts}
            self._deliver_event(own | {"channel": message.channel, "channel_type": "im"})
        return _ok(channel=message.channel, ts=message.ts)

    def _chat_update(self, arguments: dict[str, Any]) -> Reply:
        key = (arguments.get("channel"), arguments.get("ts"))
        known = next((each for each in self.sent if (each.channel, each.ts) == key), None)
        if known is None:
            return _error("message_not_found")
        if (problem := self._problem(arguments)) is not None:
            return _error(problem)
        known.versions.append(known.arguments)
        known.arguments = {**known.arguments, **arguments}
        return _ok(channel=known.channel, ts=known.ts, text=arguments["text"])

    def _chat_post_ephemeral(self, arguments: dict[str, Any]) -> Reply:
        user = str(arguments.get("user", ""))
        if user not in self.people:
            return _error("user_not_in_channel")
        if (problem := self._problem(arguments)) is not None:
            return _error(problem)
        self.notes.setdefault(user, []).append(str(arguments["text"]))
        return _ok(message_ts=self._next_ts())

    def _problem(self, arguments: dict[str, Any]) -> str | None:
        """Return the error of a message that Slack would not take as it is."""
        text, blocks = str(arguments.get("text") or ""), arguments.get("blocks") or []
        if arguments.get("channel") not in (GROUP, *(direct_chat(each) for each in self.people.values())):
            return "channel_not_found"
        if not text and not blocks:
            return "no_text"
        if len(text) > MAX_TEXT:
            return "msg_too_long"
        return None if len(blocks) <= MAX_BLOCKS and all(map(_is_block, blocks)) else "invalid_blocks"

    # --- deliveries ------------------------------------------------------------------------------

    def opened(self, ticket: str, socket: _Socket) -> bool:
        """Accept a socket with a ticket that was not used yet, greet it, and deliver what waits."""
        with self.lock:
            if ticket not in self._tickets:
                return False
            self._tickets.remove(ticket)
            if not self.socket_mode:
                socket.send({"type": "disconnect", "reason": "link_disabled", "debug_info": {"host": "double"}})
                return True
            self._sockets.append(socket)
            greeting = {"type": "hello", "num_connections": len(self._sockets), "connection_info": {"app_id": APP}}
            socket.send(greeting)
            for envelope in self.unacknowledged.values():
                if envelope["type"] != "interactive":
                    socket.send(envelope)
            return True

    def closed(self, socket: _Socket) -> None:
        """Forget a socket."""
        with self.lock:
            if socket in self._sockets:
                self._sockets.remove(socket)

    def heard(self, content: str, socket: _Socket) -> None:
        """Take an acknowledgement, on the socket of its delivery."""
        with self.lock:
            envelope_id = json.loads(content)["envelope_id"]
            if envelope_id in socket.sent and self.unacknowledged.pop(envelope_id, None) is not None:
                self.acknowledged.append(envelope_id)

    def _deliver_event(self, event: Any) -> None:
        payload = {"type": "event_callback", "team_id": TEAM, "api_app_id": APP, "event": event}
        self._deliver("events_api", payload | {"event_id": f"Ev{uuid.uuid4().hex[:10].upper()}"})

    def _deliver(self, kind: str, payload: dict[str, Any]) -> None:
        self._deliveries.append((kind, payload))
        self._put(kind, payload, retry=0)

    def _put(self, kind: str, payload: dict[str, Any], *, retry: int) -> None:
        envelope: dict[str, Any] = {"envelope_id": str(uuid.uuid4()), "type": kind, "payload": payload}
        envelope |= {"accepts_response_payload": kind == "interactive"}
        envelope |= {"retry_attempt": retry, "retry_reason": "timeout"} if retry else {}
        self.unacknowledged[envelope["envelope_id"]] = envelope
        self.on_loop(self._send, envelope)
        if retry < MOST_RETRIES or kind == "interactive":
            self.on_loop(self.loop.call_later, self.retry_seconds, self._retry, envelope, retry + 1)

    def _send(self, envelope: dict[str, Any]) -> None:
        with self.lock:
            if self._sockets and envelope["envelope_id"] in self.unacknowledged:
                self._sockets[-1].send(envelope)

    def _retry(self, envelope: dict[str, Any], number: int) -> None:
        with self.lock:
            is_late = self.unacknowledged.pop(envelope["envelope_id"], None) is not None
            if is_late and envelope["type"] != "interactive":
                self._put(envelope["type"], envelope["payload"], retry=number)

    def _send_to_all(self, content: str) -> None:
        with self.lock:
            for socket in self._sockets:
                socket.write_message(content)

    def _end_sockets(self, reason: str) -> None:
        with self.lock:
            for socket in list(self._sockets):
                if reason:
                    socket.send({"type": "disconnect", "reason": reason, "debug_info": {"host": "double"}})
                    self.loop.call_later(LAST_SECONDS, socket.close)
                else:
                    socket.cut()

    def _next_ts(self) -> str:
        self._number += 1
        return f"{1_700_000_000 + self._number}.{self._number:06d}"


def direct_chat(user: User) -> str:
    """Return the id of the direct chat between a person and the bot."""
    return f"D{user.id[1:]}"


def _is_block(block: dict[str, Any]) -> bool:
    elements = block.get("elements") or []
    if block.get("type") == "rich_text":
        kinds = ("rich_text_section", "rich_text_preformatted")
        return bool(elements) and all(each["type"] in kinds and _is_rich(each["elements"]) for each in elements)
    if block.get("type") != "actions" or not 0 < len(elements) <= MAX_ACTIONS:
        return False
    names = {each["action_id"] for each in elements}
    return len(names) == len(elements) and all(
        each["type"] == "button" and 0 < len(each["text"]["text"]) <= MAX_LABEL and 0 < len(each["value"]) <= MAX_VALUE
        for each in elements
    )


def _is_rich(elements: list[dict[str, Any]]) -> bool:
    return bool(elements) and all(
        bool(each.get("text")) if each["type"] == "text" else each["type"] == "link" and "://" in each["url"]
        for each in elements
    )


def _ok(**fields: Any) -> Reply:
    return 200, {}, {"ok": True, **fields}


def _error(code: str) -> Reply:
    return 200, {}, {"ok": False, "error": code}


def _fault_reply(fault: Fault) -> Reply:
    if fault.kind == "rate":
        return 429, {"Retry-After": str(fault.seconds)}, {"ok": False, "error": "ratelimited"}
    if fault.kind == "refused":
        return 200, {}, {"ok": False, "error": fault.error, "needed": "chat:write"}
    if fault.kind == "no_json":
        return 200, {"Content-Type": "text/html"}, {}
    return 502, {}, {"ok": False, "error": "internal_error"}


class _Api(LocalHandler):
    def initialize(self, slack: SlackServer) -> None:
        self.slack = slack

    def get(self, method: str) -> None:
        self._call(method)

    def post(self, method: str) -> None:
        self._call(method)

    def _call(self, method: str) -> None:
        token = self.request.headers.get("Authorization", "").removeprefix("Bearer ")
        arguments: dict[str, Any] = {name: self.get_argument(name) for name in self.request.arguments}
        if self.request.headers.get("Content-Type", "").startswith("application/json"):
            arguments |= json.loads(self.request.body or b"{}")
        self.answer(self.slack.call(token, method, arguments))


class _Socket(LocalSocket):
    def initialize(self, slack: SlackServer) -> None:
        self.slack = slack
        self.sent: set[str] = set()  # ids of envelopes

    def opened(self) -> None:
        if not self.slack.opened(self.get_argument("ticket", ""), self):
            self.close(code=4001)

    def send(self, content: dict[str, Any]) -> None:
        self.sent.add(content.get("envelope_id", ""))
        self.write_message(json.dumps(content))

    def on_message(self, message: str | bytes) -> None:
        self.slack.heard(message if isinstance(message, str) else message.decode(), self)

    def on_close(self) -> None:
        self.slack.closed(self)

"""A local Telegram Bot API for tests, on 127.0.0.1: real HTTP, long polling, refusals and faults on demand.

Made from https://core.telegram.org/bots/api. It checks what Telegram checks: the token, chats that know the bot, the
length of a text in UTF-16 units, the bounds of entities, the size of a button's data. Tests act as people: they write,
edit and press buttons.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self
from urllib.parse import parse_qsl

TOKEN = "4242424242:AAHdouble-of-Telegram_for-tests_1234"  # noqa: S105 (of no real bot)
BOT: dict[str, Any] = {"id": 4242424242, "is_bot": True, "first_name": "Cabinet", "username": "cabinet_test_bot"}
MAX_LENGTH = 4096  # UTF-16 units
MAX_BUTTON_BYTES = 64

# cut_before: the socket is cut and nothing has happened. cut_after: it has happened, and the reply is lost.
FaultKind = Literal["rate", "server_error", "cut_before", "cut_after", "unauthorized", "blocked"]


@dataclass(frozen=True)
class User:
    """An account on Telegram."""

    id: int
    name: str
    is_bot: bool = False


@dataclass(frozen=True)
class Group:
    """A group, or a topic of it. `id`: negative, as at Telegram."""

    id: int
    thread: int | None = None


ADA = User(1001, "Ada")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What the next call of a method meets. `seconds`: for `rate`, how long to wait."""

    method: str
    kind: FaultKind
    seconds: int = 1


@dataclass(kw_only=True)
class SentMessage:
    """A message that the bot has sent, as it is now. `versions`: its former texts."""

    id: int
    chat: int
    text: str
    thread: int | None = None
    entities: list[dict[str, Any]] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)


class TelegramServer:
    """Serves one bot while it is open: `with TelegramServer() as telegram: telegram.url`."""

    def __init__(self, *, token: str = TOKEN) -> None:
        self.token = token
        self.sent: list[SentMessage] = []
        self.faults: deque[Fault] = deque()
        self.answers: dict[str, str] = {}  # to presses of buttons, by the id of the press
        self.calls: list[str] = []  # the methods that were called, in order
        self.polls = 0  # requests for updates that wait now
        self.always: Fault | None = None
        self._updates: list[dict[str, Any]] = []
        self._known_chats: set[int] = set()
        self._presses: set[str] = set()
        self._next_update, self._next_message = 1, 1
        self._poll_number = 0
        self._confirmed = 0  # updates before this number are forgotten
        self._repeated = False
        self._changed = threading.Condition()
        self._closed = False
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._http.shutdown()
        self._http.server_close()

    # --- what people do ------------------------------------------------------------------------

    def write(
        self,
        text: str,
        *,
        by: User = ADA,
        group: Group | None = None,
        reply_to_bot: bool = False,
        photos: int = 0,
        edits: int | None = None,
    ) -> int:
        """Write a message to the bot, directly or in a group, and return its id. Mentions become entities.

        `edits`: the id of a message that is edited instead.
        """
        chat = _direct_chat(by) if group is None else _group_chat(group)
        with self._changed:
            message_id = edits or self._take_message_id()
            message: dict[str, Any] = {"message_id": message_id, "date": int(time.time()), "chat": chat}
            message |= {"from": _as_user(by), "text": text}
            if entities := _entities(text):
                message["entities"] = entities
            if group is not None and group.thread is not None:
                message |= {"message_thread_id": group.thread, "is_topic_message": True}
            if reply_to_bot:
                message["reply_to_message"] = {"message_id": 1, "date": 0, "chat": chat, "from": BOT, "text": "?"}
            if photos:
                message["photo"] = [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1}]
                message["caption"] = message.pop("text")
            self._known_chats.add(chat["id"])
            self._add_update({"edited_message" if edits else "message": message})
        return message_id

    def press(self, message: SentMessage, label: str, *, by: User = ADA) -> str:
        """Press a button below a message, and return the id of the press."""
        return self.press_with(next(data for shown, data in message.buttons if shown == label), message, by=by)

    def press_with(self, data: str, message: SentMessage, *, by: User = ADA) -> str:
        """Press a button with other data, as a changed client can."""
        chat = _direct_chat(User(message.chat, by.name)) if message.chat > 0 else _group_chat(Group(message.chat))
        shown = {"message_id": message.id, "date": int(time.time()), "chat": chat, "from": BOT, "text": message.text}
        with self._changed:
            press_id = f"press-{self._next_update}"
            self._presses.add(press_id)
            press = {"id": press_id, "from": _as_user(by), "message": shown, "chat_instance": "1", "data": data}
            self._add_update({"callback_query": press})
        return press_id

    def deliver(self, content: dict[str, Any]) -> None:
        """Deliver an update of any content, as a later version of the API may."""
        with self._changed:
            self._add_update(content)

    def repeat_updates(self) -> None:
        """Deliver all updates so far once more, as after a reply that was lost."""
        with self._changed:
            self._repeated = True
            self._changed.notify_all()

    # --- what tests see ------------------------------------------------------------------------

    def wait_until(self, holds: Callable[[], bool], *, seconds: float = 20, what: str = "it") -> None:
        """Wait until something holds after a call. Raises `TimeoutError`."""
        with self._changed:
            if not self._changed.wait_for(holds, seconds):
                raise TimeoutError(f"{what} did not happen within {seconds} s; sent: {[s.text for s in self.sent]}")

    def texts(self, chat: int | None = None) -> list[str]:
        """Return the texts of the messages that the bot has sent, in order."""
        return [each.text for each in self.sent if chat in (None, each.chat)]

    def wait_for_text(self, part: str, *, seconds: float = 20) -> SentMessage:
        """Wait for a message with this text in it, and return it. Raises `TimeoutError`."""
        self.wait_until(lambda: any(part in each.text for each in self.sent), seconds=seconds, what=f"“{part}”")
        return next(each for each in reversed(self.sent) if part in each.text)

    # --- the API -------------------------------------------------------------------------------

    def call(self, token: str, method: str, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """Carry out a call, and return status and body of the reply; None: the socket is cut."""
        with self._changed:
            self.calls.append(method)
            fault = self._take_fault(method)
            if fault is not None and fault.kind != "cut_after":
                return None if fault.kind == "cut_before" else _fault_reply(fault)
            if token != self.token:
                return _error(401, "Unauthorized")
            answer = getattr(self, re.sub("([A-Z])", r"_\1", f"_{method}").lower(), None)
            reply = _error(404, "Not Found: method not found") if answer is None else answer(arguments)
            self._changed.notify_all()
            return None if fault is not None else reply

    def _take_fault(self, method: str) -> Fault | None:
        if self.always is not None and self.always.method in (method, "*"):
            return self.always
        if self.faults and self.faults[0].method in (method, "*"):
            return self.faults.popleft()
        return None

    def _get_me(self, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return _ok(BOT)

    def _get_updates(self, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Wait for updates behind the offset. A later request ends an earlier one, as at Telegram."""
        self._confirmed = offset = max(self._confirmed, int(arguments.get("offset") or 0))
        self._poll_number += 1
        mine, ends = self._poll_number, time.monotonic() + int(arguments.get("timeout") or 0)
        self.polls += 1
        self._changed.notify_all()
        try:
            while not (found := self._due(offset)) and not self._closed:
                if self._poll_number != mine:
                    return _error(409, "Conflict: terminated by other getUpdates request")
                left = ends - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
        finally:
            self.polls -= 1
        return _ok(found[:100])

    def _due(self, offset: int) -> list[dict[str, Any]]:
        if self._repeated:
            self._repeated = False
            return list(self._updates)
        return [each for each in self._updates if each["update_id"] >= offset]

    def _send_message(self, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        chat, text = int(arguments["chat_id"]), str(arguments.get("text", ""))
        refusal = self._refusal(chat, text, arguments)
        if refusal is not None:
            return refusal
        thread = arguments.get("message_thread_id")
        message = SentMessage(
            id=self._take_message_id(),
            chat=chat,
            text=text,
            thread=int(thread) if thread else None,
            entities=arguments.get("entities") or [],
            buttons=_buttons(arguments),
        )
        self.sent.append(message)
        return _ok(_as_message(message))

    def _edit_message_text(self, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        chat, id, text = int(arguments["chat_id"]), int(arguments["message_id"]), str(arguments["text"])
        known = next((each for each in self.sent if (each.chat, each.id) == (chat, id)), None)
        if known is None:
            return _error(400, "Bad Request: message to edit not found")
        if known.text == text and known.buttons == _buttons(arguments):
            return _error(400, "Bad Request: message is not modified")
        if (refusal := self._refusal(chat, text, arguments)) is not None:
            return refusal
        known.versions.append(known.text)
        known.text, known.buttons = text, _buttons(arguments)
        return _ok(_as_message(known))

    def _send_chat_action(self, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return _ok(True)

    def _answer_callback_query(self, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        id = str(arguments["callback_query_id"])
        if id not in self._presses:
            return _error(400, "Bad Request: query is too old and response timeout expired or query ID is invalid")
        if len(str(arguments.get("text", ""))) > 200:
            return _error(400, "Bad Request: MESSAGE_TOO_LONG")
        self.answers[id] = str(arguments.get("text", ""))
        return _ok(True)

    def _refusal(self, chat: int, text: str, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        if chat not in self._known_chats:
            return _error(400, "Bad Request: chat not found")
        if not text.strip():
            return _error(400, "Bad Request: message text is empty")
        if _units(text) > MAX_LENGTH:
            return _error(400, "Bad Request: message is too long")
        for entity in arguments.get("entities") or []:
            if entity["offset"] < 0 or entity["offset"] + entity["length"] > _units(text):
                return _error(400, "Bad Request: ENTITY_BOUNDS_INVALID")
        if any(len(data.encode()) > MAX_BUTTON_BYTES for _, data in _buttons(arguments)):
            return _error(400, "Bad Request: BUTTON_DATA_INVALID")
        return None

    def _take_message_id(self) -> int:
        self._next_message += 1
        return self._next_message - 1

    def _add_update(self, content: dict[str, Any]) -> None:
        self._updates.append({"update_id": self._next_update, **content})
        self._next_update += 1
        self._changed.notify_all()


def _as_user(user: User) -> dict[str, Any]:
    return {"id": user.id, "is_bot": user.is_bot, "first_name": user.name}


def _direct_chat(user: User) -> dict[str, Any]:
    return {"id": user.id, "type": "private", "first_name": user.name}


def _group_chat(group: Group) -> dict[str, Any]:
    return {"id": group.id, "type": "supergroup", "title": f"Group {-group.id}"}


def _ok(result: object) -> tuple[int, dict[str, Any]]:
    return 200, {"ok": True, "result": result}


def _error(code: int, description: str, **parameters: Any) -> tuple[int, dict[str, Any]]:
    body: dict[str, Any] = {"ok": False, "error_code": code, "description": description}
    return code, body | ({"parameters": parameters} if parameters else {})


def _fault_reply(fault: Fault) -> tuple[int, dict[str, Any]]:
    if fault.kind == "rate":
        return _error(429, f"Too Many Requests: retry after {fault.seconds}", retry_after=fault.seconds)
    if fault.kind == "unauthorized":
        return _error(401, "Unauthorized")
    if fault.kind == "blocked":
        return _error(403, "Forbidden: bot was blocked by the user")
    return _error(502, "Bad Gateway")


def _as_message(message: SentMessage) -> dict[str, Any]:
    chat = {"id": message.chat, "type": "private" if message.chat > 0 else "supergroup"}
    return {"message_id": message.id, "date": int(time.time()), "chat": chat, "from": BOT, "text": message.text}


def _buttons(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    rows: Sequence[Sequence[dict[str, str]]] = (arguments.get("reply_markup") or {}).get("inline_keyboard", [])
    return [(button["text"], button["callback_data"]) for row in rows for button in row]


def _entities(text: str) -> list[dict[str, Any]]:
    """Return the mentions and commands of a text, as Telegram's clients mark them."""
    found, at = [], 0
    for word in text.split(" "):
        kind = "mention" if word.startswith("@") and len(word) > 1 else "bot_command" if word.startswith("/") else ""
        if kind and (kind == "mention" or at == 0):
            found.append({"type": kind, "offset": at, "length": _units(word)})
        at += _units(word) + 1
    return found


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _handler_for(server: TelegramServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            arguments = _arguments(self.headers.get("Content-Type", ""), self.rfile.read(length).decode())
            parts = self.path.strip("/").split("/")
            token = parts[0].removeprefix("bot") if len(parts) == 2 else ""
            reply = server.call(token, parts[-1], arguments)
            if reply is None:
                self.close_connection = True
                self.connection.close()
                return
            status, body = reply
            content = json.dumps(body).encode()
            with suppress(ConnectionError):  # the bot was killed
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Tests read `calls` instead."""

    return Handler


_STRUCTURED = ("entities", "reply_markup", "allowed_updates", "link_preview_options")


def _arguments(kind: str, body: str) -> dict[str, Any]:
    """Read the arguments of a call, as JSON or as a form. In a form, structured ones are JSON."""
    if kind.startswith("application/json"):
        return dict(json.loads(body or "{}"))
    pairs = parse_qsl(body, keep_blank_values=True)
    return {name: json.loads(value) if name in _STRUCTURED else value for name, value in pairs}

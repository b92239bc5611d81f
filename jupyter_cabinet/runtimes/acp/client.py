"""The dialogue with an agent that speaks the Agent Client Protocol, version 1.

Pure: no process, no clock. Made by `runtime.py`. It covers exactly one answer: initialize, a new or an existing
session, its mode and model, the prompt. We offer the agent no services: it reads files and runs commands by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from ...core.version import VERSION
from ..model import (
    AnswerFinished,
    AnyAgentEvent,
    Failure,
    Outcome,
    PermissionMode,
    QuestionAnswered,
    Request,
    ToolCall,
    Usage,
    UsageReported,
    Warned,
)
from ..port import Exit
from ..shared.instruction_escaping import plain_instruction
from ..shared.messages.content_blocks import blocks
from ..shared.messages.json_stream import JsonStream
from ..shared.messages.json_values import string
from ..shared.system_text import with_system_text
from . import failures, messages
from .answer import AcpAnswer, usage_of
from .modes import Offer, mode_for, models_of, modes_of
from .notices import greeting
from .questions import Options, asked_of, chosen, described, is_refusal, question
from .rpc import INVALID_PARAMS, METHOD_NOT_FOUND, Rpc

_MODE, _MODEL = "session/set_mode", "session/set_model"
# Gemini CLI 0.61.0 reports nothing else about a tool server that did not start, and reports it only at the end.
_TOOL_SERVERS = "MCP issues detected"


class AcpClient(JsonStream):
    """`kept`: the permission modes that the way of starting the agent already enforces."""

    def __init__(self, request: Request, title: str, kept: tuple[PermissionMode, ...] = ()) -> None:
        super().__init__(request)
        self.title = title
        self._kept = kept
        self._rpc = Rpc()
        self._answer = AcpAnswer(title)
        self._steps: list[tuple[str, dict[str, Any]]] = []  # before the prompt
        self._session = ""
        # updates before the prompt are not part of the answer: earlier messages of the session, a change of mode
        self._prompted = False
        self._logins: tuple[str, ...] = ()
        # open questions: the agent's own id, the action, the possible answers
        self._questions: dict[str, tuple[Any, str, Options]] = {}
        self._refused = ""  # what a person denied last
        self._stop = ""
        self._usage: Usage | None = None
        self._failure: Failure | None = None

    # --- the port --------------------------------------------------------------------------------

    def start(self) -> bytes:
        self._rpc.ask("initialize", messages.initialize(VERSION))
        return self._rpc.take()

    def outgoing(self) -> bytes | None:
        piece = self._rpc.take()
        return piece if piece or not (self._stop or self._failure) else None

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """Return the bytes that answer a question; empty if it is not open.

        The note is lost: the protocol cannot deliver it.
        """
        if question_id not in self._questions:
            return b""
        request_id, what, options = self._questions.pop(question_id)
        self._refused = what if is_refusal(option, options) else ""
        self._rpc.reply(request_id, messages.answered(option or None))
        return self._rpc.take()

    def usage(self) -> Usage | None:
        return self._usage

    def cost_usd(self) -> float | None:
        """Return the cost of this run; None if it is not known.

        Agents that report a cost report that of the whole session, including earlier processes, so the cost before is
        subtracted.
        """
        cost, before = self._answer.cost, self._request.session_cost_before_usd
        if cost is None or not self._request.resume:
            return cost
        return None if before is None else max(0.0, cost - before)

    def finish(self, exit: Exit | None) -> Outcome:
        return msgspec.structs.replace(super().finish(exit), session_cost_usd=self._answer.cost)

    def failed(self, exit: Exit) -> Failure | None:
        if self._failure:
            return self._failure
        if not self._stop:
            return failures.of_exit(exit, self.stderr, self.title)
        answer, failure = self._answer, failures.of_stop(self._stop, self.title)
        if answer.denied and (failure is None or failure.kind == "cancelled"):
            return failures.of_denial(
                answer.denied, self.title
            )  # if it was done in another way, the run succeeded; if it was denied in the end, it failed
        if failure is None and not answer.text and not answer.worked:  # pi-acp reports this for an answer that failed
            failure = failures.of_no_answer(answer.notices, self.title)
        return failures.of_refusal(self._refused, self.title) if failure and self._refused else failure

    def read_stderr(self) -> list[AnyAgentEvent]:
        if _TOOL_SERVERS not in self.stderr or not self._request.mcp_servers:
            return []
        return self.warn(_TOOL_SERVERS, f"A tool server could not be started by {self.title}.")

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        if self._stop or self._failure:
            return []
        if "method" not in line:
            return self._response(line)
        if "id" in line:
            return self._requested(line)
        params = line.get("params")
        update = params.get("update") if isinstance(params, dict) else None
        if line["method"] != "session/update" or not isinstance(update, dict) or not self._prompted:
            return []
        return self._answer.read(update)

    # --- step by step ------------------------------------------------------------------------------

    def _response(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        method = self._rpc.answered(line)
        if method is None:
            return []
        if "error" in line:
            loading = method == "session/load"
            return self._fail(failures.of_error(line["error"], self.title, loading=loading, logins=self._logins))
        result = line.get("result")
        steps: dict[str, Callable[[dict[str, Any]], list[AnyAgentEvent]]] = {
            "initialize": self._initialized,
            "session/new": self._opened,
            "session/load": self._opened,
            "session/prompt": self._answered,
        }
        return steps.get(method, self._next)(result if isinstance(result, dict) else {})

    def _initialized(self, result: dict[str, Any]) -> list[AnyAgentEvent]:
        version, able, about = (result.get(name) for name in ("protocolVersion", "agentCapabilities", "agentInfo"))
        if version != messages.PROTOCOL_VERSION:
            told = f"{self.title} speaks version {version} of the protocol, we speak {messages.PROTOCOL_VERSION}."
            return self._fail(Failure(kind="unknown", message=told))
        self._answer.agent = string(about, "name") if isinstance(about, dict) else ""
        self._logins = tuple(string(way, "name") for way in blocks(result.get("authMethods")) if string(way, "name"))
        request = self._request
        if request.resume is None:
            self._rpc.ask("session/new", messages.new_session(request.cwd, request.mcp_servers))
            return []
        if not isinstance(able, dict) or able.get("loadSession") is not True:
            return self._fail(Failure(kind="session_gone", message=f"{self.title} cannot continue a session."))
        self._session = request.resume
        self._rpc.ask("session/load", messages.load_session(self._session, request.cwd, request.mcp_servers))
        return []

    def _opened(self, result: dict[str, Any]) -> list[AnyAgentEvent]:
        self._session = self._session or string(result, "sessionId")
        self._answer.greeting = greeting(result)
        models = models_of(result)
        started = self.started(self._session, models.current if models and models.current else None)
        failure = self._choose_mode(modes_of(result)) or self._choose_model(models)
        return [*started, *(self._fail(failure) if failure else [*self._ignored(models), *self._next({})])]

    def _choose_mode(self, offered: Offer | None) -> Failure | None:
        wanted = self._request.permission_mode
        mode = mode_for(wanted, offered)
        if mode is None:
            if wanted == "bypass" or wanted in self._kept:  # this mode allows whatever the agent asks
                return None
            told = f"{self.title} offers no mode that is known to enforce {wanted!r}. Choose another mode or agent."
            return Failure(kind="permission_denied", message=told)
        # after a resume always: Gemini CLI replies before it has finished sending the earlier messages again
        if offered is not None and (mode != offered.current or self._request.resume):
            self._steps.append(self._choice(_MODE, offered, mode))
        return None

    def _choose_model(self, offered: Offer | None) -> Failure | None:
        wanted = self._request.model
        if wanted is None or offered is None or wanted == offered.current:
            return None
        if wanted not in offered.values:
            told = f"{self.title} does not offer the model {wanted}."
            return Failure(kind="model_unavailable", message=told)
        self._steps.append(self._choice(_MODEL, offered, wanted))
        return None

    def _ignored(self, offered: Offer | None) -> list[AnyAgentEvent]:
        wanted = self._request.model
        if wanted is None or offered is not None:
            return []
        return [Warned(message=f"{self.title} offers no models, so the model {wanted} is ignored.")]

    def _choice(self, method: str, offered: Offer, value: str) -> tuple[str, dict[str, Any]]:
        if offered.option:
            return "session/set_config_option", messages.set_option(self._session, offered.option, value)
        if method == _MODE:
            return method, messages.set_mode(self._session, value)
        # the protocol's package no longer has this request
        return method, {"sessionId": self._session, "modelId": value}

    def _next(self, result: dict[str, Any]) -> list[AnyAgentEvent]:
        if self._steps:
            self._rpc.ask(*self._steps.pop(0))
            return []
        self._prompted = True
        request = self._request
        text = with_system_text(request) if request.system else plain_instruction(request.prompt)
        self._rpc.ask("session/prompt", messages.prompt(self._session, text))
        return []

    def _answered(self, result: dict[str, Any]) -> list[AnyAgentEvent]:
        whole = self._over()
        self._stop, self._usage = string(result, "stopReason") or "none given", usage_of(result)
        self.text = self._answer.text
        told: list[AnyAgentEvent] = []
        if self._usage:
            told.append(UsageReported(usage=self._usage, cost_usd=self.cost_usd()))
        return [*whole, *told, AnswerFinished(text="" if self.failed(Exit()) else self.text)]

    def _fail(self, failure: Failure) -> list[AnyAgentEvent]:
        whole = self._over()
        self._failure = failure
        return [*whole, AnswerFinished()]

    def _over(self) -> list[AnyAgentEvent]:
        gone = [QuestionAnswered(question_id=question_id) for question_id in self._questions]
        self._questions.clear()
        return [*gone, *self._answer.ended()]

    # --- the agent's questions ----------------------------------------------------------------------

    def _requested(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        params = line.get("params")
        if line["method"] != "session/request_permission":
            self._rpc.refuse(line["id"], METHOD_NOT_FOUND)
            return []
        options = messages.permission(params)
        if options is None or not isinstance(params, dict):
            self._rpc.refuse(line["id"], INVALID_PARAMS)
            return []
        before = self._answer.whole()
        told, call = self._answer.tools.asked(params.get("toolCall"))
        return [*before, *told, *self._decide(line["id"], call, options)]

    def _decide(self, request_id: Any, call: ToolCall, options: Options) -> list[AnyAgentEvent]:
        """Decide whether a person can be asked.

        Only in the mode `ask` can somebody answer; `edit` allows no more than the agent's own mode does. Calls of a
        tool server of the run are allowed because the run has that server.
        """
        servers = tuple(server.name for server in self._request.mcp_servers)
        of_server = self._answer.tools.is_of_server(call.call_id, servers)
        if self._request.permission_mode == "ask" and not of_server:
            question_id = json.dumps(request_id)
            self._questions[question_id] = request_id, described(call), options
            asks = asked_of(self._answer.tools.known(call.call_id), servers)
            return [question(question_id, self.title, call, asks, options)]
        granted = self._request.permission_mode == "bypass" or of_server
        self._rpc.reply(request_id, messages.answered(chosen(options, granted=granted)))
        if granted:
            return []
        self._answer.denied = described(call)
        return [Warned(message=f"{self.title} was not allowed to use {described(call)}")]

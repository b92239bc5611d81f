"""OpenAI's Chat Completions API as the suite's model server speaks it: reading a request, writing an answer.

Pure: no sockets here. Called by `model_server.py`; same functions as `anthropic_dialect.py`. Many CLIs use it with
their own services. Format: its public documentation, streaming with server-sent events (November 2026).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .model_script import Answer, ModelRequest
from .tool_spelling import spell

CHUNK_CHARACTERS = 24
# Text that CLIs put into a conversation as if a person had said it: reminders, and OpenClaw's notes about its own work.
NOTES = ("<system-reminder>", "<environment_context>", "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>")


def serves(path: str) -> bool:
    """Whether a request to this path is one of this API."""
    return path.endswith("/chat/completions")


def streams(path: str, body: dict[str, Any]) -> bool:
    """Whether the request wants its answer as a stream."""
    return body.get("stream") is True


def read(path: str, headers: dict[str, str], body: dict[str, Any]) -> ModelRequest:
    """Parse a request to `/v1/chat/completions`."""
    messages = body.get("messages") or []
    prompts = [place for place, message in enumerate(messages) if _own_text(message)]
    last = prompts[-1] if prompts else 0
    functions = [tool.get("function") or {} for tool in body.get("tools") or []]
    return ModelRequest(
        path=path,
        headers=headers,
        body=body,
        prompt=_own_text(messages[last]) if messages else "",
        turn=sum(message.get("role") == "assistant" for message in messages[last:]),
        system="\n".join(_text(each) for each in messages if each.get("role") in ("system", "developer")),
        tools={each["name"]: each.get("parameters") or {} for each in functions if "name" in each},
    )


def message(asked: ModelRequest, answer: Answer, number: int) -> dict[str, Any]:
    """The answer as one JSON object."""
    calls = list(_calls(asked, answer, number))
    said = {"role": "assistant", "content": answer.text or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": said, "finish_reason": _reason(answer), "logprobs": None}
    return {**_head(asked, number, "chat.completion"), "choices": [choice], "usage": _usage(answer)}


def stream(asked: ModelRequest, answer: Answer, number: int) -> Iterator[bytes]:
    """The answer as server-sent events."""
    head = _head(asked, number, "chat.completion.chunk")
    yield _event(head, {"role": "assistant", "content": ""})
    for start in range(0, len(answer.text), CHUNK_CHARACTERS):
        yield _event(head, {"content": answer.text[start : start + CHUNK_CHARACTERS]})
    for place, call in enumerate(_calls(asked, answer, number)):
        yield from _call_events(head, place, call)
    yield _event(head, {}, _reason(answer))
    yield _line({**head, "choices": [], "usage": _usage(answer)})
    yield b"data: [DONE]\n\n"


def error(answer: Answer) -> dict[str, Any]:
    """The body of a refused request."""
    return {"error": {"message": answer.text or "scripted fault", "type": answer.error_type, "code": None}}


def _head(asked: ModelRequest, number: int, kind: str) -> dict[str, Any]:
    model = asked.body.get("model", "scripted")
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 1_700_000_000, "model": model}


def _calls(asked: ModelRequest, answer: Answer, number: int) -> Iterator[dict[str, Any]]:
    for place, use in enumerate(answer.tools):
        name, arguments = spell(use, asked.tools)
        function = {"name": name, "arguments": json.dumps(arguments)}
        yield {"id": f"call_{number}_{place}", "type": "function", "function": function}


def _call_events(head: dict[str, Any], place: int, call: dict[str, Any]) -> Iterator[bytes]:
    """The first piece names the call; the following ones contain its arguments."""
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    yield _event(head, {"tool_calls": [{**call, "index": place, "function": {"name": name, "arguments": ""}}]})
    for start in range(0, len(arguments), CHUNK_CHARACTERS):
        piece = {"index": place, "function": {"arguments": arguments[start : start + CHUNK_CHARACTERS]}}
        yield _event(head, {"tool_calls": [piece]})


def _reason(answer: Answer) -> str:
    return answer.stop_reason or ("tool_calls" if answer.tools else "stop")


def _usage(answer: Answer) -> dict[str, int]:
    total = answer.input_tokens + answer.output_tokens
    return {"prompt_tokens": answer.input_tokens, "completion_tokens": answer.output_tokens, "total_tokens": total}


def _event(head: dict[str, Any], delta: dict[str, Any], reason: str | None = None) -> bytes:
    return _line({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


def _line(chunk: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()


def _own_text(message: dict[str, Any]) -> str:
    """Return what a person wrote in this message; empty for tool results and the CLI's own notes."""
    if message.get("role") != "user":
        return ""
    content = message.get("content")
    parts = [{"text": content}] if isinstance(content, str) else content or []
    texts = [part.get("text") or "" for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if not text.lstrip().startswith(NOTES)).strip()


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or "" for part in content or [] if isinstance(part, dict))

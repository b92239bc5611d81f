"""Anthropic's Messages API as the suite's model server speaks it: reading a request, writing an answer.

Pure: no sockets here. Called by `model_server.py`; another API would be another file beside this one.
Format: the public documentation of the Messages API, streaming with server-sent events (November 2026).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .model_script import Answer, ModelRequest
from .tool_spelling import spell

CHUNK_CHARACTERS = 24  # small, so that a reader sees many deltas
REMINDER = "<system-reminder>"  # Claude Code puts its own notes into user messages
INTERRUPTED = "[Request interrupted by user"  # Claude Code 2.1.329 puts the next instruction into the same message


def serves(path: str) -> bool:
    """Return whether a request to this path is one of this API."""
    return path.endswith("/messages")


def streams(path: str, body: dict[str, Any]) -> bool:
    """Return whether the request wants its answer as a stream."""
    return body.get("stream") is True


def read(path: str, headers: dict[str, str], body: dict[str, Any]) -> ModelRequest:
    """Parse a request to `/v1/messages`."""
    messages = body.get("messages") or []
    prompts = [i for i, message in enumerate(messages) if _own_text(message)]
    last = prompts[-1] if prompts else 0
    return ModelRequest(
        path=path,
        headers=headers,
        body=body,
        prompt=_own_text(messages[last]) if messages else "",
        turn=sum(message.get("role") == "assistant" for message in messages[last:]),
        system=_text(body.get("system")),
        tools={tool["name"]: tool.get("input_schema", {}) for tool in body.get("tools") or [] if "name" in tool},
    )


def message(asked: ModelRequest, answer: Answer, number: int) -> dict[str, Any]:
    """Return the answer as one JSON object, for a request that does not stream."""
    return {
        "id": f"msg_scripted_{number}",
        "type": "message",
        "role": "assistant",
        "model": asked.body.get("model", "scripted"),
        "content": _blocks(asked, answer, number),
        "stop_reason": answer.stop_reason or ("tool_use" if answer.tools else "end_turn"),
        "stop_sequence": None,
        "usage": {**_usage(answer), "output_tokens": answer.output_tokens},
    }


def stream(asked: ModelRequest, answer: Answer, number: int) -> Iterator[bytes]:
    """Yield the answer as server-sent events."""
    whole = message(asked, answer, number)
    opening = {**whole, "content": [], "stop_reason": None, "usage": {**_usage(answer), "output_tokens": 1}}
    yield _event({"type": "message_start", "message": opening})
    for index, block in enumerate(whole["content"]):
        yield from _block_events(index, block)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": answer.output_tokens}
    yield _event({"type": "message_delta", "delta": delta, "usage": usage})
    yield _event({"type": "message_stop"})


def error(answer: Answer) -> dict[str, Any]:
    """The body of a refused request."""
    return {"type": "error", "error": {"type": answer.error_type, "message": answer.text or "scripted fault"}}


def _blocks(asked: ModelRequest, answer: Answer, number: int) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    for place, use in enumerate(answer.tools):
        name, arguments = spell(use, asked.tools)
        call = {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": arguments}
        blocks.append(call)
    return blocks


def _block_events(index: int, block: dict[str, Any]) -> Iterator[bytes]:
    if block["type"] == "text":
        empty, kind, field, payload = {**block, "text": ""}, "text_delta", "text", block["text"]
    else:
        empty, kind, field = {**block, "input": {}}, "input_json_delta", "partial_json"
        payload = json.dumps(block["input"])
    yield _event({"type": "content_block_start", "index": index, "content_block": empty})
    for start in range(0, len(payload), CHUNK_CHARACTERS):
        delta = {"type": kind, field: payload[start : start + CHUNK_CHARACTERS]}
        yield _event({"type": "content_block_delta", "index": index, "delta": delta})
    yield _event({"type": "content_block_stop", "index": index})


def _event(data: dict[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def _usage(answer: Answer) -> dict[str, int]:
    return {
        "input_tokens": answer.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }


def _own_text(message: dict[str, Any]) -> str:
    """Return what a person wrote in this message; empty for tool results and the CLI's own notes."""
    if message.get("role") != "user":
        return ""
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    texts = [block.get("text", "") for block in blocks if block.get("type") == "text"]
    if any(block.get("type") == "tool_result" for block in blocks):  # only the text after a turn that was cut off
        cut = next((place for place, text in enumerate(texts) if text.startswith(INTERRUPTED)), len(texts))
        texts = texts[cut + 1 :]
    return "\n".join(text for text in texts if not text.lstrip().startswith(REMINDER)).strip()


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content or [] if isinstance(block, dict))

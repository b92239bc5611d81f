"""OpenAI's Responses API as the suite's model server speaks it: reading a request, writing an answer.

Pure: no sockets here. Called by `model_server.py`; same functions as `anthropic_dialect.py`.
Format: the public documentation of the Responses API, streaming with server-sent events (November 2026).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .model_script import Answer, ModelRequest
from .tool_spelling import spell

CHUNK_CHARACTERS = 24
# Codex puts its own notes into user messages.
NOTES = ("<environment_context>", "<user_instructions>", "<permissions instructions>", "# AGENTS.md")


def serves(path: str) -> bool:
    """Whether a request to this path is one of this API."""
    return path.endswith("/responses")


def streams(path: str, body: dict[str, Any]) -> bool:
    """Whether the request wants its answer as a stream."""
    return body.get("stream") is True


def read(path: str, headers: dict[str, str], body: dict[str, Any]) -> ModelRequest:
    """Parse a request to `/v1/responses`."""
    given = body.get("input") or []
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    prompts = [place for place, item in enumerate(items) if _own_text(item)]
    last = prompts[-1] if prompts else 0
    developer = [_text(item.get("content")) for item in items if item.get("role") == "developer"]
    return ModelRequest(
        path=path,
        headers=headers,
        body=body,
        prompt=_own_text(items[last]) if items else "",
        turn=_answers(items[last:]),
        system="\n".join([body.get("instructions") or "", *developer]),
        tools=dict(_tools(body.get("tools") or [])),
    )


def message(asked: ModelRequest, answer: Answer, number: int) -> dict[str, Any]:
    """The answer as one JSON object."""
    return {
        "id": f"resp_scripted_{number}",
        "object": "response",
        "status": "completed",
        "model": asked.body.get("model", "scripted"),
        "output": list(_items(asked, answer, number)),
        "usage": {
            "input_tokens": answer.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": answer.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": answer.input_tokens + answer.output_tokens,
        },
    }


def stream(asked: ModelRequest, answer: Answer, number: int) -> Iterator[bytes]:
    """The answer as server-sent events."""
    whole = message(asked, answer, number)
    yield _event("response.created", response={**whole, "status": "in_progress", "output": [], "usage": None})
    for place, item in enumerate(whole["output"]):
        yield _event("response.output_item.added", output_index=place, item=_opening(item))
        if item["type"] == "message":
            text = item["content"][0]["text"]
            for start in range(0, len(text), CHUNK_CHARACTERS):
                delta = text[start : start + CHUNK_CHARACTERS]
                where = {"item_id": item["id"], "output_index": place, "content_index": 0}
                yield _event("response.output_text.delta", delta=delta, **where)
        yield _event("response.output_item.done", output_index=place, item=item)
    yield _event("response.completed", response=whole)


def error(answer: Answer) -> dict[str, Any]:
    """The body of a refused request."""
    return {"error": {"message": answer.text or "scripted fault", "type": answer.error_type, "code": None}}


def _items(asked: ModelRequest, answer: Answer, number: int) -> Iterator[dict[str, Any]]:
    if answer.text:
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        yield {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    for place, use in enumerate(answer.tools):
        name, arguments = spell(use, asked.tools)
        namespace, _, plain = name.rpartition("\x1f")
        call = {
            "type": "function_call",
            "id": f"fc_{number}_{place}",
            "call_id": f"call_{number}_{place}",
            "name": plain,
            "arguments": json.dumps(arguments),
            "status": "completed",
        }
        yield {**call, "namespace": namespace} if namespace else call


def _opening(item: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
    return {**item, **empty, "status": "in_progress"}


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _answers(items: list[dict[str, Any]]) -> int:
    """Return how often the model has answered: the text and calls of one answer count once."""
    own = [item.get("role") == "assistant" or item.get("type") == "function_call" for item in items]
    return sum(now and not before for before, now in zip([False, *own], own, strict=False))


def _tools(listed: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Name → schema. A tool of a namespace (Codex: tool servers) is called `namespace<0x1f>name` here."""
    for tool in listed:
        if tool.get("type") == "namespace":
            for inner in tool.get("tools") or []:
                yield f"{tool.get('name')}\x1f{inner.get('name')}", inner.get("parameters") or {}
        elif "name" in tool:
            yield tool["name"], tool.get("parameters") or {}


def _own_text(item: dict[str, Any]) -> str:
    """Return what a person wrote; empty for everything else."""
    if item.get("role") != "user":
        return ""
    content = item.get("content")
    parts = [{"text": content}] if isinstance(content, str) else content or []
    texts = [part.get("text", "") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if not text.lstrip().startswith(NOTES)).strip()


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if isinstance(part, dict))

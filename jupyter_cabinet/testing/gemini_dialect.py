"""Google's Gemini API (`generateContent`) as the suite's model server speaks it: reading a request, writing an answer.

Pure: no sockets here. Called by `model_server.py`; same functions as `anthropic_dialect.py`.
Format: the public documentation of the Gemini API, streaming with server-sent events (November 2026).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .model_script import Answer, ModelRequest
from .tool_spelling import spell

CHUNK_CHARACTERS = 24
NOTE = "<session_context>"  # Gemini CLI's own first message
STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"} | {
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def serves(path: str) -> bool:
    """Whether a request to this path is one of this API."""
    return path.endswith((":generateContent", ":streamGenerateContent"))


def streams(path: str, body: dict[str, Any]) -> bool:
    """Whether the request wants its answer as a stream."""
    return path.endswith(":streamGenerateContent")


def read(path: str, headers: dict[str, str], body: dict[str, Any]) -> ModelRequest:
    """Parse a request to `/v1beta/models/<model>:…`."""
    contents = body.get("contents") or []
    prompts = [place for place, content in enumerate(contents) if _own_text(content)]
    last = prompts[-1] if prompts else 0
    return ModelRequest(
        path=path,
        headers=headers,
        body=body,
        prompt=_own_text(contents[last]) if contents else "",
        turn=sum(content.get("role") == "model" for content in contents[last:]),
        system=_text(body.get("systemInstruction") or {}),
        tools={
            tool["name"]: tool.get("parametersJsonSchema") or tool.get("parameters") or {}
            for group in body.get("tools") or []
            for tool in group.get("functionDeclarations") or []
        },
    )


def message(asked: ModelRequest, answer: Answer, number: int) -> dict[str, Any]:
    """The answer as one JSON object."""
    return _piece(_parts(asked, answer, number), answer, last=True)


def stream(asked: ModelRequest, answer: Answer, number: int) -> Iterator[bytes]:
    """The answer as server-sent events."""
    for part in _parts(asked, answer, number):
        text = part.get("text", "")
        for start in range(0, len(text), CHUNK_CHARACTERS):
            yield _event(_piece([{"text": text[start : start + CHUNK_CHARACTERS]}], answer, last=False))
        if "text" not in part:
            yield _event(_piece([part], answer, last=False))
    yield _event(_piece([{"text": ""}], answer, last=True))


def error(answer: Answer) -> dict[str, Any]:
    """The body of a refused request."""
    status = STATUSES.get(answer.error or 500, "UNKNOWN")
    return {"error": {"code": answer.error, "message": answer.text or "scripted fault", "status": status}}


def _piece(parts: list[dict[str, Any]], answer: Answer, *, last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if not last:
        return {"candidates": [candidate]}
    usage = {
        "promptTokenCount": answer.input_tokens,
        "candidatesTokenCount": answer.output_tokens,
        "totalTokenCount": answer.input_tokens + answer.output_tokens,
    }
    return {"candidates": [{**candidate, "finishReason": answer.stop_reason or "STOP"}], "usageMetadata": usage}


def _parts(asked: ModelRequest, answer: Answer, number: int) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": answer.text}] if answer.text else []
    for place, use in enumerate(answer.tools):
        name, arguments = spell(use, asked.tools)
        parts.append({"functionCall": {"id": f"call_{number}_{place}", "name": name, "args": arguments}})
    return parts


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\r\n\r\n".encode()


def _own_text(content: dict[str, Any]) -> str:
    """Return what a person wrote; empty for tool results and the CLI's own notes."""
    parts = content.get("parts") or []
    if content.get("role") != "user" or any("functionResponse" in part for part in parts):
        return ""
    texts = [part.get("text", "") for part in parts]
    return "\n".join(text for text in texts if not text.lstrip().startswith(NOTE)).strip()


def _text(content: dict[str, Any]) -> str:
    return "\n".join(part.get("text", "") for part in content.get("parts") or [])

"""The description of the API, made from the routes and structs. `python -m jupyter_cabinet.web.openapi` writes it.

The frontend's types are generated from `labextension/src/api/openapi.json`; a test compares both with the code. Not
imported before somebody requests the description.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from ..core.version import VERSION
from ..execution.output import OutputEnd, OutputRecord
from ..terminals.frames import AnyClientFrame, ServerFrame
from .errors import ErrorReply
from .handler import CabinetHandler
from .operation import Operation

METHODS = ("get", "post", "put", "patch", "delete")
SIGNED_WITH = ("X-Cabinet-Timestamp", "X-Cabinet-Delivery", "X-Cabinet-Signature")
REFERENCE = "#/components/schemas/{name}"
DOCUMENT = Path(__file__).parents[2] / "labextension" / "src" / "api" / "openapi.json"


def operations(handler: type[CabinetHandler]) -> dict[str, Operation]:
    """Return the marked methods of a handler."""
    marked = {name: getattr(getattr(handler, name), "operation", None) for name in METHODS}
    return {name: mark for name, mark in marked.items() if mark is not None}


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document."""
    from .routes import PREFIX, ROUTES

    named = [(distinct_names(path), handler) for path, handler in ROUTES]
    paths = {f"/{PREFIX}/{path}": _path(path, handler) for path, handler in named}
    described = {
        "openapi": "3.1.0",
        "info": {"title": "Jupyter Cabinet", "version": VERSION},
        "paths": paths,
        "components": {"schemas": _schemas()},
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(described))  # tuples become lists
    return plain


def distinct_names(path: str) -> str:
    """Return a path whose parameters have distinct names: `plans/{id}/steps/{id}` is `plans/{id}/steps/{step_id}`."""
    seen: set[str] = set()

    def renamed(found: re.Match[str]) -> str:
        noun, name = found[1], found[2]
        distinct = f"{noun.removesuffix('s')}_{name}" if name in seen else name
        seen.add(name)
        return f"{noun}/{{{distinct}}}"

    return re.sub(r"([\w-]+)/{(\w+)}", renamed, path)


def _path(path: str, handler: type[CabinetHandler]) -> dict[str, Any]:
    item: dict[str, Any] = {name: _operation(mark, handler) for name, mark in operations(handler).items()}
    names = re.findall(r"{(\w+)}", path)
    if names:
        item["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
        ]
    return item


def _operation(mark: Operation, handler: type[CabinetHandler]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "summary": mark.summary,
        "tags": [handler.auth_resource],
        "x-jupyter-action": mark.action,
        "responses": {
            "101" if mark.socket else str(mark.status): _reply(mark),
            "default": {"description": "An error", "content": _json(ErrorReply)},
        },
    }
    if mark.signed:
        described["security"] = []  # no login: a signature in its headers
        described["parameters"] = [
            {"name": name, "in": "header", "required": True, "schema": {"type": "string"}} for name in SIGNED_WITH
        ]
    if mark.body is not None:
        described["requestBody"] = {"required": True, "content": _json(mark.body)}
    if mark.query:
        described["parameters"] = [
            {"name": q.name, "in": "query", "description": q.about, "schema": {"type": q.kind}} for q in mark.query
        ]
    return described


def _reply(mark: Operation) -> dict[str, Any]:
    if mark.socket:
        return {"description": "The connection becomes a WebSocket"}
    reply: dict[str, Any] = {"description": "Done"}
    if mark.media != "application/json":
        reply["content"] = {mark.media: {"schema": {"type": "string"}}}
    elif mark.gives is not None:
        reply["content"] = _json(mark.gives)
    return reply


def _json(kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    return {"application/json": {"schema": schema}}


def _schemas() -> dict[str, Any]:
    from .handlers.events import EventFrame, EventsHello, EventsReset
    from .routes import ROUTES

    marks = [mark for _, handler in ROUTES for mark in operations(handler).values()]
    bodies = [mark.body for mark in marks if mark.body is not None]
    replies = [mark.gives for mark in marks if mark.gives is not None]
    streams = [EventFrame, EventsHello, EventsReset, OutputRecord, OutputEnd, ServerFrame, AnyClientFrame]
    _, asked = msgspec.json.schema_components([*bodies, AnyClientFrame], ref_template=REFERENCE)
    _, everything = msgspec.json.schema_components([*bodies, *replies, *streams, ErrorReply], ref_template=REFERENCE)
    for name, schema in everything.items():
        if name not in asked and "properties" in schema:
            schema["required"] = sorted(schema["properties"])  # a reply contains every field, including defaults
    return dict(sorted(everything.items()))


def encoded() -> bytes:
    """Return the document in its checked-in form."""
    return msgspec.json.format(msgspec.json.encode(document(), order="deterministic"), indent=2) + b"\n"


if __name__ == "__main__":
    DOCUMENT.write_bytes(encoded())
    sys.stdout.write(f"{DOCUMENT}\n")

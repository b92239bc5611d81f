"""The description of the API, made from the routes and structs. `python -m jupyter_cabinet.web.openapi` writes it.

The frontend's types are generated from `labextension/src/api/openapi.json`; a test compares both with the code. Not
imported before somebody requests the description.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from ..core.version import VERSION
from ..execution.output import OutputEnd, OutputRecord
from ..terminals.frames import AnyClientFrame, ServerFrame
from ..transcripts.model import TimelineEntry
from .errors import ErrorReply
from .handler import CabinetHandler
from .operation import JSON, Operation, Query

METHODS = ("get", "post", "put", "patch", "delete")
SIGNED_WITH = ("X-Cabinet-Timestamp", "X-Cabinet-Delivery", "X-Cabinet-Signature")
OMIT_DEFAULTS = frozenset({TimelineEntry.__name__})  # structs of replies with `omit_defaults`
REFERENCE = "#/components/schemas/{name}"
DOCUMENT = Path(__file__).parents[2] / "labextension" / "src" / "api" / "openapi.json"


def operations(handler: type[CabinetHandler]) -> dict[str, Operation]:
    """Return the marked methods of a handler, by the name of the HTTP method in lower case."""
    marked = {name: getattr(getattr(handler, name), "operation", None) for name in METHODS}
    return {name: mark for name, mark in marked.items() if mark is not None}


def document() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document, as builtin values."""
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
        "responses": {**_replies(mark), "default": {"description": "An error", "content": _json(ErrorReply)}},
    }
    if mark.signed:
        described["security"] = []  # no login: a signature in its headers
        described["parameters"] = [
            {"name": name, "in": "header", "required": True, "schema": {"type": "string"}} for name in SIGNED_WITH
        ]
    if mark.body is not None:
        described["requestBody"] = {"required": True, "content": _as_request(_json(mark.body))}
    if mark.query:
        described["parameters"] = [_query_parameter(each) for each in mark.query]
    return described


def _query_parameter(query: Query) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": query.kind}
    if query.values:
        schema["enum"] = query.values
    return {"name": query.name, "in": "query", "description": query.about, "schema": schema}


def _replies(mark: Operation) -> dict[str, Any]:
    """Return the replies by status. A WebSocket may also be requested as lines of text."""
    if not mark.socket:
        return {str(mark.status): _reply(mark)}
    socket = {"101": {"description": "The connection becomes a WebSocket"}}
    return socket if mark.media == JSON else {**socket, str(mark.status): _reply(mark)}


def _reply(mark: Operation) -> dict[str, Any]:
    reply: dict[str, Any] = {"description": "Done"}
    if mark.media != JSON:
        reply["content"] = {mark.media: {"schema": {"type": "string"}}}
    elif mark.gives is not None:
        reply["content"] = _json(mark.gives)
    return reply


def _json(kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    return {JSON: {"schema": _with_any_keys(schema)}}


def _schemas() -> dict[str, Any]:
    """Return the structs by name. A struct of requests and replies is described twice, because a request may omit more.

    The second description is named `<Struct>Input`.
    """
    requests, replies = _requests(), _replied()
    own = _with_an_input()
    for name in own:
        requests[f"{name}Input"] = _as_request(requests.pop(name))
    return dict(sorted({**_as_request(requests), **replies}.items()))


def _as_request(schema: Any) -> Any:
    """Return a schema of a request: it refers to the `…Input` of a struct, if there is one."""
    renamed = {REFERENCE.format(name=name): REFERENCE.format(name=f"{name}Input") for name in _with_an_input()}

    def walk(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: walk(value) for key, value in part.items()}
        if isinstance(part, list | tuple):
            return [walk(value) for value in part]
        return renamed.get(part, part) if isinstance(part, str) else part

    return walk(schema)


@cache
def _with_an_input() -> frozenset[str]:
    """Return the structs whose requests and replies differ, or contain a struct for which that is so."""
    requests, replies = _requests(), _replied()
    shared = requests.keys() & replies.keys()
    found = {name for name in shared if requests[name] != replies[name]}
    while more := {name for name in shared - found if _references(requests[name]) & found}:
        found |= more
    return frozenset(found)


def _references(schema: Any) -> set[str]:
    return set(re.findall(r"#/components/schemas/([\w.]+)", msgspec.json.encode(schema).decode()))


def _requests() -> dict[str, Any]:
    bodies = [mark.body for mark in _marks() if mark.body is not None]
    _, schemas = msgspec.json.schema_components([*bodies, AnyClientFrame], ref_template=REFERENCE)
    return {name: _with_any_keys(schema) for name, schema in schemas.items()}


def _replied() -> dict[str, Any]:
    """The structs of replies. A reply contains every field, including defaults, unless its struct omits them."""
    from .handlers.server.events import EventFrame, EventsHello, EventsReset

    replies = [mark.gives for mark in _marks() if mark.gives is not None]
    streams = [EventFrame, EventsHello, EventsReset, OutputRecord, OutputEnd, ServerFrame]
    _, schemas = msgspec.json.schema_components([*replies, *streams, ErrorReply], ref_template=REFERENCE)
    for name, schema in schemas.items():
        if "properties" in schema and name not in OMIT_DEFAULTS:
            schema["required"] = sorted(schema["properties"])
    return {name: _with_any_keys(schema) for name, schema in schemas.items()}


def _marks() -> list[Operation]:
    from .routes import ROUTES

    return [mark for _, handler in ROUTES for mark in operations(handler).values()]


def _with_any_keys(schema: Any) -> Any:
    """Say of an object without a struct that it may have any keys, because tools read it as an empty object."""
    if isinstance(schema, list | tuple):
        return [_with_any_keys(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    described = {key: _with_any_keys(value) for key, value in schema.items()}
    is_open = described.get("type") == "object" and not {"properties", "additionalProperties"} & described.keys()
    return {**described, "additionalProperties": True} if is_open else described


def encoded() -> bytes:
    """Return the document in its checked-in form."""
    return msgspec.json.format(msgspec.json.encode(document(), order="deterministic"), indent=2) + b"\n"


if __name__ == "__main__":
    DOCUMENT.write_bytes(encoded())
    sys.stdout.write(f"{DOCUMENT}\n")

"""Reads the sessions that Codex keeps on disk: one file each, whose lines are `{timestamp, type, payload}`.

Facts: 0.169.0. What is said and done is in `response_item`, and most of it again in `event_msg`, which is read only for
what it adds. Tools have the names and inputs that `messages.py` reports. A `token_usage_record` names neither its model
nor the items of its answer, so the tokens are on an entry `other`, and the model is on entries `model_change`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..session_entries import Continues, Entry, Item, SessionFacts, SessionFiles
from ..shared.messages.content_blocks import blocks, text_of
from ..shared.messages.json_values import count, inner, string
from ..shared.messages.stored_lines import chained, seconds
from .login import folder
from .messages import said, usage_of
from .stored_calls import attached, called, results

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.I)
# What the lines of these types say is in others too, or only configures the CLI.
_QUIET = frozenset(
    (
        *("inter_agent_communication_metadata", "world_state"),
        *("additional_tools", "compaction", "compaction_summary", "context_compaction", "ghost_snapshot"),
        *("agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break"),
        *("context_compacted", "item_completed", "item_started", "plan_update", "session_configured"),
        *("sub_agent_activity", "thread_goal_updated", "thread_settings_applied", "turn_complete", "turn_diff"),
        *("user_message", "view_image_tool_call"),
        *("task_started", "thread_name_updated", "token_count", "turn_started"),  # see `_facts`
    )
)
_QUIET_ENDINGS = ("_begin", "_delta", "_end")  # events of a call, whose response items are read
# What the CLI writes in a person's name: its kinds of origin, and for older versions how it begins.
_OWN_ORIGINS = ("harness", "skills")
_OWN_TEXTS = (
    *("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<turn_aborted>"),
    *("<permissions instructions>", "<skills_instructions>", "<skill>", "<collaboration_mode>", "<user_action>"),
    *("<subagent_notification>", "<image>", "<image name=", "</image>"),
)
_TYPED_SHELL = re.compile(r"<user_shell_command>\s*<command>(.*?)</command>", re.DOTALL)
_EDITOR, _REQUEST = "# Context from my IDE setup:", "## My request for Codex:"  # by the extensions of editors


def session_stores(environment: Mapping[str, str]) -> tuple[SessionFiles, ...]:
    """Return where Codex keeps its sessions and how to read them, whether or not the folders exist.

    `environment`: the server's variables. The second is what the person has archived.
    """
    return tuple(
        SessionFiles(
            folder=folder(environment) / name, patterns=patterns, read_line=read_line, facts_of_path=facts_of_path
        )
        for name, patterns in (
            ("sessions", ("*/*/*/rollout-*.jsonl",)),
            ("archived_sessions", ("rollout-*.jsonl",)),
        )
    )


def facts_of_path(path: Path) -> SessionFacts:
    """Return the id in `rollout-<time>-<id>.jsonl`."""
    found = _UUID.search(path.stem)
    return SessionFacts(native_id=found[0] if found else path.stem)


def read_line(position: int, line: dict[str, Any]) -> Iterator[Item]:
    """Yield what one line contains; nothing for lines that say nothing new. Never raises because of content."""
    record, payload = string(line, "type"), inner(line, "payload")
    kind = string(payload, "type") if record in ("response_item", "event_msg") else record
    if record == "session_meta":
        # A fork repeats the lines of its parent, with the parent's own facts.
        yield from [_meta(payload)] if position == 0 else []
        return
    if record == "event_msg":
        yield from _facts(kind, payload)
        if kind == "thread_rolled_back":
            yield Continues(before_last=count(payload.get("num_turns")))
    found = _item(kind, payload) if record == "response_item" else _event(kind, payload)
    own = string(payload, "id") if record == "response_item" else ""
    yield from chained([*found], id=own or str(position), at=seconds(line.get("timestamp")))


def _meta(payload: dict[str, Any]) -> SessionFacts:
    """Return what the first line says. The `session_id` of a sub-agent is that of its main session."""
    source = inner(payload, "source")
    parent = string(payload, "parent_thread_id") or string(
        inner(inner(source, "subagent"), "thread_spawn"), "parent_thread_id"
    )
    return SessionFacts(
        native_id=string(payload, "id"),
        cwd=string(payload, "cwd"),
        parent_id=parent or string(payload, "forked_from_id"),
        is_sub_agent="subagent" in source or payload.get("thread_source") == "subagent",
    )


def _facts(kind: str, payload: dict[str, Any]) -> Iterator[SessionFacts]:
    """Return the title, the size of the context, and the tokens of the session for versions without usage records."""
    info = inner(payload, "info")
    found = SessionFacts(
        title=string(payload, "thread_name") if kind == "thread_name_updated" else "",
        context_window=count(info.get("model_context_window") or payload.get("model_context_window")),
        usage=usage_of(info.get("total_token_usage")) if kind == "token_count" else None,
    )
    if found != SessionFacts():
        yield found


def _event(kind: str, payload: dict[str, Any]) -> Iterator[Entry]:
    """Return the entries of an event, or of a line that is neither an event nor a response item."""
    message = string(payload, "message")
    match kind:
        case "turn_context":
            model = string(payload, "model")
            yield from [Entry(id="", kind="model_change", model=model, text=model)] if model else []
        case "token_usage_record":
            usage, answer = usage_of(payload.get("usage")), string(payload, "response_id")
            yield from [Entry(id="", kind="other", text=kind, usage=usage, answer=answer)] if usage else []
        case "compacted":
            yield Entry(id="", kind="compaction", text=message)
        case "error":
            yield Entry(id="", kind="error", text=message)
        case "stream_error":
            details = string(payload, "additional_details")
            yield Entry(id="", kind="retry", text="\n".join(filter(None, (message, details))))
        case "task_complete":
            if isinstance(payload.get("error"), dict):
                yield Entry(id="", kind="error", text=string(payload["error"], "message") or "The turn failed.")
        case "turn_aborted":
            yield Entry(id="", kind="other", text=f"{kind}: {string(payload, 'reason') or 'interrupted'}")
        case _ if kind not in _QUIET and not kind.endswith(_QUIET_ENDINGS):
            yield Entry(id="", kind="other", text=message or kind)


def _item(kind: str, payload: dict[str, Any]) -> Iterator[Entry]:
    """Return the entries of a response item."""
    used = called(kind, payload)
    if used:
        yield Entry(id="", kind="tool_call", call_id=used.call_id, tool=used.tool, input=used.input)
    elif kind.endswith("_output"):
        yield from results(payload)
    elif kind == "message":
        yield from _message(payload)
    elif kind == "reasoning":
        told = {"type": kind, "text": payload.get("summary") or payload.get("content")}
        yield from (Entry(id="", kind="thinking", text=each.text) for each in said(told) if hasattr(each, "text"))
    elif kind == "image_generation_call":
        yield Entry(id="", kind="attachment", text="image")
    elif kind not in _QUIET or kind == "agent_message":  # that of another agent
        yield Entry(id="", kind="other", text=kind)


def _message(payload: dict[str, Any]) -> Iterator[Entry]:
    role = payload.get("role")
    about = inner(payload, "internal_chat_message_metadata_passthrough").get("content_item_metadata")
    origins = [inner(each, "provenance").get("type") for each in about] if isinstance(about, list) else []
    for number, block in enumerate(blocks(payload.get("content"))):
        text, own = text_of(block), number < len(origins) and origins[number] in _OWN_ORIGINS
        if role == "assistant" and text:
            yield Entry(id="", kind="assistant", text=text)
        elif role == "user" and not own:
            typed = _typed(text)
            yield from [Entry(id="", kind="user", text=typed)] if typed else attached(block)


def _typed(text: str) -> str:
    """Return a person's words without what an editor adds to them; empty for what the CLI has written."""
    if text.lstrip().startswith(_OWN_TEXTS):
        return ""
    if shell := _TYPED_SHELL.match(text):
        return f"!{shell[1].strip()}"
    return text.partition(_REQUEST)[2].strip() or text if text.startswith(_EDITOR) else text

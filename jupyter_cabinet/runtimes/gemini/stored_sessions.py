"""Reads the sessions that Gemini CLI keeps on disk: one file each, with a header, records and changes (`$set`).

Facts: 0.61.0. A record that grows is written again under the same id. A tool's result is in three places: in the record
of its call, in the following record of type `user`, and in rewritten conversations; all become one entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...storage.filesystem.untrusted_files import read_object
from ..session_entries import Continues, EntriesReplaced, Entry, EntryKind, Item, SessionFacts, SessionFiles
from ..shared.messages.content_blocks import blocks, call, text_of
from ..shared.messages.json_values import inner, string
from ..shared.messages.stored_lines import seconds
from .login import folder
from .transcript import OWN_NOTES, output_of, thought_of, usage_of

MAX_PROJECTS_BYTES = 1 << 22
_SUMMARY = ("<state_snapshot>", "</state_snapshot>")  # around the summary that replaces a conversation
_REFERENCED = "\n--- Content from referenced files ---"  # after an instruction with `@file`
_NOTICES: Mapping[str, EntryKind] = {"error": "error", "info": "other", "warning": "other"}


def session_stores(environment: Mapping[str, str]) -> tuple[SessionFiles, ...]:
    """Return where Gemini CLI keeps its sessions and how to read them, whether or not the folders exist.

    `environment`: the server's variables. Reads the list of projects, so it may block.
    """
    place = folder(environment)
    folders = _folders(read_object(place / "projects.json", limit=MAX_PROJECTS_BYTES))
    return (
        SessionFiles(
            folder=place / "tmp",
            patterns=("*/chats/session-*.jsonl", "*/chats/*/*.jsonl"),
            read_line=read_line,
            facts_of_path=partial(facts_of_path, folders),
        ),
    )


def _folders(projects: dict[str, Any]) -> dict[str, str]:
    """Return the working folder of each project: by its short name, and by its hash, which older versions use."""
    known = inner(projects, "projects")
    by_name = {name: cwd for cwd, name in known.items() if isinstance(name, str)}
    return by_name | {sha256(cwd.encode(errors="replace")).hexdigest(): cwd for cwd in known}


def facts_of_path(folders: Mapping[str, str], path: Path) -> SessionFacts:
    """Return what `<project>/chats/session-<time>-<id>.jsonl` says: the first 8 characters of the id.

    A sub-agent's file is `<project>/chats/<id of its parent>/<id>.jsonl`.
    """
    cwd = folders.get(path.parts[0], "") if path.parts else ""
    if len(path.parts) > 3:
        return SessionFacts(native_id=path.stem, cwd=cwd, parent_id=path.parts[2], is_sub_agent=True)
    return SessionFacts(native_id=path.stem.rpartition("-")[2], cwd=cwd)


def read_line(position: int, line: dict[str, Any]) -> Iterator[Item]:
    """Yield what one line contains. `position`: of the line in bytes. Never raises because of content."""
    if "$set" in line:
        yield from _changes(position, inner(line, "$set"))
    elif "$rewindTo" in line:
        if isinstance(line["$rewindTo"], str) and line["$rewindTo"]:
            yield Continues(before=line["$rewindTo"])
        yield Entry(id=str(position), kind="other", text="$rewindTo")
    elif string(line, "sessionId") and not string(line, "id"):
        yield SessionFacts(native_id=string(line, "sessionId"), is_sub_agent=line.get("kind") == "subagent")
        yield from _title(line)
        for number, record in enumerate(blocks(line.get("messages"))):
            yield from _record(f"{position}:{number}", record)
    else:
        yield from _record(str(position), line)


def _title(values: dict[str, Any]) -> Iterator[SessionFacts]:
    if string(values, "summary"):
        yield SessionFacts(title=string(values, "summary"))


def _changes(position: int, changes: dict[str, Any]) -> Iterator[Item]:
    """Return the title, and the conversation that the CLI has written again.

    Nothing is replaced if it has summarized the conversation, because people still read what was said before. A CLI
    that continues a session in the minute of its start writes the conversation without models, tokens and times: it
    says nothing that the earlier lines have not said.
    """
    yield from _title(changes)
    records = [record for record in blocks(changes.get("messages")) if not _is_own_note(record)]
    answers = [record for record in records if record.get("type") == "gemini"]
    summarized = any(_is_summary(record) for record in records)
    if answers and not summarized and not any(string(record, "model") for record in answers):
        return
    if records and not summarized:
        yield EntriesReplaced()
    for number, record in enumerate(records):
        yield from _record(f"{position}:{number}", record)


def _is_summary(record: dict[str, Any]) -> bool:
    return record.get("type") == "user" and all(tag in _text(record) for tag in _SUMMARY)


def _is_own_note(record: dict[str, Any]) -> bool:
    return record.get("type") == "user" and _text(record).lstrip().startswith(OWN_NOTES)


def _record(place: str, record: dict[str, Any]) -> Iterator[Entry]:
    """Return the entries of one record. `place` is its id if it has none."""
    id, at, kind = string(record, "id") or place, seconds(record.get("timestamp")), string(record, "type")
    if kind == "user":
        yield from _user(id, at, record)
    elif kind == "gemini":
        yield from _answer(id, at, record)
    elif kind in _NOTICES:
        yield Entry(id=id, at=at, kind=_NOTICES[kind], text=_text(record))
    else:
        yield Entry(id=id, at=at, kind="other", text=kind)


def _user(id: str, at: float | None, record: dict[str, Any]) -> Iterator[Entry]:
    text = _text(record).partition(_REFERENCED)[0].strip("\n")
    if text and not _is_own_note(record):
        yield Entry(id=id, at=at, kind="compaction" if _is_summary(record) else "user", text=text)
    for number, block in enumerate(blocks(record.get("content"))):
        answer, name = inner(block, "functionResponse"), _attachment(block)
        if answer:
            response = inner(answer, "response")
            yield _result(string(answer, "id") or f"{id}:{number}", at, output_of([block]), "error" in response)
        elif name:
            yield Entry(id=f"{id}:file:{number}", at=at, kind="attachment", text=name)


def _answer(id: str, at: float | None, record: dict[str, Any]) -> Iterator[Entry]:
    content = list(blocks(record.get("content")))
    thoughts = [thought_of(each) for each in blocks(record.get("thoughts"))]
    thoughts = thoughts or [text_of(block) for block in content if block.get("thought") is True]
    usage = usage_of(record["tokens"]) if isinstance(record.get("tokens"), dict) else None
    shared: dict[str, Any] = {"at": at, "model": string(record, "model"), "answer": id, "usage": usage}
    for number, thought in enumerate(thoughts):
        if thought:
            yield Entry(id=f"{id}:thought:{number}", kind="thinking", text=thought, **shared)
    text = _text({"content": [block for block in content if block.get("thought") is not True]})
    if text:
        yield Entry(id=id, kind="assistant", text=text, **shared)
    told = list(blocks(record.get("toolCalls"))) or [inner(block, "functionCall") for block in content]
    for number, each in enumerate(filter(None, told)):
        use = call(each.get("id") or f"{id}:{number}", each.get("name"), each.get("args"))
        yield Entry(id=use.call_id, kind="tool_call", call_id=use.call_id, tool=use.tool, input=use.input, **shared)
        if "result" in each:
            ended, failed = seconds(each.get("timestamp")) or at, each.get("status") != "success"
            yield _result(use.call_id, ended, _output(each["result"], use.call_id), failed)


def _output(result: Any, call_id: str) -> str:
    """Return the output of one call. In a rewritten conversation it has those of all calls of its answer."""
    if isinstance(result, str):
        return result
    answers = list(blocks(result))
    return output_of([each for each in answers if inner(each, "functionResponse").get("id") == call_id] or answers)


def _result(call_id: str, at: float | None, text: str, is_error: bool) -> Entry:
    return Entry(id=f"{call_id}:result", at=at, kind="tool_result", call_id=call_id, text=text, is_error=is_error)


def _attachment(block: dict[str, Any]) -> str:
    """Return the type or address of an image or a file; empty if the block is neither."""
    data, file = inner(block, "inlineData"), inner(block, "fileData")
    return string(data, "mimeType") or string(file, "fileUri") or string(file, "mimeType") or ("file" if data else "")


def _text(record: dict[str, Any]) -> str:
    return "\n".join(filter(None, map(text_of, blocks(record.get("content")))))

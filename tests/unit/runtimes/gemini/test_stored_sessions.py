"""What Gemini CLI's stored sessions contain beyond the recordings. The lines have the form that 0.61.0 writes."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from jupyter_cabinet.runtimes.gemini.stored_sessions import read_line, session_stores
from jupyter_cabinet.runtimes.session_entries import EntriesReplaced, Entry, SessionFacts

AT = "2026-11-27T05:14:55.000Z"


def record(id: str, kind: str, content: object, **more: object) -> dict:
    return {"id": id, "timestamp": AT, "type": kind, "content": content, **more}


def kinds(line: dict) -> list[str]:
    return [item.kind if isinstance(item, Entry) else type(item).__name__ for item in read_line(7, line)]


SUMMARY = record("s", "user", [{"text": "<state_snapshot>\nPlums.\n</state_snapshot>"}])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (record("a", "user", [{"text": "<session_context>\nThis is the Gemini CLI.\n</session_context>"}]), []),
        (record("a", "user", [{"text": "<hook_context>x</hook_context>"}]), []),
        (record("a", "user", [{"text": "System: Potential loop detected. Details: Repetitive patterns."}]), []),
        (record("a", "user", "hello"), ["user"]),
        (record("a", "user", [{"text": "this?"}, {"inlineData": {"mimeType": "image/png"}}]), ["user", "attachment"]),
        (record("a", "error", "quota"), ["error"]),
        (record("a", "info", "Chat compressed."), ["other"]),
        (record("a", "warning", "slow"), ["other"]),
        (record("a", "something new", ""), ["other"]),
        (record("a", "gemini", "", thoughts=[], tokens={"input": 1}), []),  # its calls follow
        ({"$rewindTo": "a"}, ["Continues", "other"]),
        ({"$set": {"lastUpdated": AT}}, []),
        ({"$set": {"summary": "Plums"}}, ["SessionFacts"]),
        ({"$set": {"messages": [record("a", "user", "<session_context>")]}}, []),  # the CLI starts
        ({"$set": {"messages": [record("a", "user", "hello")]}}, ["EntriesReplaced", "user"]),
        ({"$set": {"messages": [SUMMARY, record("a", "user", "hello")]}}, ["compaction", "user"]),
        ({"sessionId": "x", "projectHash": "y", "messages": [record("a", "user", "hi")]}, ["SessionFacts", "user"]),
    ],
)
def test_each_form_of_a_line_has_its_entries(line, expected):
    assert kinds(line) == expected


def test_a_conversation_that_is_written_again_without_models_says_nothing_new():
    """Gemini CLI does so if it continues a session in the minute in which it was started."""
    records = [record("a", "user", "hello"), record("b", "gemini", [{"text": "Hi."}])]
    assert kinds({"$set": {"messages": records}}) == []
    records[1]["model"] = "gemini-2.5-pro"
    assert kinds({"$set": {"messages": records}}) == ["EntriesReplaced", "user", "assistant"]


def test_thoughts_are_read_from_their_own_list_or_from_the_content():
    thoughts = [{"subject": "Plan", "description": "Plums."}]
    found = list(read_line(0, record("b", "gemini", "Hi.", thoughts=thoughts, model="m", tokens={"thoughts": 3})))
    assert [(each.id, each.kind, each.text) for each in found] == [
        ("b:thought:0", "thinking", "Plan: Plums."),
        ("b", "assistant", "Hi."),
    ]
    assert {each.answer for each in found} == {"b"} and found[0].usage.output_tokens == 3
    content = [{"text": "Plums.", "thought": True}, {"text": "Hi."}]
    assert [each.text for each in read_line(0, record("b", "gemini", content))] == ["Plums.", "Hi."]


def test_each_call_has_only_its_own_output():
    answers = [{"functionResponse": {"id": id, "response": {"output": f"of {id}"}}} for id in ("1", "2")]
    calls = [{"id": id, "name": "glob", "args": {}, "status": "success", "result": answers} for id in ("1", "2")]
    found = read_line(0, record("b", "gemini", "", toolCalls=[*calls, {"id": "3", "name": "ls", "result": "text"}]))
    results = [(each.call_id, each.text, each.is_error) for each in found if each.kind == "tool_result"]
    assert results == [("1", "of 1", False), ("2", "of 2", False), ("3", "text", True)]


def test_the_folder_of_a_session_is_named_by_the_list_of_projects(tmp_path):
    (tmp_path / ".gemini").mkdir()
    projects = {"projects": {"/workspace": "workspace", "/odd": 5}}
    (tmp_path / ".gemini" / "projects.json").write_text(json.dumps(projects))
    (store,) = session_stores({"HOME": str(tmp_path)})
    assert store.folder == tmp_path / ".gemini" / "tmp"
    file = "chats/session-2026-11-27T05-14-f06fc0db.jsonl"
    assert store.facts_of_path(Path("workspace", file)) == SessionFacts(native_id="f06fc0db", cwd="/workspace")
    assert store.facts_of_path(Path("elsewhere", file)) == SessionFacts(native_id="f06fc0db")
    assert store.facts_of_path(Path(sha256(b"/workspace").hexdigest(), file)).cwd == "/workspace"
    sub_agent = store.facts_of_path(Path("workspace/chats/parent-id/own-id.jsonl"))
    assert sub_agent == SessionFacts(native_id="own-id", cwd="/workspace", parent_id="parent-id", is_sub_agent=True)


@pytest.mark.parametrize("projects", ["", "[]", '{"projects": []}'])
def test_without_a_list_of_projects_no_folder_is_known(tmp_path, projects):
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "projects.json").write_text(projects)
    (store,) = session_stores({"GEMINI_CLI_HOME": str(tmp_path)})
    assert store.facts_of_path(Path("workspace/chats/session-1-a.jsonl")) == SessionFacts(native_id="a")


def test_entries_are_replaced_before_the_new_ones():
    first, *_ = read_line(0, {"$set": {"messages": [record("a", "user", "hello")]}})
    assert first == EntriesReplaced()


def test_files_that_an_instruction_refers_to_are_not_its_words():
    parts = ["Compare @a.txt", "\n--- Content from referenced files ---", "plums", "\n--- End of content ---"]
    [entry] = read_line(0, record("a", "user", [{"text": part} for part in parts]))
    assert (entry.kind, entry.text) == ("user", "Compare @a.txt")

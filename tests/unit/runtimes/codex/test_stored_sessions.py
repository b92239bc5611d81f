"""What Codex's stored sessions contain beyond the recordings. The lines have the form that 0.169.0 writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jupyter_cabinet.runtimes.codex.stored_sessions import facts_of_path, read_line, session_stores
from jupyter_cabinet.runtimes.edited_files import edited_files
from jupyter_cabinet.runtimes.model import ToolCall, Usage
from jupyter_cabinet.runtimes.session_entries import Entry, SessionFacts

ID = "01a1fbce-903f-7143-85d2-ae7ca122beac"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b, c.py\n+z\n*** End Patch"


def line(record: str, **payload: Any) -> dict:
    return {"timestamp": "2026-11-27T05:14:55.000Z", "type": record, "payload": payload}


def event(kind: str, **payload: Any) -> dict:
    return line("event_msg", type=kind, **payload)


def item(kind: str, **payload: Any) -> dict:
    return line("response_item", type=kind, **payload)


def user(*texts: str, **more: Any) -> dict:
    return item("message", role="user", content=[{"type": "input_text", "text": text} for text in texts], **more)


def entries(line: dict) -> list[Entry]:
    return [each for each in read_line(7, line) if isinstance(each, Entry)]


def short(line: dict) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in entries(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (item("message", role="developer", content=[{"type": "input_text", "text": "Be brief."}]), []),
        (user("hello"), [("user", "hello")]),
        (user("<environment_context>\n</environment_context>"), []),
        (user("<user_instructions>\nBe brief.\n</user_instructions>", "# AGENTS.md instructions for /w"), []),
        (user("<turn_aborted>\n</turn_aborted>"), []),
        (user("<user_shell_command>\n<command>\nls -a\n</command>\n<result>\nb\n</result>"), [("user", "!ls -a")]),
        (user("# Context from my IDE setup:\n## Open tabs\n## My request for Codex:\nhello\n"), [("user", "hello")]),
        (event("user_message", message="hello"), []),
        (event("agent_message", message="Hi."), []),
        (event("agent_reasoning", text="Plums."), []),
        (event("exec_command_end", call_id="c"), []),
        (item("reasoning", summary=[{"type": "summary_text", "text": "Plums."}]), [("thinking", "Plums.")]),
        (item("reasoning", summary=[], encrypted_content="x"), []),
        (line("compacted", message="The word is plum.", replacement_history=[]), [("compaction", "The word is plum.")]),
        (event("context_compacted"), []),
        (item("compaction", encrypted_content="x"), []),
        (event("error", message="usage limit"), [("error", "usage limit")]),
        (event("task_complete", error={"message": "boom"}), [("error", "boom")]),
        (event("task_complete", last_agent_message="Hi."), []),
        (event("stream_error", message="Again 1/5", additional_details="timeout"), [("retry", "Again 1/5\ntimeout")]),
        (event("turn_aborted", reason="interrupted"), [("other", "turn_aborted: interrupted")]),
        (line("turn_context", model="gpt-5"), [("model_change", "gpt-5")]),
        (event("something new"), [("other", "something new")]),
        (item("something new"), [("other", "something new")]),
        (line("something new"), [("other", "something new")]),
    ],
)
def test_each_form_of_a_line_has_its_entries(line, expected):
    assert short(line) == expected


def test_the_origin_of_a_text_decides_whether_a_person_has_written_it():
    about = {"content_item_metadata": [{"provenance": {"type": "harness"}}, {"provenance": {"type": "user"}}]}
    found = user("Standing text.", "hello", internal_chat_message_metadata_passthrough=about)
    assert short(found) == [("user", "hello")]


def test_an_image_is_an_attachment_without_its_content():
    content = [
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "this?"},
    ]
    assert short(item("message", role="user", content=content)) == [("attachment", "image/png"), ("user", "this?")]


@pytest.mark.parametrize(
    ("line", "tool", "input"),
    [
        (item("function_call", name="exec_command", arguments='{"cmd": "ls"}'), "Bash", {"command": "ls"}),
        (
            item("function_call", name="shell", arguments='{"command": ["bash", "-lc", "ls"]}'),
            "Bash",
            {"command": "ls"},
        ),
        (item("function_call", name="shell_command", arguments='{"command": "ls"}'), "Bash", {"command": "ls"}),
        (item("local_shell_call", action={"type": "exec", "command": ["ls"]}), "Bash", {"command": "ls"}),
        (item("function_call", name="add", namespace="mcp__n", arguments='{"a": 1}'), "mcp__n__add", {"a": 1}),
        (item("function_call", name="add", namespace="mcp__n__", arguments='{"a": 1}'), "mcp__n__add", {"a": 1}),
        (item("function_call", name="update_plan", arguments="[1]"), "update_plan", {"input": "[1]"}),
        (item("custom_tool_call", name="exec", input="1 + 1"), "exec", {"input": "1 + 1"}),
        (item("web_search_call", action={"type": "search", "query": "plums"}), "web_search", {"query": "plums"}),
        (item("tool_search_call", arguments={"query": "mail"}), "tool_search", {"query": "mail"}),
    ],
)
def test_calls_have_the_names_and_inputs_that_a_run_reports(line, tool, input):
    line["payload"]["call_id"] = "c"
    (found,) = entries(line)
    assert (found.kind, found.call_id, found.tool, found.input) == ("tool_call", "c", tool, input)


@pytest.mark.parametrize(
    "line",
    [
        item("custom_tool_call", call_id="c", name="apply_patch", input=PATCH),
        item("function_call", call_id="c", name="apply_patch", arguments=json.dumps({"input": PATCH})),
        item("function_call", call_id="c", name="shell", arguments=json.dumps({"command": ["apply_patch", PATCH]})),
        item("function_call", name="exec_command", arguments=json.dumps({"cmd": f"apply_patch <<'E'\n{PATCH}\nE"})),
    ],
)
def test_a_patch_names_the_files_that_it_changes(line):
    (found,) = entries(line)
    assert found.input == {"paths": ["a.py", "b, c.py"], "patch": PATCH}
    assert edited_files("codex", ToolCall(call_id="c", tool=found.tool, input=found.input)) == ("a.py", "b, c.py")


@pytest.mark.parametrize(
    ("output", "text", "is_error"),
    [
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nhi", "hi", True),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nhi", "hi", False),
        ("Wall time: 1 seconds\nProcess running with session ID 5\nOutput:\nhi", "hi", False),
        (
            [{"type": "input_text", "text": "Wall time: 1 s\nOutput:"}, {"type": "input_text", "text": "hi"}],
            "hi",
            False,
        ),
        ('{"output":"hi","metadata":{"exit_code":1,"duration_seconds":0.1}}', "hi", True),
        ('{"output":"hi","metadata":{"exit_code":0}}', "hi", False),
        ('{"output":"of a tool"}', '{"output":"of a tool"}', False),
        ({"content": "no", "success": False}, "no", True),
        ("apply_patch verification failed: no such file", "apply_patch verification failed: no such file", True),
        ("hi", "hi", False),
        (None, "", False),
    ],
)
@pytest.mark.parametrize("kind", ["function_call_output", "custom_tool_call_output"])
def test_a_result_is_the_output_without_the_header(kind, output, text, is_error):
    (found,) = entries(item(kind, call_id="c", output=output))
    assert (found.kind, found.call_id, found.text, found.is_error) == ("tool_result", "c", text, is_error)


def test_an_image_in_a_result_is_an_attachment():
    output = [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]
    assert short(item("function_call_output", output=output)) == [("attachment", "image/png"), ("tool_result", "")]


def test_the_tokens_of_an_answer_and_those_of_the_session_are_separate():
    tokens = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 20}
    usage = Usage(input_tokens=60, cache_read_tokens=40, output_tokens=20)
    (found,) = entries(line("token_usage_record", response_id="r", usage=tokens))
    assert (found.kind, found.answer, found.usage) == ("other", "r", usage)
    info = {"total_token_usage": tokens, "model_context_window": 1000}
    assert list(read_line(7, event("token_count", info=info))) == [SessionFacts(usage=usage, context_window=1000)]
    assert list(read_line(7, event("token_count", info=None))) == []


def test_the_first_line_names_the_session_and_the_one_it_came_from():
    meta = line("session_meta", id="child", session_id="root", cwd="/w", forked_from_id="old")
    assert list(read_line(0, meta)) == [SessionFacts(native_id="child", cwd="/w", parent_id="old")]
    assert list(read_line(7, meta)) == []  # a fork repeats it
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "parent", "depth": 1}}}
    (found,) = read_line(0, line("session_meta", id="child", forked_from_id="old", source=spawned))
    assert (found.parent_id, found.is_sub_agent) == ("parent", True)
    (found,) = read_line(0, line("session_meta", id="child", source={"subagent": "review"}))
    assert (found.parent_id, found.is_sub_agent) == ("", True)


def test_facts_of_later_lines():
    assert list(read_line(7, event("task_started", model_context_window=9))) == [SessionFacts(context_window=9)]
    assert list(read_line(7, event("thread_name_updated", thread_name="Plums"))) == [SessionFacts(title="Plums")]


def test_sessions_and_archived_ones_are_in_the_folder_of_the_cli(tmp_path):
    current, archived = session_stores({"CODEX_HOME": str(tmp_path)})
    for store, name in ((current, f"2026/11/21/rollout-2026-11-21T01-53-01-{ID}.jsonl"), (archived, "rollout-a.jsonl")):
        (store.folder / name).parent.mkdir(parents=True)
        (store.folder / name).touch()
        assert [path for pattern in store.patterns for path in store.folder.glob(pattern)] == [store.folder / name]
    assert (current.folder, archived.folder) == (tmp_path / "sessions", tmp_path / "archived_sessions")


def test_the_id_of_a_session_is_in_the_name_of_its_file():
    assert facts_of_path(Path(f"rollout-2026-11-21T01-53-01-{ID}.jsonl")) == SessionFacts(native_id=ID)
    assert facts_of_path(Path("rollout-a.jsonl")) == SessionFacts(native_id="rollout-a")

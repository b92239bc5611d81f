"""What one item of Codex's work means, in the spelling of its stream and in that of its transcript."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.codex.messages import result, said, started, usage_of
from jupyter_cabinet.runtimes.model import TextBlock, Thinking, ToolCall, ToolResult, Usage


@pytest.mark.parametrize("kind", ["command_execution", "CommandExecution"])
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("/bin/bash -lc ls", "ls"),
        ("/bin/bash -lc 'git status'", "git status"),
        ('/bin/bash -c "make test"', "make test"),
        (r"""/bin/bash -lc "echo \"a\"" """.strip(), 'echo "a"'),
        ("/bin/bash -lc 'it'\\''s'", "it's"),
        # what is not one quoted word is shown whole
        ("/bin/bash -lc 'never closed", "/bin/bash -lc 'never closed"),
        ("/bin/bash -lc 'two' 'words'", "/bin/bash -lc 'two' 'words'"),
        ("ls -la", "ls -la"),
        (["/bin/bash", "-lc", "git status"], "git status"),
        (["git", "commit", "-m", "a b"], "git commit -m 'a b'"),
        (["git", "status", "-s"], "git status -s"),
        (None, ""),
    ],
)
def test_a_command_is_shown_without_the_shell_around_it(kind, command, shown):
    expected = ToolCall(call_id="i1", tool="Bash", summary=shown, input={"command": shown})
    assert started({"type": kind, "id": "i1", "command": command}) == expected


@pytest.mark.parametrize(
    "changes",
    [
        [{"path": "a.txt", "kind": "add"}, {"path": "b, c.txt", "kind": "update"}, {}],  # the stream
        {"a.txt": {"type": "add"}, "b, c.txt": {"type": "update"}},  # the transcript
    ],
)
def test_a_change_of_files_names_them(changes):
    call = started({"type": "file_change", "id": "i1", "changes": changes})
    assert (call.tool, call.summary) == ("apply_patch", "a.txt, b, c.txt")
    assert call.input == {"paths": ["a.txt", "b, c.txt"]}


def test_a_tool_of_a_server_and_a_search_of_the_web_are_calls():
    tool = {"type": "mcp_tool_call", "id": "i1", "server": "notes", "tool": "add", "arguments": {"text": "a"}}
    assert started(tool) == ToolCall(call_id="i1", tool="mcp__notes__add", input={"text": "a"})
    search = {"type": "web_search", "id": "i2", "query": "jupyter"}
    assert started(search) == ToolCall(call_id="i2", tool="web_search", summary="jupyter", input={"query": "jupyter"})


@pytest.mark.parametrize("kind", ["agent_message", "reasoning", "todo_list", None])
def test_what_is_only_said_is_no_call(kind):
    assert started({"type": kind, "id": "i1", "text": "Done."}) is None


@pytest.mark.parametrize(
    ("item", "text", "is_error"),
    [
        ({"aggregated_output": "ok", "status": "completed"}, "ok", False),
        ({"aggregated_output": "", "status": "failed"}, "", True),
        ({"status": "declined"}, "", True),
        ({"error": {"message": "no such tool"}}, "no such tool", True),
        (
            {"result": {"content": [{"type": "text", "text": "one"}, {"type": "image"}, {"text": "two"}]}},
            "one\ntwo",
            False,
        ),
        ({"result": 7}, "", False),
    ],
)
def test_a_result_is_its_text_in_any_shape_and_whether_it_failed(item, text, is_error):
    assert result({"id": "i1", **item}) == ToolResult(call_id="i1", text=text, is_error=is_error)


@pytest.mark.parametrize(
    ("item", "told"),
    [
        ({"type": "agent_message", "text": "Done."}, [TextBlock(text="Done.")]),
        ({"type": "AgentMessage", "content": [{"type": "Text", "text": "Done."}]}, [TextBlock(text="Done.")]),
        ({"type": "reasoning", "text": "Hm."}, [Thinking(text="Hm.")]),
        ({"type": "Reasoning", "summary_text": ["One.", "Two."]}, [Thinking(text="One.\nTwo.")]),
        ({"type": "reasoning", "text": ""}, []),
        ({"type": "agent_message"}, []),
        ({"type": "todo_list", "text": "Plan"}, []),
    ],
)
def test_text_and_thoughts_are_told_and_nothing_else(item, told):
    assert list(said(item)) == told


def test_what_came_from_the_cache_is_no_other_input():
    raw = {"input_tokens": 100, "cached_input_tokens": 80, "output_tokens": 7, "cache_write_input_tokens": 5}
    assert usage_of(raw) == Usage(input_tokens=20, output_tokens=7, cache_read_tokens=80, cache_write_tokens=5)
    assert usage_of({"input_tokens": 1, "cached_input_tokens": 2}) == Usage(cache_read_tokens=2)
    assert usage_of(None) is None

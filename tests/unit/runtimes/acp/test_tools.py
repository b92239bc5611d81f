"""The tools of an ACP agent: what a call is, and what it gave, put together from pieces."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.acp.tools import AcpTools
from jupyter_cabinet.runtimes.model import ToolCall, ToolResult


def told(**news):
    """The call, as it is reported once it is over."""
    return AcpTools().update({"toolCallId": "c1", "status": "completed", **news})


@pytest.mark.parametrize(
    ("news", "tool", "given"),
    [
        ({"name": "Bash", "rawInput": {"command": "ls"}}, "Bash", {"command": "ls"}),
        ({"_meta": {"claudeCode": {"toolName": "Grep"}}, "kind": "search"}, "Grep", {}),
        ({"kind": "execute", "title": "ls -l"}, "execute", {"command": "ls -l"}),
        ({"kind": "execute"}, "execute", {}),
        ({"kind": "read", "locations": [{"path": "a.txt"}]}, "read", {"path": "a.txt"}),
        ({"title": "Thinking"}, "a tool", {}),
        (
            {
                "kind": "edit",
                "content": [
                    {"type": "content", "content": {"type": "text", "text": "ok"}},
                    {"type": "diff", "path": "a.txt", "oldText": None, "newText": "b"},
                ],
            },
            "edit",
            {"path": "a.txt", "new_string": "b"},
        ),
    ],
)
def test_a_call_says_what_it_would_do_by_whatever_the_agent_told(news, tool, given):
    call, _ = told(**news)
    assert isinstance(call, ToolCall)
    assert (call.tool, call.input) == (tool, given)


@pytest.mark.parametrize(
    ("news", "text"),
    [
        ({"rawOutput": "plain"}, "plain"),
        ({"content": [{"type": "content", "content": {"type": "text", "text": "shown"}}]}, "shown"),
        ({"content": [{"type": "content", "content": "odd"}, {"type": "terminal", "terminalId": "t"}]}, ""),
        ({"rawOutput": {"formatted_output": "of Codex", "exit_code": 0}}, "of Codex"),
        ({"rawOutput": {"output": 3, "stdout": "of another"}}, "of another"),
        ({"rawOutput": {"exit_code": 0}}, ""),
    ],
)
def test_a_result_is_read_where_the_agent_put_it(news, text):
    assert told(**news)[-1] == ToolResult(call_id="c1", text=text)


def test_a_result_is_told_once():
    tools = AcpTools()
    ended = {"toolCallId": "c1", "kind": "read", "status": "failed"}
    assert tools.update(ended) == [ToolCall(call_id="c1", tool="read"), ToolResult(call_id="c1", is_error=True)]
    assert tools.update(ended) == []


def test_a_call_that_begins_is_told_and_another_makes_the_input_of_the_first_whole():
    tools = AcpTools()
    assert tools.update({"toolCallId": "c1", "kind": "read", "status": "pending"}) == []
    assert tools.update({"toolCallId": "c2", "kind": "edit"}) == [ToolCall(call_id="c1", tool="read")]
    assert tools.update({"toolCallId": "c2", "status": "in_progress"}) == [ToolCall(call_id="c2", tool="edit")]


def test_a_question_may_be_the_first_that_is_heard_of_a_call():
    tools = AcpTools()
    call = ToolCall(call_id="c1", tool="mcp__cab__double")
    assert tools.asked({"toolCallId": "c1", "name": "mcp__cab__double"}) == ([call], call)
    assert tools.is_of_server("c1", ("cab",))
    assert not tools.is_of_server("c2", ("cab",))
    assert tools.asked("no object")[1] == ToolCall(call_id="", tool="a tool")

"""What known ACP agents say in the place of an answer, and whose tool a call is."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.acp.notices import CODEX, PI, failed_tool_server, greeting, notice, tool_server_of
from jupyter_cabinet.runtimes.model import Retrying, Warned

CLAUDE = "@agentclientprotocol/claude-agent-acp"


@pytest.mark.parametrize(
    ("session", "said"),
    [
        ({"_meta": {"piAcp": {"startupInfo": "pi v0.87.1"}}}, "pi v0.87.1"),
        ({"_meta": {"piAcp": "pi v0.87.1"}}, ""),
        ({"_meta": None}, ""),
    ],
)
def test_only_pi_greets(session, said):
    assert greeting(session) == said


@pytest.mark.parametrize(
    ("agent", "update", "text", "meant"),
    [
        (CLAUDE, {"_meta": {"claudeCode": {"kind": "status"}}}, " No server. ", [Warned(message="No server.")]),
        (CLAUDE, {"_meta": {"claudeCode": {}}}, "An answer.", None),
        ("gemini-cli", {}, "[MODE_UPDATE] yolo", []),
        (CODEX, {}, "Warning: Model metadata for `x` not found.", []),
        (CODEX, {}, "Slow today.\n", [Warned(message="Slow today.")]),
        (CODEX, {"messageId": "m1"}, "An answer.", None),
        (
            PI,
            {},
            "Retrying (attempt 2/3, waiting 4s)...\n",
            [Retrying(attempt=2, max_attempts=3, delay_seconds=4.0)],
        ),
        (PI, {}, "Retry finished, resuming.", []),
        (PI, {}, "An answer.", None),
        ("another", {}, "Retry finished, resuming.", None),
    ],
)
def test_a_notice_is_known_by_who_says_it(agent, update, text, meant):
    assert notice(agent, update, text) == meant


def test_codex_tells_of_a_tool_server_that_did_not_start_as_of_a_tool():
    update = {"toolCallId": "mcp_startup.cab", "status": "failed"}
    warned = Warned(message="A tool server could not be started by codex: cab.")
    assert failed_tool_server(update, "codex") == warned
    assert failed_tool_server({**update, "status": "completed"}, "codex") is None
    assert failed_tool_server({**update, "toolCallId": "call_1"}, "codex") is None


@pytest.mark.parametrize(
    ("call", "server"),
    [
        ({"name": "mcp__cab__double"}, "cab"),
        ({"kind": "other", "toolCallId": "mcp_cab_double__1"}, "cab"),
        ({"kind": "read", "toolCallId": "mcp_cab_double__1"}, None),
        ({"_meta": {"is_mcp_tool_call": True}, "rawInput": {"server": "cab", "tool": "double"}}, "cab"),
        ({"_meta": {"is_mcp_tool_call": True}, "rawInput": {"server": "other"}}, None),
        ({"_meta": {"is_mcp_tool_call": True}, "rawInput": "cab"}, None),
        ({"_meta": {}, "rawInput": {"server": "cab"}}, None),
    ],
)
def test_a_call_is_for_a_tool_server_as_each_agent_says_it(call, server):
    assert tool_server_of(call, ("first", "cab")) == server
    assert tool_server_of(call, ()) is None

"""The suite's model server: scripts, faults, log."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

import pytest

from jupyter_cabinet.testing import model_server as module
from jupyter_cabinet.testing.model_script import Answer, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

TOOL = {"name": "Write", "input_schema": {"properties": {"file_path": {}, "content": {}}}}


def ask(server: ModelServer, *messages, stream=False, tools=(TOOL,), method="POST", path="/v1/messages?beta=true"):
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    body = {"model": "m", "stream": stream, "tools": list(tools), "messages": list(messages)}
    connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, response.read(), response.headers


def said(role: str, content) -> dict:
    return {"role": role, "content": content}


def test_the_turn_counts_the_answers_since_a_person_spoke():
    script = [Answer(text="first"), Answer(text="second")]
    reminder = {"type": "text", "text": "<system-reminder>note</system-reminder>"}
    with ModelServer(script) as server:
        ask(server, said("user", "one"))
        ask(server, said("user", "one"), said("assistant", "first"), said("user", [{"type": "tool_result"}]))
        ask(
            server,
            said("user", "one"),
            said("assistant", "first"),
            said("user", [reminder, {"type": "text", "text": "two"}]),
        )
        assert [(asked.prompt, asked.turn) for asked in server.requests] == [("one", 0), ("one", 1), ("two", 0)]


def test_tools_and_arguments_are_spelled_by_the_request():
    use = ToolUse(name="write", arguments={"path": "a.txt", "content": "x"})
    with ModelServer([Answer(tools=(use,))]) as server:
        block = json.loads(ask(server, said("user", "go"))[1])["content"][0]
    assert (block["name"], block["input"]) == ("Write", {"file_path": "a.txt", "content": "x"})


def test_a_stream_ends_properly_and_a_cut_one_does_not():
    with ModelServer([Answer(text="word " * 20)]) as server:
        whole = ask(server, said("user", "go"), stream=True)[1]
        server.faults.append(Answer(text="word " * 20, cut=True))
        half = ask(server, said("user", "go"), stream=True)[1]
    assert b"message_stop" in whole
    assert b"message_stop" not in half
    assert half


def test_a_fault_comes_once_or_always():
    with ModelServer([Answer(text="well")]) as server:
        server.faults.append(Answer(error=429, error_type="rate_limit_error", headers={"retry-after": "7"}))
        status, body, headers = ask(server, said("user", "go"))
        assert (status, headers["retry-after"]) == (429, "7")
        assert json.loads(body)["error"]["type"] == "rate_limit_error"
        assert ask(server, said("user", "go"))[0] == 200
        server.always = Answer(error=500)
        assert [ask(server, said("user", "go"))[0] for _ in range(2)] == [500, 500]


def test_what_a_cli_asks_for_itself_is_no_turn_and_probes_are_answered():
    with ModelServer([Answer(text="well")]) as server:
        server.always = Answer(error=500)
        assert ask(server, said("user", "title?"), tools=())[0] == 200
        assert ask(server, method="HEAD", path="/")[0] == 200
        assert ask(server, method="GET", path="/v1/models")[0] == 200
        assert server.requests == []


def test_a_cli_that_asks_for_ever_is_stopped(monkeypatch):
    monkeypatch.setattr(module, "MAX_REQUESTS", 3)
    with ModelServer([Answer(text="again")]) as server:
        assert [ask(server, said("user", "go"))[0] for _ in range(4)] == [200, 200, 200, 400]


def test_waiting_for_a_request_is_bounded():
    with ModelServer() as server, pytest.raises(TimeoutError):
        server.wait_for_requests(1, seconds=0.01)


def test_the_responses_api_of_openai_is_spoken():
    tool = {"type": "function", "name": "exec_command", "parameters": {"properties": {"cmd": {}}}}
    note = {"role": "user", "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}]}
    asked = {"role": "user", "content": [{"type": "input_text", "text": "go"}]}
    call = {"type": "function_call", "name": "exec_command", "arguments": "{}", "call_id": "c1"}
    result = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
    script = [Answer(text="one", tools=(ToolUse(name="exec_command", arguments={"cmd": "ls"}),)), Answer(text="two")]
    with ModelServer(script) as server:
        body = {"model": "m", "instructions": "be kind", "tools": [tool], "stream": True}
        first = post(server, "/v1/responses", {**body, "input": [note, asked]})
        second = post(server, "/v1/responses", {**body, "input": [note, asked, call, result], "stream": False})
        assert [(each.prompt, each.turn) for each in server.requests] == [("go", 0), ("go", 1)]
        assert "be kind" in server.requests[0].system
    assert b'\\"cmd\\": \\"ls\\"' in first
    assert b"response.completed" in first
    assert json.loads(second)["output"][0]["content"][0]["text"] == "two"


def test_the_api_of_gemini_is_spoken():
    schema = {"properties": {"file_path": {}}}
    tools = [{"functionDeclarations": [{"name": "write_file", "parametersJsonSchema": schema}]}]
    asked = {"role": "user", "parts": [{"text": "<session_context>x"}, {"text": "go"}]}
    script = [Answer(tools=(ToolUse(name="write_file", arguments={"path": "a"}),)), Answer(text="two")]
    with ModelServer(script) as server:
        path = "/v1beta/models/m:streamGenerateContent?alt=sse"
        first = post(server, path, {"contents": [asked], "tools": tools})
        answer = {"role": "model", "parts": [{"functionCall": {"name": "write_file"}}]}
        result = {"role": "user", "parts": [{"functionResponse": {"name": "write_file"}}]}
        second = post(
            server,
            path.replace("stream", "").replace("Gen", "gen"),
            {"contents": [asked, answer, result], "tools": tools},
        )
        server.faults.append(Answer(error=429, text="slow down"))
        refused = post(server, path, {"contents": [asked], "tools": tools})
        assert [(each.prompt, each.turn) for each in server.requests] == [("go", 0), ("go", 1), ("go", 0)]
    assert b'"args": {"file_path": "a"}' in first
    assert json.loads(second)["candidates"][0]["content"]["parts"] == [{"text": "two"}]
    assert json.loads(refused)["error"]["status"] == "RESOURCE_EXHAUSTED"


def test_chat_completions_are_spoken():
    schema = {"properties": {"filePath": {}, "content": {}}}
    tool = {"type": "function", "function": {"name": "write", "parameters": schema}}
    system, asked = (
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
    )
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function"}]}
    result = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
    use = ToolUse(name="Write", arguments={"path": "a", "content": "long enough for two pieces"})
    with ModelServer([Answer(text="one", tools=(use,)), Answer(text="two")]) as server:
        path, body = "/v1/chat/completions", {"model": "m", "tools": [tool], "stream": True}
        first = post(server, path, {**body, "messages": [system, asked]})
        second = post(server, path, {**body, "messages": [system, asked, call, result], "stream": False})
        server.faults.append(Answer(error=429, text="slow down"))
        refused = post(server, path, {**body, "messages": [system, asked]})
        post(server, path, {**body, "messages": [system, asked, {"role": "user", "content": "<system-reminder>x"}]})
        assert [(each.prompt, each.turn) for each in server.requests] == [("go", 0), ("go", 1), ("go", 0), ("go", 0)]
        assert server.requests[0].system == "be kind"
    chunks = [json.loads(line[6:]) for line in first.decode().split("\n\n") if line.startswith("data: {")]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    calls = [piece["function"] for delta in deltas for piece in delta.get("tool_calls", [])]
    assert calls[0]["name"] == "write"
    assert json.loads("".join(piece["arguments"] for piece in calls))["filePath"] == "a"
    assert "".join(delta.get("content", "") for delta in deltas) == "one"
    assert chunks[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert chunks[-1]["usage"] == {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    assert first.endswith(b"data: [DONE]\n\n")
    assert json.loads(second)["choices"][0]["message"]["content"] == "two"
    assert json.loads(refused)["error"]["message"] == "slow down"


def test_an_address_of_no_api_is_not_found():
    with ModelServer() as server:
        assert ask(server, path="/v1/log")[0] == 404


def post(server: ModelServer, path: str, body: dict) -> bytes:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    return connection.getresponse().read()

"""Agents by the Agent Client Protocol: what the client says, decides and makes of what it hears."""

from __future__ import annotations

import itertools
import json
from importlib import import_module

import msgspec
import pytest
from harness.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.acp import messages as acp_messages
from jupyter_cabinet.runtimes.acp.modes import SETS, Offer, mode_for
from jupyter_cabinet.runtimes.acp.runtime import configured
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    McpServer,
    QuestionAnswered,
    QuestionAsked,
    Request,
    TextBlock,
    TextDelta,
    Thinking,
    ToolCall,
    ToolResult,
    Warned,
)
from jupyter_cabinet.runtimes.opencode import acp as opencode_acp
from jupyter_cabinet.runtimes.pi import acp as pi_acp
from jupyter_cabinet.runtimes.port import Dialogue, Exit, Located, Missing

HERE = Located(path="/opt/agent", version="1.0")
BASE = Request(prompt="Hi.", mode="headless", cwd="/w", session_id="s1", run_directory="/run/x")
MODES = {"availableModes": [{"id": "default"}, {"id": "acceptEdits"}], "currentModeId": "default"}
OPTIONS = [
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "once", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
CALL = {"toolCallId": "c1", "name": "Bash", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}


class Agent:
    """The other side, as a test wants it."""

    def __init__(self, **changes):
        self.client = configured("mine", ("/opt/agent",)).conversation(msgspec.structs.replace(BASE, **changes))
        self.said = [json.loads(line) for line in self.client.start().splitlines()]
        self.events = []

    def says(self, **message):
        new = self.client.feed("stdout", json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.said += [json.loads(line) for line in (self.client.outgoing() or b"").splitlines()]
        self.events += new
        return new

    def answers(self, result=None, **error):
        """To what we asked last."""
        number = next(message["id"] for message in reversed(self.said) if "method" in message)
        return self.says(id=number, error=error) if error else self.says(id=number, result=result or {})

    def tells(self, what, /, **update):
        return self.says(
            method="session/update", params={"sessionId": "a1", "update": {"sessionUpdate": what, **update}}
        )

    def asks(self, call=CALL, options=OPTIONS, number=0):
        params = {"sessionId": "a1", "toolCall": call, "options": options}
        return self.says(id=number, method="session/request_permission", params=params)

    @property
    def asked_last(self):
        return self.said[-1].get("method")


def ready(modes=MODES, info=None, **changes):
    """An agent that has our prompt."""
    agent = Agent(**changes)
    agent.answers({"protocolVersion": 1, "agentInfo": info or {}, "agentCapabilities": {"loadSession": True}})
    agent.answers({"sessionId": "a1", "modes": modes})
    if agent.asked_last == "session/set_mode":
        agent.answers()
    return agent


def text(words, **more):
    return {"content": {"type": "text", "text": words}, **more}


# --- step by step ------------------------------------------------------------------------------------


def test_it_promises_nothing_and_asks_step_by_step():
    agent = Agent(permission_mode="edit", mcp_servers=(McpServer(name="cab", command=("/bin/x", "y")),))
    offered = agent.said[0]["params"]["clientCapabilities"]
    assert (offered["fs"], offered["terminal"]) == ({"readTextFile": False, "writeTextFile": False}, False)
    agent.answers({"protocolVersion": 1})
    assert agent.said[-1]["params"]["mcpServers"] == [{"name": "cab", "command": "/bin/x", "args": ["y"], "env": []}]
    agent.answers({"sessionId": "a1", "modes": MODES})
    assert agent.said[-1]["params"] == {"sessionId": "a1", "modeId": "acceptEdits"}
    agent.answers()
    assert agent.said[-1]["params"]["prompt"] == [{"type": "text", "text": "Hi."}]
    assert [message["method"] for message in agent.said] == [
        "initialize",
        "session/new",
        "session/set_mode",
        "session/prompt",
    ]


def test_a_mode_and_a_model_may_also_be_options():
    def option(name, *values):
        choices = [{"value": value} for value in values]
        return {"id": f"my-{name}", "category": name, "type": "select", "currentValue": values[0], "options": choices}

    agent = Agent(permission_mode="edit", model="big")
    agent.answers({"protocolVersion": 1})
    agent.answers(
        {
            "sessionId": "a1",
            "configOptions": [option("mode", "default", "acceptEdits"), option("model", "small", "big")],
        }
    )
    assert agent.said[-1]["method"] == "session/set_config_option"
    assert agent.said[-1]["params"]["value"] == "acceptEdits"
    agent.answers()
    assert (agent.said[-1]["params"]["configId"], agent.said[-1]["params"]["value"]) == ("my-model", "big")


@pytest.mark.parametrize("mode", ["ask", "edit"])
def test_an_agent_without_a_mode_that_is_known_to_keep_it_never_gets_the_prompt(mode):
    agent = ready(modes={"availableModes": [{"id": "code"}], "currentModeId": "code"}, permission_mode=mode)
    assert agent.asked_last == "session/new"
    assert agent.client.outgoing() is None
    failure = agent.client.finish(Exit(code=0)).failure
    assert (failure.kind, repr(mode) in failure.message) == ("permission_denied", True)


def test_known_sets_of_modes_are_understood_and_no_others():
    for known in SETS:
        offer = Offer(values=(known["ask"], known["edit"]), current="x")
        assert mode_for("edit", offer) == known["edit"]
        assert mode_for("bypass", offer) is None  # Claude Code as root
    assert mode_for("ask", Offer(values=("default",), current="default")) is None
    assert mode_for("ask", None) is None


def test_a_session_is_loaded_and_what_it_tells_again_is_not_news():
    agent = Agent(resume="a1", permission_mode="ask")
    agent.answers({"protocolVersion": 1, "agentCapabilities": {"loadSession": True}})
    assert agent.asked_last == "session/load"
    assert agent.tells("agent_message_chunk", **text("old")) == []
    agent.answers({"modes": MODES})
    assert agent.asked_last == "session/set_mode"  # also where it is set already: some answer before they have told all
    assert agent.tells("agent_message_chunk", **text("old too")) == []
    agent.answers()
    assert agent.tells("agent_message_chunk", **text("new")) == [TextDelta(text="new")]


@pytest.mark.parametrize("able", [{}, {"loadSession": False}])
def test_an_agent_that_cannot_load_sessions_has_lost_it(able):
    agent = Agent(resume="a1")
    agent.answers({"protocolVersion": 1, "agentCapabilities": able})
    assert agent.client.finish(None).failure.kind == "session_gone"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": -32000, "message": "Authentication required"}, "not_logged_in"),
        (
            {"code": -32603, "message": "Internal error", "data": {"details": "No previous sessions found"}},
            "session_gone",
        ),
        ({"code": -32002, "message": "Resource not found"}, "session_gone"),
        ({"code": -32603, "message": "Internal error", "data": {"details": "429 Too Many Requests"}}, "rate_limited"),
    ],
)
def test_an_error_at_the_start_is_named(error, kind):
    agent = Agent(resume="a1")
    agent.answers(
        {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}, "authMethods": [{"name": "A key"}]}
    )
    assert agent.answers(**error) == [AnswerFinished()]
    failure = agent.client.finish(None).failure
    assert failure.kind == kind
    assert kind != "not_logged_in" or "A key" in failure.message


def test_another_version_of_the_protocol_is_not_spoken():
    agent = Agent()
    agent.answers({"protocolVersion": 2})
    assert "version 2" in agent.client.finish(None).failure.message


# --- the answer --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("end_turn", None),
        ("max_tokens", "output_limit"),
        ("max_turn_requests", "output_limit"),
        ("refusal", "unknown"),
        ("cancelled", "cancelled"),
        ("something", "unknown"),
    ],
)
def test_the_reason_it_stops_for_is_the_outcome(reason, kind):
    agent = ready()
    agent.tells("agent_message_chunk", **text("Hello."))
    agent.answers(
        {
            "stopReason": reason,
            "usage": {"inputTokens": 10, "outputTokens": 2, "cachedReadTokens": 4, "totalTokens": 12},
        }
    )
    outcome = agent.client.finish(Exit(code=0))
    assert (outcome.failure.kind if outcome.failure else None) == kind
    assert outcome.text == ("Hello." if kind is None else "")
    assert (outcome.usage.input_tokens, outcome.usage.cache_read_tokens) == (6, 4)
    assert agent.client.outgoing() is None


def test_an_answer_without_a_word_and_without_a_tool_is_no_success():
    agent = ready()
    agent.answers({"stopReason": "end_turn"})
    assert agent.client.finish(Exit(code=0)).failure.message == "mine ended without an answer."


def test_an_agent_that_leaves_without_an_answer_was_stopped_or_crashed():
    assert ready().client.finish(Exit(code=0)).failure.kind == "cancelled"
    assert ready().client.finish(Exit(signal=15)).failure.kind == "cancelled"
    assert ready().client.finish(Exit(code=3)).failure.kind == "crashed"


def test_text_and_thoughts_become_blocks_where_something_else_begins():
    agent = ready()
    agent.tells("agent_thought_chunk", **text("Hm."))
    agent.tells("agent_message_chunk", **text("One ", messageId="m1"))
    agent.tells("agent_message_chunk", **text("two.", messageId="m1"))
    agent.tells("agent_message_chunk", **text("Three.", messageId="m2"))
    agent.answers({"stopReason": "end_turn"})
    told = [event for event in agent.events if isinstance(event, TextBlock | Thinking)]
    assert told == [Thinking(text="Hm."), TextBlock(text="One two."), TextBlock(text="Three.")]


def test_a_call_is_told_when_its_input_is_whole():
    agent = ready()
    assert agent.tells("tool_call", toolCallId="c1", title="Preparing", kind="edit", rawInput={}) == []
    assert agent.tells("tool_call_update", toolCallId="c1", rawInput={"path": "a.txt"}) == []
    assert agent.tells("usage_update", used=1, size=2) == [
        ToolCall(call_id="c1", tool="edit", summary="a.txt", input={"path": "a.txt"})
    ]
    assert agent.tells("tool_call_update", toolCallId="c1", status="completed", rawOutput="done") == [
        ToolResult(call_id="c1", text="done")
    ]
    # one that was never spoken of before
    told = agent.tells("tool_call_update", toolCallId="c2", kind="edit", status="failed", locations=[{"path": "b.txt"}])
    assert told == [
        ToolCall(call_id="c2", tool="edit", summary="b.txt", input={"path": "b.txt"}),
        ToolResult(call_id="c2", is_error=True),
    ]


def test_cost_is_the_sessions_and_a_runs_own_is_the_rest():
    for before, own in ((None, None), (0.25, 0.25)):
        agent = Agent(resume="a1", session_cost_before_usd=before, permission_mode="bypass")
        agent.answers({"protocolVersion": 1, "agentCapabilities": {"loadSession": True}})
        agent.answers({})
        agent.tells("usage_update", cost={"amount": 0.5, "currency": "USD"})
        agent.tells("agent_message_chunk", **text("Hi."))
        agent.answers({"stopReason": "end_turn"})
        outcome = agent.client.finish(None)
        assert (outcome.cost_usd, outcome.session_cost_usd) == (own, 0.5)


@pytest.mark.parametrize(
    ("agent_name", "chunk", "warned"),
    [
        ("gemini-cli", text("[MODE_UPDATE] autoEdit"), False),
        ("pi-acp", text("Retrying (attempt 1/3, waiting 2s)..."), False),
        ("@agentclientprotocol/codex-acp", text("Something is slow"), True),
        ("@agentclientprotocol/claude-agent-acp", text("No server", _meta={"claudeCode": {"kind": "status"}}), True),
    ],
)
def test_notices_in_the_place_of_an_answer_are_no_answer(agent_name, chunk, warned):
    agent = ready(info={"name": agent_name}, permission_mode="ask")
    told = agent.tells("agent_message_chunk", **chunk)
    assert any(isinstance(event, Warned) for event in told) == warned
    assert not any(isinstance(event, TextDelta) for event in told)
    agent.answers({"stopReason": "end_turn"})
    assert agent.client.finish(None).failure is not None


# --- questions ---------------------------------------------------------------------------------------


def test_a_question_has_the_agents_own_answers():
    agent = ready(permission_mode="ask")
    call, asked = agent.asks()
    assert isinstance(call, ToolCall)
    assert isinstance(asked, QuestionAsked)
    assert [(each.id, each.kind) for each in asked.options] == [
        ("always", "allow_session"),
        ("once", "allow_once"),
        ("no", "deny"),
    ]
    assert agent.client.answer("other", "once") == b""
    reply = json.loads(agent.client.answer(asked.question_id, "once"))
    assert reply["result"]["outcome"] == {"outcome": "selected", "optionId": "once"}
    assert agent.client.answer(asked.question_id, "once") == b""


def test_a_question_that_nobody_answered_is_withdrawn_with_the_end():
    agent = ready(permission_mode="ask")
    agent.asks()
    assert agent.answers({"stopReason": "cancelled"})[0] == QuestionAnswered(question_id="0")


@pytest.mark.parametrize(("mode", "chosen"), [("edit", "no"), ("bypass", "once")])
def test_where_nobody_is_asked_the_mode_answers_with_as_little_as_possible(mode, chosen):
    agent = ready(permission_mode=mode)
    events = agent.asks()
    assert agent.said[-1]["result"]["outcome"]["optionId"] == chosen
    assert any(isinstance(event, Warned) for event in events) == (mode == "edit")
    agent.tells("agent_message_chunk", **text("Done."))
    agent.answers({"stopReason": "end_turn"})
    outcome = agent.client.finish(None)
    assert (outcome.failure.kind if outcome.failure else None) == ("permission_denied" if mode == "edit" else None)


def test_what_was_denied_and_then_done_in_another_way_is_success():
    agent = ready(permission_mode="edit")
    agent.asks()
    agent.tells("tool_call", toolCallId="c2", title="x", status="completed")
    agent.answers({"stopReason": "end_turn"})
    assert agent.client.finish(None).failure is None


@pytest.mark.parametrize(
    "call",
    [
        {"toolCallId": "c1", "name": "mcp__cab__double"},
        {"toolCallId": "mcp_cab_double__1", "kind": "other", "title": "double"},
    ],
)
def test_tools_of_a_server_that_the_run_brings_need_no_question(call):
    server = McpServer(name="cab", command=("/bin/x",))
    agent = ready(permission_mode="edit", mcp_servers=(server,))
    agent.asks(call=call)
    assert agent.said[-1]["result"]["outcome"]["optionId"] == "once"
    agent.asks(call={**call, "toolCallId": "c9", "name": "mcp__other__double"}, number=1)
    assert agent.said[-1]["result"]["outcome"]["optionId"] == "no"


def test_who_may_ask_does_not_ask_for_a_tool_of_a_server_that_the_run_brings():
    agent = ready(permission_mode="ask", mcp_servers=(McpServer(name="cab", command=("/bin/x",)),))
    asked = agent.asks(call={"toolCallId": "c1", "name": "mcp__cab__double"})
    assert not [each for each in asked if isinstance(each, QuestionAsked)]
    assert agent.said[-1]["result"]["outcome"]["optionId"] == "once"
    asked = agent.asks(call={"toolCallId": "c9", "name": "mcp__other__double"}, number=1)
    assert [each.tool for each in asked if isinstance(each, QuestionAsked)] == ["mcp__other__double"]


def test_what_we_cannot_answer_is_refused_so_that_it_goes_on():
    agent = ready()
    agent.says(id="x7", method="fs/read_text_file", params={"path": "/etc/passwd"})
    assert (agent.said[-1]["id"], agent.said[-1]["error"]["code"]) == ("x7", -32601)
    agent.says(id=8, method="session/request_permission", params={"options": "all"})
    assert (agent.said[-1]["id"], agent.said[-1]["error"]["code"]) == (8, -32602)


# --- whatever comes ----------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
PLACES = ["protocolVersion", "sessionId", "modes", "models", "configOptions", "stopReason", "usage", "_meta"]
UPDATES = ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "usage_update", "plan"]
FIELDS = ["content", "toolCallId", "status", "rawInput", "rawOutput", "locations", "cost", "messageId", "_meta"]


@settings(max_examples=examples(40))
@given(
    result=st.dictionaries(st.sampled_from(PLACES), JSON),
    update=st.dictionaries(st.sampled_from(FIELDS), JSON),
    kind=st.sampled_from(UPDATES),
    step=st.integers(0, 3),
    rest=JSON,
)
def test_no_value_raises(result, update, kind, step, rest):
    agent = Agent() if step == 0 else ready()
    agent.answers({"protocolVersion": 1, **result} if step == 1 else result)
    agent.tells(kind, **update)
    agent.says(method="session/update", params=rest)
    agent.says(
        id=rest, method="session/request_permission", params={"toolCall": rest, "options": OPTIONS, "sessionId": "a1"}
    )
    agent.says(id=rest, result=rest)
    agent.answers(result)
    agent.client.finish(Exit(code=0))


@settings(max_examples=examples(15))
@given(cuts=st.lists(st.integers(0, 3000), max_size=10))
def test_chunk_boundaries_mean_nothing(cuts):
    lines = [
        {"id": 0, "result": {"protocolVersion": 1}},
        {"id": 1, "result": {"sessionId": "a1", "modes": MODES}},
        {"id": 2, "result": {}},
        {"method": "session/update", "params": {"update": {"sessionUpdate": "agent_message_chunk", **text("ä" * 50)}}},
        {"id": 3, "result": {"stopReason": "end_turn"}},
    ]
    data = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)

    def read(pieces):
        client = configured("mine", ("/x",)).conversation(BASE)
        client.start()
        return [event for piece in pieces for event in client.feed("stdout", piece)], client.finish(Exit(code=0))

    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    assert read([data[a:b] for a, b in itertools.pairwise(places)]) == read([data])


# --- the agents --------------------------------------------------------------------------------------

CLIS = ("claude", "codex", "gemini", "opencode", "pi", "openclaw")
PRESETS = [import_module(f"jupyter_cabinet.runtimes.{name}.acp").agent() for name in CLIS]


@pytest.mark.parametrize("agent", PRESETS, ids=lambda agent: agent.about.name)
@given(prompt=st.text(max_size=100), system=st.none() | st.text(min_size=1, max_size=50))
def test_nothing_of_a_run_stands_in_arguments_or_environment(agent, prompt, system):
    server = McpServer(name="cab", command=("/bin/x",), environment={"TICKET": "sesame-secret"})
    servers = (server,) if agent.capabilities(HERE).mcp else ()
    request = msgspec.structs.replace(BASE, prompt=prompt, system=system, permission_mode="bypass", mcp_servers=servers)
    plain = msgspec.structs.replace(BASE, permission_mode="bypass")
    made, fixed = agent.launch(HERE, request), agent.launch(HERE, plain)
    assert made.argv == fixed.argv
    assert "sesame-secret" not in str(made)
    assert made.keep_stdin_open
    assert isinstance(agent.conversation(request), Dialogue)


@pytest.mark.parametrize(
    "changes",
    [
        {"mode": "terminal"},
        {"allowed_tools": ()},
        {"resume": "-x"},
        {"permission_mode": "edit"},
        {"mcp_servers": (McpServer(name="cab", command=("/bin/x",)),)},
    ],
)
def test_what_pi_by_this_protocol_cannot_keep_is_refused(changes):
    with pytest.raises(Invalid):
        pi_acp.agent().launch(HERE, msgspec.structs.replace(BASE, **{"permission_mode": "bypass", **changes}))


def test_opencode_gets_the_rules_of_the_mode():
    def held(mode):
        request = msgspec.structs.replace(BASE, permission_mode=mode)
        settings = json.loads(opencode_acp.agent().launch(HERE, request).environment["OPENCODE_CONFIG_CONTENT"])
        return settings["plugin"][0][1]["rules"]

    assert held("ask")["edit"] == "ask"
    assert (held("edit")["edit"], held("edit")["bash"]) == ("allow", "ask")
    assert held("bypass") == {}


def test_without_the_extra_an_agent_is_missing_and_the_reason_names_it(monkeypatch, tmp_path):
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\necho 1.0.0\n")
    program.chmod(0o755)
    environment = {"JUPYTER_CABINET_MINE_PATH": str(program), "HOME": str(tmp_path)}
    agent = configured("mine", ("agent",))
    assert isinstance(agent.locate(environment), Located)
    monkeypatch.setattr(acp_messages, "PACKAGE", "no_such_package_anywhere")
    found = agent.locate(environment)
    assert isinstance(found, Missing)
    assert "jupyter-cabinet[acp]" in found.reason

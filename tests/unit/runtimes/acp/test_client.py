"""The dialogue with an ACP agent: the steps to the prompt, and what goes wrong on the way."""

from __future__ import annotations

import json

import msgspec

from jupyter_cabinet.runtimes.acp.client import AcpClient
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    McpServer,
    QuestionAsked,
    Request,
    SessionStarted,
    TextDelta,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.port import Exit

BASE = Request(prompt="Hi.", mode="headless", cwd="/w", session_id="s1", permission_mode="bypass")
SERVER = McpServer(name="cab", command=("/bin/x",))
MODELS = {"availableModels": [{"modelId": "small"}, {"modelId": "big"}], "currentModelId": "small"}
OPTIONS = [
    {"optionId": "once", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


class Agent:
    """The other side, which has been asked to initialize."""

    def __init__(self, kept=(), **changes):
        self.client = AcpClient(msgspec.structs.replace(BASE, **changes), "mine", kept)
        self.said = [json.loads(self.client.start())]

    def says(self, **message):
        events = self.client.feed("stdout", json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.said += [json.loads(line) for line in (self.client.outgoing() or b"").splitlines()]
        return events

    def answers(self, result):
        return self.says(id=self.said[-1]["id"], result=result)

    def tells(self, words):
        content = {"type": "text", "text": words}
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        return self.says(method="session/update", params={"sessionId": "a1", "update": update})

    def ends(self, reason, **more):
        number = next(message["id"] for message in self.said if message.get("method") == "session/prompt")
        return self.says(id=number, result={"stopReason": reason, **more})

    def asks(self):
        call = {"toolCallId": "c1", "name": "Bash", "rawInput": {"command": "ls"}}
        params = {"sessionId": "a1", "toolCall": call, "options": OPTIONS}
        return self.says(id=7, method="session/request_permission", params=params)[-1]


def opened(session=None, **changes):
    """An agent that has told what it offers."""
    agent = Agent(**changes)
    agent.answers({"protocolVersion": 1})
    agent.answers({"sessionId": "a1", **(session or {})})
    return agent


def test_a_tool_server_that_the_agent_could_not_start_is_warned_of_once():
    client = AcpClient(msgspec.structs.replace(BASE, mcp_servers=(SERVER,)), "mine")
    assert client.feed("stderr", b"starting\n") == []
    warned = [Warned(message="A tool server could not be started by mine.")]
    assert client.feed("stderr", b"MCP issues detected. Run /mcp list for status.\n") == warned
    assert client.feed("stderr", b"bye\n") == []


def test_tool_servers_that_are_not_the_runs_are_not_its_matter():
    client = AcpClient(BASE, "mine")
    assert client.feed("stderr", b"MCP issues detected. Run /mcp list for status.\n") == []


def test_an_answer_to_nothing_we_asked_is_passed_over():
    agent = Agent()
    assert agent.says(id=99, result={"protocolVersion": 1}) == []
    assert len(agent.said) == 1


def test_a_model_is_set_by_the_request_that_older_agents_know():
    agent = opened({"models": MODELS}, model="big")
    assert (agent.said[-1]["method"], agent.said[-1]["params"]) == (
        "session/set_model",
        {"sessionId": "a1", "modelId": "big"},
    )
    agent.answers({})
    assert agent.said[-1]["method"] == "session/prompt"


def test_a_model_that_is_in_use_already_is_not_set():
    agent = Agent(model="small")
    agent.answers({"protocolVersion": 1, "agentInfo": {"name": "a", "version": "1"}})
    assert agent.answers({"sessionId": "a1", "models": MODELS}) == [SessionStarted(native_id="a1", model="small")]
    assert agent.said[-1]["method"] == "session/prompt"


def test_a_model_for_an_agent_that_offers_none_is_ignored_with_a_warning():
    agent = Agent(model="huge")
    agent.answers({"protocolVersion": 1, "agentInfo": {"name": "a", "version": "1"}})
    heard = agent.answers({"sessionId": "a1"})
    assert Warned(message="mine offers no models, so the model huge is ignored.") in heard
    assert agent.said[-1]["method"] == "session/prompt"


def test_a_model_that_is_not_offered_ends_the_run_before_the_prompt():
    agent = opened({"models": MODELS}, model="huge")
    assert agent.said[-1]["method"] == "session/new"
    assert agent.client.outgoing() is None
    failure = agent.client.finish(Exit(code=0)).failure
    assert (failure.kind, failure.message) == ("model_unavailable", "mine does not offer the model huge.")


def test_a_mode_that_the_way_it_was_started_keeps_needs_no_offer():
    assert opened(kept=("edit",), permission_mode="edit").said[-1]["method"] == "session/prompt"


def test_the_mode_that_is_set_already_is_not_set_again():
    modes = {"availableModes": [{"id": "default"}, {"id": "acceptEdits"}], "currentModeId": "acceptEdits"}
    assert opened({"modes": modes}, permission_mode="edit").said[-1]["method"] == "session/prompt"


def test_an_addition_to_the_system_prompt_stands_at_the_head_of_the_prompt():
    (block,) = opened(system="Be short.").said[-1]["params"]["prompt"]
    assert "Be short." in block["text"]
    assert block["text"].endswith("Hi.")


def test_other_news_of_the_session_and_those_without_a_body_are_passed_over():
    agent = opened()
    assert agent.says(method="session/other", params={"update": {}}) == []
    assert agent.says(method="session/update", params=[1]) == []
    assert agent.says(method="session/update", params={"update": "x"}) == []


def test_the_answer_ends_with_its_tokens_and_nothing_after_it_is_news():
    agent = opened()
    assert agent.tells("Hello.") == [TextDelta(text="Hello.")]
    *_, told, finished = agent.ends("end_turn", usage={"inputTokens": 10, "outputTokens": 2})
    assert isinstance(told, UsageReported)
    assert told.usage.input_tokens == 10
    assert finished == AnswerFinished(text="Hello.")
    assert agent.tells("More.") == []
    assert agent.client.finish(Exit(code=0)).text == "Hello."


def test_an_agent_that_stops_where_a_person_said_no_tells_which_tool_it_was():
    agent = opened(permission_mode="ask", kept=("ask",))
    asked = agent.asks()
    assert isinstance(asked, QuestionAsked)
    assert b'"no"' in agent.client.answer(asked.question_id, "no")
    agent.ends("cancelled")
    failure = agent.client.finish(Exit(code=0)).failure
    assert (failure.kind, failure.message) == ("cancelled", "mine stopped when it was not allowed to use Bash: ls.")


def test_an_agent_that_goes_on_after_a_no_has_answered():
    agent = opened(permission_mode="ask", kept=("ask",))
    agent.client.answer(agent.asks().question_id, "no")
    agent.tells("Then not.")
    agent.ends("end_turn")
    assert agent.client.finish(Exit(code=0)).failure is None


def test_an_answer_that_failed_for_a_reason_of_its_own_says_so_even_where_a_tool_was_denied():
    agent = opened(permission_mode="edit", kept=("edit",))
    agent.asks()
    agent.ends("max_tokens")
    assert agent.client.finish(Exit(code=0)).failure.kind == "output_limit"

"""A scripted model that calls Cabinet's tools one after the other, and what it sees as the answer to each call."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse

Results = list[str]
Arguments = dict[str, Any] | Callable[[Results], dict[str, Any]]


@dataclass(frozen=True)
class Call:
    """One call. `shows`: a part of what the model sees as its answer. `arguments` may depend on earlier answers."""

    tool: str
    arguments: Arguments
    shows: str


@dataclass
class ScriptedCalls:
    """The script. `others`: answers the requests of other agents; None: the request is not one of theirs."""

    calls: Sequence[Call]
    others: Callable[[ModelRequest], Answer | None] = lambda asked: None
    results: Results = field(default_factory=list)

    def __call__(self, asked: ModelRequest) -> Answer:
        if other := self.others(asked):
            return other
        turn = asked.turn
        if turn:
            self.results[turn - 1 :] = [seen_result(asked.body)]  # a CLI may send a request again
        if turn >= len(self.calls):
            return Answer(text="All calls are made.")
        call = self.calls[turn]
        arguments = call.arguments(self.results) if callable(call.arguments) else call.arguments
        return Answer(tools=(ToolUse(name=offered(asked, call.tool), arguments=arguments),))

    def check(self) -> None:
        """Each answer is what the test expects, and no failure shows the model an exception of a program."""
        seen = [f"{call.tool}: {result}" for call, result in zip(self.calls, self.results, strict=False)]
        assert len(self.results) == len(self.calls), seen
        for call, line in zip(self.calls, seen, strict=True):
            assert call.shows in line, (call, line)
            assert "Traceback" not in line, line


def offered(asked: ModelRequest, tool: str) -> str:
    """Return the name that the CLI has given to a tool of Cabinet's; the plain name if it does not offer the tool."""
    return next((each for each in asked.tools if "cabinet" in each and each.endswith(tool)), tool)


def seen_result(body: dict[str, Any]) -> str:
    """Return the answer of the last tool call as the model sees it, in each of the four APIs."""
    if "contents" in body:  # Gemini
        parts = [part for content in body["contents"] for part in content.get("parts") or []]
        found = [part["functionResponse"].get("response") for part in parts if "functionResponse" in part]
    elif "input" in body:  # OpenAI's Responses API
        found = [item.get("output") for item in body["input"] if item.get("type") == "function_call_output"]
    else:
        said = body["messages"]
        found = [each.get("content") for each in said if each.get("role") == "tool"]  # Chat Completions
        blocks = [block for each in said if isinstance(each.get("content"), list) for block in each["content"]]
        found += [block.get("content") for block in blocks if block.get("type") == "tool_result"]  # Anthropic
    return _text(found[-1]) if found else ""


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part.get("text", "") if isinstance(part, dict) else str(part) for part in content)
    return json.dumps(content, ensure_ascii=False)

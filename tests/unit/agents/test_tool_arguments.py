"""What a model receives if it calls a tool with wrong arguments, and which small mistakes are corrected."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_cabinet.agents.prompts import tool_list
from jupyter_cabinet.agents.prompts.tool_arguments import MOST_REASONS, tool_arguments
from jupyter_cabinet.core.errors import Invalid

READ = tool_list.MemoryRead
WRONG = [
    (READ, {}, "`file` is missing. It must be a text of 1 to 128 characters."),
    (READ, {"file": None}, "`file` must be a text of 1 to 128 characters."),
    (READ, {"file": "", "limit": "ten"}, "`limit` must be a whole number from 0 to 2,000."),
    (READ, {"file": "x", "offset": -1}, "`offset` must be a whole number of at least 0."),
    (READ, {"file": "x", "limit": 1.5}, "`limit` must be a whole number from 0 to 2,000."),
    (READ, {"file": "x", "limit": True}, "`limit` must be a whole number from 0 to 2,000."),
    (READ, {"file": "x", "lines": None}, "Only these exist: `file`, `offset`, `limit`."),
    (tool_list.MemoryList, {"x": 1}, "There is no argument `x`. This tool has no arguments."),
    (tool_list.MemoryAppend, {"kind": "dream", "text": "x"}, "`kind` must be context, decision or learning."),
    (
        tool_list.CellWrite,
        {"cell": "a", "source": 1},
        "`source` must be a text of at most 16,384 characters.",
    ),
    (
        tool_list.McpCreate,
        {"name": "a", "program": "b", "arguments": "-y", "reason": "c"},
        "`arguments` must be a list of at most 50 texts, each of at most 1,000 characters.",
    ),
]


@pytest.mark.parametrize(("kind", "given", "sentence"), WRONG)
def test_a_sentence_says_what_is_wrong(kind: Any, given: dict[str, object], sentence: str) -> None:
    with pytest.raises(Invalid) as raised:
        tool_arguments(given, kind)
    assert raised.value.message.startswith("Nothing was done. ") and sentence in raised.value.message


def test_a_number_may_come_as_a_text_and_null_means_that_an_argument_is_left_out() -> None:
    assert tool_arguments({"file": "x", "offset": " 3", "limit": 2.0}, READ) == READ(file="x", offset=3, limit=2)
    assert tool_arguments({"file": "12", "offset": None, "limit": None}, READ) == READ(file="12")


def test_a_long_list_of_mistakes_is_cut() -> None:
    with pytest.raises(Invalid) as raised:
        tool_arguments({"file": "x", **{f"{number}" * 500: 1 for number in range(9)}}, READ)
    assert raised.value.message.count("There is no argument") == MOST_REASONS
    assert len(raised.value.message) < 1000


@pytest.mark.parametrize("tool", tool_list.TOOLS, ids=lambda tool: tool.name)
def test_each_wrong_argument_of_each_tool_is_named(tool: tool_list.Tool) -> None:
    for name in tool.schema()["properties"]:
        with pytest.raises(Invalid, match=f"`{name}` must be "):
            tool_arguments({name: {"no": "value"}}, tool.arguments)

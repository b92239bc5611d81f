"""What a question asks for is a value: complete, hashable, and by the table of its CLI alone."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.asked import AnyAsked, Argument, Change, Command, Edit, Fetch, ToolUse
from jupyter_cabinet.runtimes.claude import questions as claude
from jupyter_cabinet.runtimes.codex import questions as codex
from jupyter_cabinet.runtimes.opencode import questions as opencode
from jupyter_cabinet.runtimes.pi import questions as pi
from jupyter_cabinet.runtimes.shared.tool_table import REASONS, asked_for

TABLES = {"claude": claude.TOOLS, "codex": codex.TOOLS, "opencode": opencode.TOOLS, "pi": pi.TOOLS}
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
values = st.recursive(
    texts | st.integers(-9, 9) | st.none(), lambda inner: st.lists(inner) | st.dictionaries(texts, inner)
)


def in_words(value: object) -> list[str]:
    """Every text in it."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(word for inner in value.values() for word in in_words(inner))]
    return [word for inner in value for word in in_words(inner)] if isinstance(value, list | tuple) else []


@pytest.mark.parametrize(("cli", "tool"), [(cli, tool) for cli, tools in TABLES.items() for tool in tools])
@given(data=st.data())
def test_whatever_arguments_come_nothing_is_lost(cli, tool, data):
    known = TABLES[cli][tool]
    fields = (getattr(known, name) for name in known.__struct_fields__)
    names = [name for field in fields for name in (field if isinstance(field, tuple) else (field,)) if name]
    keys = st.sampled_from([*names, *REASONS, "other"]) | texts
    arguments = data.draw(st.dictionaries(keys, values, max_size=5))
    asks = asked_for(TABLES[cli], tool, arguments)
    hash(asks)
    wire = msgspec.json.encode(asks)
    assert msgspec.json.decode(wire, type=AnyAsked) == asks
    shown = msgspec.to_builtins(asks)
    there = " ".join(in_words(shown))
    reasons = {name for name in REASONS if isinstance(arguments.get(name), str)}
    for name, value in arguments.items():
        for word in in_words(value) if name not in reasons else ():
            assert word in there or msgspec.json.encode(word).decode()[1:-1] in there


def test_two_calls_that_do_the_same_are_one_value_whatever_their_order_and_reason():
    first = asked_for(claude.TOOLS, "Bash", {"command": "make", "timeout": 5, "env": {"b": 1, "a": 2}})
    again = asked_for(
        claude.TOOLS, "Bash", {"env": {"a": 2, "b": 1}, "description": "why", "timeout": 5, "command": "make"}
    )
    assert first == again and hash(first) == hash(again)
    others = ({"command": "make"}, {"command": "make", "timeout": 6}, {"command": "make test"})
    made = [first, *(asked_for(claude.TOOLS, "Bash", each) for each in others)]
    assert all(one != other for one, other in pairwise(made))


@pytest.mark.parametrize(
    ("tool", "arguments", "asks"),
    [
        ("Bash", {"command": ["ls", "-l"]}, Command(argv=("ls", "-l"))),
        ("Bash", {"command": 3}, ToolUse(tool="Bash", arguments=(Argument(name="command", value="3", is_json=True),))),
        ("WebSearch", {"query": "x"}, Fetch(query="x")),
        ("Read", {"file_path": "a"}, ToolUse(tool="Read", paths=("a",))),
        (
            "MultiEdit",
            {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]},
            Edit(paths=("a",), changes=(Change(old="x", new="y"),)),
        ),
        (
            "mcp__cab__double",
            {"command": "rm -rf /"},
            ToolUse(tool="double", server="cab", arguments=(Argument(name="command", value="rm -rf /"),)),
        ),
        (
            "Edit",
            {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True},
            Edit(
                paths=("a",),
                changes=(Change(old="x", new="y"),),
                more=(Argument(name="replace_all", value="true", is_json=True),),
            ),
        ),
        ("New", {"path": "a"}, ToolUse(tool="New", arguments=(Argument(name="path", value="a"),))),
    ],
)
def test_a_tool_is_what_the_table_says_and_an_unknown_one_is_itself(tool, arguments, asks):
    assert asked_for(claude.TOOLS, tool, arguments) == asks


def test_a_change_that_says_more_than_expected_is_shown_whole():
    edits = [{"old_string": "x", "new_string": "y", "replace_all": True}]
    asks = asked_for(claude.TOOLS, "MultiEdit", {"file_path": "a", "edits": edits})
    assert isinstance(asks, ToolUse)
    assert "replace_all" in str(asks)

"""What a question asks for is a value: complete, hashable, and by the table of its CLI alone."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from harness.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.claude import questions as claude
from jupyter_cabinet.runtimes.codex import questions as codex
from jupyter_cabinet.runtimes.opencode import questions as opencode
from jupyter_cabinet.runtimes.pi import questions as pi
from jupyter_cabinet.runtimes.requested_actions import (
    AnyAction,
    Argument,
    Change,
    Command,
    Edit,
    Fetch,
    ToolUse,
)
from jupyter_cabinet.runtimes.shared.tool_table import REASONS, EditTool, asked_for, reason, tool_use

TABLES = {"claude": claude.TOOLS, "codex": codex.TOOLS, "opencode": opencode.TOOLS, "pi": pi.TOOLS}
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
values = st.recursive(
    texts | st.integers(-9, 9) | st.none(), lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20
)


def in_words(value: object) -> list[str]:
    """Every text in it."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(word for inner in value.values() for word in in_words(inner))]
    return [word for inner in value for word in in_words(inner)] if isinstance(value, list | tuple) else []


@pytest.mark.parametrize("cli", TABLES)
@settings(max_examples=examples(20))
@given(data=st.data())
def test_whatever_arguments_come_nothing_is_lost(cli, data):
    tool = data.draw(st.sampled_from(sorted(TABLES[cli])))
    known = TABLES[cli][tool]
    fields = (getattr(known, name) for name in known.__struct_fields__)
    names = [name for field in fields for name in (field if isinstance(field, tuple) else (field,)) if name]
    keys = st.sampled_from([*names, *REASONS, "other"]) | texts
    arguments = data.draw(st.dictionaries(keys, values, max_size=5))
    asks = asked_for(TABLES[cli], tool, arguments)
    hash(asks)
    wire = msgspec.json.encode(asks)
    assert msgspec.json.decode(wire, type=AnyAction) == asks
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


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Edit", {"old_string": "x", "new_string": "y"}),  # of which file?
        ("Edit", {"file_path": 3, "old_string": "x", "new_string": "y"}),
        ("Edit", {"file_path": "a"}),
        ("Edit", {"file_path": "a", "old_string": None, "new_string": "y"}),
        ("MultiEdit", {"file_path": "a", "edits": "all"}),
        ("MultiEdit", {"file_path": "a", "edits": []}),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}, "odd"]}),
        ("MultiEdit", {"file_path": "a", "edits": [{"new_string": 3}]}),
        ("Bash", {"command": ["ls", 3]}),
        ("Bash", {"command": []}),
        ("WebFetch", {"prompt": "What is it?"}),
        ("Made up", {"any": {"thing": [1]}}),
    ],
)
def test_what_is_not_told_as_expected_is_shown_with_all_its_arguments(tool, arguments):
    asks = asked_for(claude.TOOLS, tool, arguments)
    assert isinstance(asks, ToolUse)
    assert (asks.tool, asks.paths) == (tool, ())
    shown = {each.name: msgspec.json.decode(each.value) if each.is_json else each.value for each in asks.arguments}
    assert shown == arguments


def test_a_tool_that_does_not_say_what_it_changes_names_its_file_and_the_rest():
    asks = asked_for({"Patch": EditTool(path="file_path")}, "Patch", {"file_path": "a", "line": "b"})
    assert asks == Edit(paths=("a",), more=(Argument(name="line", value="b"),))


def test_one_change_may_stand_beside_the_path_also_where_several_could():
    arguments = {"path": "a", "oldText": "x", "newText": "y"}
    assert asked_for(pi.TOOLS, "edit", arguments) == Edit(paths=("a",), changes=(Change(old="x", new="y"),))


def test_a_difference_is_shown_in_the_form_of_the_cli():
    asks = asked_for(opencode.TOOLS, "edit", {"filepath": "a", "diff": "-x\n+y"})
    assert asks == Edit(paths=("a",), changes=(Change(diff="-x\n+y"),))


def test_a_server_that_the_cli_names_itself_is_not_taken_from_the_tools_name():
    assert tool_use("mcp__notes__add", {}, server="notes") == ToolUse(tool="add", server="notes")
    assert tool_use("mcp__notes__add", {}, server="web") == ToolUse(tool="mcp__notes__add", server="web")


def test_the_reason_is_the_first_that_is_text():
    assert reason({"description": 3, "justification": "It must be."}) == "It must be."
    assert reason({"description": "", "command": "ls"}) == ""

"""What opencode may do by itself in each mode, and which lists of tools it can keep."""

from __future__ import annotations

import msgspec
import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.opencode.rules import check_tools, check_writers

BASE = Request(prompt="Hi.", mode="headless", cwd="/w", session_id="s1")


def listing(*tools: str) -> Request:
    return msgspec.structs.replace(BASE, allowed_tools=tools)


@pytest.mark.parametrize("tools", [("Edit",), ("Read", "Write")])
def test_a_list_that_names_one_of_the_tools_that_write_would_give_them_all(tools):
    with pytest.raises(Invalid, match="name both Edit and Write, or none"):
        check_writers(listing(*tools))


@pytest.mark.parametrize("request_", [BASE, listing(), listing("Read"), listing("Edit", "Write")])
def test_a_list_with_all_tools_that_write_or_with_none_can_be_kept(request_):
    check_writers(request_)
    check_tools(request_)


@pytest.mark.parametrize(("tool", "reason"), [("apply_patch", "name edit instead"), ("bash(git *)", "plain names")])
def test_a_tool_that_has_no_permission_of_its_own_is_refused(tool, reason):
    with pytest.raises(Invalid, match=reason):
        check_tools(listing("read", tool))

"""When a CLI that stays open can serve another order."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from jupyter_cabinet.core.people import Person, Principal
from jupyter_cabinet.execution.interactive.cli_setup import Setup
from jupyter_cabinet.execution.model import Order

ORDER = Order(
    run_id="r1",
    session_id="s1",
    prompt="Hi.",
    label="Hi.",
    runtime="claude",
    runtime_title="Claude Code",
    mode="terminal",
    permission_mode="edit",
    by=Person(username="ada", display_name="Ada"),
    owner=Principal(username="ada", display_name="Ada"),
    visibility="private",
)


@pytest.mark.parametrize("change", [{"network": ("open",)}, {"agent": "bob"}, {"isolate": "required"}])
def test_a_cli_serves_no_order_for_which_its_sandbox_would_be_another_one(change: dict[str, Any]) -> None:
    assert Setup.of(msgspec.structs.replace(ORDER, prompt="Go on.", run_id="r2")) == Setup.of(ORDER)
    assert Setup.of(msgspec.structs.replace(ORDER, **change)) != Setup.of(ORDER)

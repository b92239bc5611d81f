"""The real Claude Code without a terminal, against the suite's model server."""

from __future__ import annotations

import os
import time

import pytest
from harness.driving import run_headless

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.model import (
    Warned,
)
from jupyter_cabinet.testing.model_script import Answer, ToolUse, echo

from .clis import CLIS

pytestmark = pytest.mark.realcli
ERROR_TYPES = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 500: "api_error"}

WRITE = CLIS["claude"].writing


def test_a_resumed_session_counts_its_cost_once(desk, model):
    model.script = echo
    _, before = run_headless(Claude(), desk.request("The word is plum."), desk.environment)
    second = desk.request("Which word?", resume=before.native_id, session_cost_before_usd=before.session_cost_usd)
    _, after = run_headless(Claude(), second, desk.environment)
    assert before.cost_usd > 0
    assert after.session_cost_usd == pytest.approx(2 * before.session_cost_usd)
    assert after.cost_usd == pytest.approx(before.cost_usd)
    assert after.usage == before.usage


def test_edit_mode_asks_nobody_refuses_commands_and_says_so(desk, model):
    command = 'python3 -c \'open("made.txt", "w")\''  # `touch` and its like count as edits
    model.script = [Answer(text="I do it.", tools=(ToolUse(name="Bash", arguments={"command": command}),))]
    events, outcome = run_headless(Claude(), desk.request("Create it."), desk.environment)
    assert not (desk.folder / "made.txt").exists()
    assert outcome.failure.kind == "permission_denied"
    assert any(isinstance(event, Warned) and "Bash" in event.message for event in events)


def test_no_tools_means_none_and_a_list_means_that_list(desk, model):
    model.script = echo
    _, outcome = run_headless(Claude(), desk.request("Hello.", allowed_tools=()), desk.environment)
    assert outcome.failure is None
    assert model.requests == []  # it has asked, but with no tool at all
    run_headless(Claude(), desk.request("Hello.", allowed_tools=("Read",)), desk.environment)
    assert "Read" in model.requests[0].tools
    assert not {"Write", "Edit", "Bash"} & set(model.requests[0].tools)


def test_the_added_system_text_is_the_newest_also_after_a_resume(desk, model):
    model.script = echo
    first = desk.request("One.", system="MARK-ONE")
    run_headless(Claude(), first, desk.environment)
    run_headless(Claude(), desk.request("Two.", resume=first.session_id, system="MARK-TWO"), desk.environment)
    assert "MARK-ONE" in model.requests[0].system
    assert "MARK-TWO" in model.requests[1].system
    assert "MARK-ONE" not in model.requests[1].system


def test_the_limit_of_turns_ends_the_run(desk, model):
    model.script = WRITE
    _, outcome = run_headless(Claude(), desk.request("Create it.", max_turns=1), desk.environment)
    assert outcome.failure.kind == "output_limit"


def test_the_version_is_asked_quickly(desk):
    started = time.monotonic()
    located = Claude().locate(desk.environment)
    assert located.version.count(".") == 2
    assert located.login == "yes"
    assert time.monotonic() - started < 10


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
def test_no_questions_works_as_root_only_where_the_person_has_set_is_sandbox(desk, model, monkeypatch):
    model.script = WRITE
    request = desk.request("Create it.", permission_mode="bypass")
    monkeypatch.delenv("IS_SANDBOX", raising=False)
    with pytest.raises(Invalid, match="as root"):
        run_headless(Claude(), request, desk.environment)
    monkeypatch.setenv("IS_SANDBOX", "1")
    _, outcome = run_headless(Claude(), request, {**desk.environment, "IS_SANDBOX": "1"})
    assert outcome.failure is None
    assert (desk.folder / "hello.txt").exists()

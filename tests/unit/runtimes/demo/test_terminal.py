"""The demo agent in a real PTY, through the same hooks as a real CLI."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest
from harness.examples import cases
from harness.terminal_cli import TerminalClis

from jupyter_cabinet.core.errors import NotAllowed
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.execution.model import MADE_PRIVATE
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    TextBlock,
    ToolCall,
    ToolResult,
)

pytestmark = pytest.mark.slow(reason="starts real agents")


@pytest.fixture
def start(tmp_path):
    """Open the agent with one instruction."""
    (tmp_path / "root").mkdir()
    runs = Path(tempfile.mkdtemp(prefix="cab-"))  # a short path: a Unix socket's may have 107 bytes
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
    with TerminalClis(
        root=tmp_path / "root", data=tmp_path / "data", run_directories=runs, environment=environment
    ) as clis:
        yield partial(clis.open, "demo", cols=80, rows=24)
    shutil.rmtree(runs)


def page(tmp_path: Path) -> Path:
    path = tmp_path / "root" / "page.md"
    path.write_text("# Page\n\nhello world\n")
    return path


def test_it_edits_answers_and_stays_open_for_the_next_instruction(start, tmp_path):
    path = page(tmp_path)
    agent = start('You are editing page.md.\n\nreplace "world" with "there"')
    agent.event(AnswerFinished)
    assert path.read_text() == "# Page\n\nhello there\n"
    kinds = [type(event) for event in agent.events if not isinstance(event, TextBlock)]
    assert kinds == [SessionStarted, ToolCall, ToolResult, AnswerFinished]
    assert agent.outcome().text == "Replaced 1 occurrence. I changed page.md."
    agent.instruct("You are editing page.md.\n\nappend: a second line")
    agent.event(AnswerFinished, count=2)
    assert path.read_text().endswith("a second line\n")
    assert agent.outcome().failure is None


def test_a_question_waits_for_a_key(start):
    agent = start("ask a question")
    asked = agent.event(QuestionAsked)
    assert asked.in_terminal
    agent.until(lambda: b"(y/n)" in agent.screen)
    agent.keys(b"n")
    assert agent.event(QuestionAnswered).question_id == asked.question_id
    assert agent.event(AnswerFinished).text == "You said no."


def test_in_ask_mode_it_asks_before_it_edits(start, tmp_path):
    path = page(tmp_path)
    agent = start("You are editing page.md.\n\nappend: never", permission_mode="ask")
    agent.event(QuestionAsked)
    agent.until(lambda: b"(y/n)" in agent.screen)
    agent.keys(b"n")
    agent.event(AnswerFinished)
    assert "never" not in path.read_text()
    failure = agent.outcome().failure
    assert (failure.kind, failure.message) == ("permission_denied", "You did not allow Edit.")


def test_its_box_can_be_answered_by_the_hook_too(start, tmp_path):
    path = page(tmp_path)
    agent = start("You are editing page.md.\n\nappend: one\nappend: two", permission_mode="ask")
    asked = agent.event(QuestionAsked)
    agent.until(lambda: b"(y/n)" in agent.screen)
    agent.answer(asked.question_id, "session")
    agent.event(AnswerFinished)
    assert path.read_text().endswith("one\n\ntwo\n")
    assert len(agent.of(QuestionAnswered)) == 1
    assert len(agent.of(QuestionAsked)) == 1


@pytest.mark.long(reason="the quick tier tries a yes")
def test_a_no_by_the_hook_tells_why(start, tmp_path):
    path = page(tmp_path)
    agent = start("You are editing page.md.\n\nappend: never", permission_mode="ask")
    agent.answer(agent.event(QuestionAsked).question_id, "deny", "use the replica")
    agent.event(AnswerFinished)
    assert "never" not in path.read_text()
    assert b"use the replica" in agent.screen


def test_ctrl_c_interrupts_the_work_and_twice_leaves(start):
    agent = start("sleep 600")
    agent.until(lambda: "◐".encode() in agent.screen and b"sleep 600" in agent.screen)
    agent.settle()
    agent.keys(b"\x03")
    agent.event(AnswerFinished)
    assert agent.outcome().failure.kind == "cancelled"
    agent.settle()
    agent.keys(b"\x03")
    agent.until(lambda: b"again to leave" in agent.screen)
    agent.keys(b"\x03")
    assert agent.gone().code == 0


@pytest.mark.parametrize("keys", cases(b"/exit\r", b"\x04", b"wrong\x7f\x7f\x7f\x7f\x7f/exit\r"))
def test_it_can_be_left(start, keys):
    agent = start("write a plan")
    agent.event(AnswerFinished)
    agent.until(lambda: b"/exit leaves" in agent.screen)
    agent.keys(keys)
    assert agent.gone().code == 0


def test_a_failure_leaves_it_open_and_a_crash_ends_it(start):
    agent = start("fail")
    agent.event(AnswerFinished)
    assert agent.outcome().failure.message == "Demo agent failed: I failed, as requested."
    agent.instruct("crash")
    assert agent.gone().code == 70
    assert agent.outcome().failure.kind == "crashed"


def test_a_typed_instruction_counts_as_one_of_its_own(start):
    agent = start("write a plan")
    agent.event(AnswerFinished)
    agent.until(lambda: b"/exit leaves" in agent.screen)
    agent.keys(b"remember the plum\r")
    assert agent.event(AnswerFinished, count=2).text == "I have noted: the plum"
    assert agent.outcome().text == "I have noted: the plum"
    assert agent.typed_texts == ["remember the plum"]


def test_a_resize_draws_the_input_box_anew(start):
    agent = start("write a plan")
    agent.event(AnswerFinished)
    agent.until(lambda: b"/exit leaves" in agent.screen)
    agent.settle()
    before = len(agent.screen)
    agent.resize(50, 30)
    agent.until(lambda: ("─" * 50).encode() in agent.screen[before:])
    assert ("─" * 51).encode() not in agent.screen[before:]


def test_a_long_instruction_comes_from_a_file(start):
    agent = start("remember the plum " + "x" * 100_000)
    assert agent.event(AnswerFinished).text.startswith("I have noted: the plum")


def test_it_starts_quickly_and_imports_little():
    import subprocess

    code = (
        "import sys, jupyter_cabinet.runtimes.demo.program.agent as d;"
        "print([m for m in ('msgspec', 'nbformat', 'asyncio', 'tornado') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_waiting_instruction_is_not_typed_after_the_terminal_became_private_to_somebody_else(start):
    ben = Principal(username="ben", display_name="Ben")
    agent = start("remember the okapis")
    agent.event(AnswerFinished)
    agent.set_visibility("server")
    agent.keys(b"half a sentence")
    agent.until(lambda: b"half a sentence" in agent.screen)
    agent.instruct("remember the tapirs", owner=ben)
    agent.until(lambda: "contains text" in agent.waits_because)
    agent.set_visibility("private")
    with pytest.raises(NotAllowed, match=MADE_PRIVATE):  # at once, while the text is still there
        agent.outcome()
    assert b"tapirs" not in agent.screen


def test_an_instruction_for_a_paused_agent_is_not_typed_after_the_terminal_became_private(start):
    agent = start("remember the okapis")
    agent.event(AnswerFinished)
    agent.until(lambda: agent.shows_empty_box)
    agent.set_visibility("server")
    agent.pause()
    agent.instruct("remember the tapirs", owner=Principal(username="ben", display_name="Ben"))
    agent.until(lambda: agent.is_given)  # and waits to be typed
    agent.set_visibility("private")
    agent.resume()
    failure = agent.outcome().failure
    assert failure is not None and failure.message == MADE_PRIVATE and b"tapirs" not in agent.screen
    agent.instruct("remember the zebras")  # it is free for others
    assert agent.outcome().failure is None and b"zebras" in agent.screen


def test_an_instruction_for_a_terminal_that_is_private_to_somebody_else_is_for_administrators_only(start):
    ben = Principal(username="ben", display_name="Ben")
    agent = start("remember the okapis")
    agent.event(AnswerFinished)
    agent.instruct("remember the tapirs", owner=Principal(username="root", display_name="Root", administrator=True))
    assert agent.outcome().failure is None
    with pytest.raises(NotAllowed, match=MADE_PRIVATE):
        agent.instruct("remember the zebras", owner=ben)
        agent.outcome()
    assert b"zebras" not in agent.screen

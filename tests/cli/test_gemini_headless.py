"""The real Gemini CLI without a terminal, against the suite's model server."""

from __future__ import annotations

import json

import pytest
from harness.driving import run_headless
from harness.failures import FAILURES

from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import (
    Warned,
)
from jupyter_cabinet.testing.model_script import echo

from .clis import CLIS

pytestmark = pytest.mark.realcli

WRITE = CLIS["gemini"].writing


def test_without_a_key_and_settings_it_is_not_logged_in(gemini_desk):
    del gemini_desk.environment["GEMINI_API_KEY"]
    _, outcome = run_headless(Gemini(), gemini_desk.request("Hello."), gemini_desk.environment)
    assert outcome.failure.kind == FAILURES["gemini"]["no login"]
    (gemini_desk.home / ".gemini" / "settings.json").unlink()
    assert Gemini().locate(gemini_desk.environment).login == "no"


def test_a_folder_that_is_not_trusted_is_named(gemini_desk, model):
    settings = gemini_desk.home / ".gemini" / "settings.json"
    settings.write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))
    _, outcome = run_headless(Gemini(), gemini_desk.request("Hello."), gemini_desk.environment)
    assert outcome.failure.message.startswith("This folder is not trusted in Gemini CLI.")
    assert model.requests == []


def test_ask_mode_without_a_terminal_has_no_tool_that_asks_and_says_so(gemini_desk, model):
    model.script = WRITE
    request = gemini_desk.request("Create it.", permission_mode="ask")
    events, _ = run_headless(Gemini(), request, gemini_desk.environment)
    assert not (gemini_desk.folder / "hello.txt").exists()
    assert any(isinstance(event, Warned) and "cannot ask" in event.message for event in events)
    assert "write_file" not in model.requests[0].tools


def test_the_added_system_text_and_the_model_are_those_of_the_run(gemini_desk, model):
    model.script = echo
    request = gemini_desk.request("One.", system="MARK-ONE", model="gemini-2.5-flash")
    events, _ = run_headless(Gemini(), request, gemini_desk.environment)
    assert model.requests[0].prompt == "# Standing instructions\n\nMARK-ONE\n\n# Instruction\n\nOne."
    assert "gemini-2.5-flash:" in model.requests[0].path
    assert any(isinstance(event, Warned) and "placed before the message" in event.message for event in events)

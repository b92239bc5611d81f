"""An addition to the system prompt is at the head of the message if a CLI has no option for it."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.model import Request, Warned
from jupyter_cabinet.runtimes.shared.system_text import told, with_system_text


def request(prompt: str, system: str | None) -> Request:
    return Request(prompt=prompt, mode="headless", cwd="/w", session_id="s1", system=system)


def test_each_stands_under_its_own_heading_and_the_way_is_told():
    asked = request("Do it.", "\nBe brief.\n")
    assert with_system_text(asked) == "# Standing instructions\n\nBe brief.\n\n# Instruction\n\nDo it."
    message = "Codex does not accept an addition to its system prompt. The text is placed before the message."
    assert told(asked, "Codex") == [Warned(message=message)]


@pytest.mark.parametrize(("prompt", "system"), [("Do it.", None), ("Do it.", ""), ("", "Be brief."), ("", None)])
def test_without_an_addition_or_a_prompt_nothing_is_added_or_told(prompt, system):
    asked = request(prompt, system)
    assert with_system_text(asked) == prompt
    assert told(asked, "Codex") == []

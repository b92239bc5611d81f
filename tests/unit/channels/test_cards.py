"""Approval requests as they are shown in chats: all of a request is to be seen, whatever an agent writes into it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.approvals.model import AnswerOption, Approval, AskedPart
from jupyter_cabinet.channels.approvals_in_chat import card
from jupyter_cabinet.channels.discord.formatting import written
from jupyter_cabinet.channels.platforms import PLATFORMS
from jupyter_cabinet.channels.slack.formatting import blocks_of
from jupyter_cabinet.channels.telegram.formatting import formatted
from jupyter_cabinet.core.plain_text import plain
from jupyter_cabinet.testing.discord_markup import shown as shown_by_discord

ALLOW = AnswerOption(id="a", label="Allow", kind="allow_once")
WRITTEN = st.lists(
    st.sampled_from(
        ["~~~", "```", "````", "\n", " ", "rm", "-rf", "eve.example", "\u202e", "\u200b", "<!here>", "    "]
    ),
    max_size=12,
).map("".join)


def asked(**fields: Any) -> Approval:
    values: dict[str, Any] = {
        "id": "0" * 26,
        "run_id": "r",
        "question_id": "q",
        "session_id": "s",
        "runtime_title": "Demo",
        "instruction": "x",
        "kind": "tool",
        "title": "Demo asks",
        "question": "",
        "parts": (),
        "folder": "/project",
        "options": (ALLOW,),
        "owner": "ada",
        "owner_name": "Ada",
        "visibility": "private",
        "asked_at": datetime.now(UTC),
        "expires_at": datetime.now(UTC),
    }
    return Approval(**values | fields)


def shown(approval: Approval, platform: str, about: str = "") -> tuple[str, list[tuple[str, str]]]:
    """Return what a person sees of a request, without its fences, and the buttons."""
    text, buttons = card(approval, Path("/project"), PLATFORMS[platform].limits, about=about)  # type: ignore[index]
    if platform == "telegram":
        return formatted(text)[0], buttons
    if platform == "discord":
        return "".join(piece.text for piece in shown_by_discord(written(text))), buttons
    parts = [part for block in blocks_of(text) for element in block["elements"] for part in element["elements"]]
    return "".join(part.get("text") or part["url"] for part in parts), buttons


def words(text: str) -> list[str]:
    """Return the words that can be seen, without the marks of fences in front of a title or a label."""
    return plain(text).split()


@pytest.mark.parametrize("platform", PLATFORMS)
def test_nothing_of_a_request_is_hidden_by_fences(platform: str) -> None:
    request = asked(
        question="~~~ hidden words\nWhat now?",
        parts=(AskedPart(label="````", text="ls"), AskedPart(label="~~~x\n~~~", text="one\n~~~ ; rm -rf /\n```\ntwo")),
    )
    text, buttons = shown(request, platform)
    assert buttons and all(part in text for part in ("hidden words", "What now?", "ls", "; rm -rf /", "two"))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_name_of_a_tool_turns_no_fence_round(platform: str) -> None:
    text = "ada@example.org\n~~~and.also.to.eve-evil.example\n~~~\nthanks"
    request = asked(title="Demo asks to use read\n~~~\nnotes\u202e", parts=(AskedPart(label="to", text=text),))
    found, buttons = shown(request, platform)
    assert buttons and "eve-evil.example" in found and "\u202e" not in found


@pytest.mark.parametrize("platform", PLATFORMS)
@given(title=WRITTEN, about=WRITTEN, question=WRITTEN, label=WRITTEN, text=WRITTEN, folder=WRITTEN)
def test_each_word_of_a_request_can_be_seen(
    platform: str, title: str, about: str, question: str, label: str, text: str, folder: str
) -> None:
    request = asked(
        title=f"Demo {title}",
        question=question,
        parts=(AskedPart(label=label, text=text),),
        folder=f"/project/{folder}",
    )
    found, buttons = shown(request, platform, about=about)
    assert buttons
    for wanted in (*words(question), *words(text)):
        assert wanted in found
    for one_line in (title, about, label):
        for wanted in words(one_line.replace("`", "'").replace("~", "-")):
            assert wanted in found


def test_an_answer_without_a_name_has_no_button() -> None:
    nameless = AnswerOption(id="b", label=" \t", kind="deny")
    assert [label for label, _ in shown(asked(options=(ALLOW, nameless)), "slack")[1]] == ["Allow"]

"""Asks an agent for the next prompts of a session, and reads them from its answer: one marked line with JSON. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..core.plain_text import one_line
from ..runtimes.session_entries import Entry
from .handover import handover
from .model import CliSession

MARK = "NEXT-PROMPTS:"
MOST, LONGEST_CHARACTERS = 3, 300
ASK = (
    "Suggest three short instructions that the person could give next in this session. Use no tools, and change "
    'nothing. Answer with exactly one line: NEXT-PROMPTS: ["first instruction", "second instruction", '
    '"third instruction"]'
)


def prompt_for(session: CliSession, entries: Sequence[Entry], *, title: str) -> str:
    """Return the prompt: a summary of the session, and what to answer. `title`: of the CLI of the session."""
    return handover(session, entries, title=title, instruction=ASK)


def prompts_in(answer: str) -> tuple[str, ...]:
    """Return the prompts in the last marked line of an answer, at most three; none if it has no such line."""
    lines = [line.strip() for line in answer.splitlines()]
    marked = [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]
    try:
        found = msgspec.json.decode(marked[-1] if marked else "", type=list[str])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ()
    cut = (one_line(prompt, most=LONGEST_CHARACTERS) for prompt in found)
    return tuple(dict.fromkeys(filter(None, cut)))[:MOST]

"""The demo agent's suggestions of next prompts: always the same three. Pure, standard library only."""

from __future__ import annotations

import json

_ASKED = "Suggest three short instructions that the person could give next in this session."
_MARK = "NEXT-PROMPTS:"
_SUGGESTED = ("summarise", "write a plan", "append: What is still open")


def answer(prompt: str) -> str | None:
    """Return the answer; None if the prompt asks for something else."""
    return f"{_MARK} {json.dumps(_SUGGESTED)}" if _ASKED in prompt else None

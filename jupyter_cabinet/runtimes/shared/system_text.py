"""Puts an addition to the system prompt at the head of the user's message, for CLIs without a way of their own.

Pure. It comes anew with every start, also after a resume: nothing of it is frozen.
"""

from __future__ import annotations

from ..model import Request, Warned

HEADING = "# Standing instructions"
PROMPT_HEADING = "# Instruction"


def with_system_text(request: Request) -> str:
    """The prompt; a system text before it, each under its own heading. Nothing where there is no prompt."""
    if not request.system or not request.prompt:
        return request.prompt
    return f"{HEADING}\n\n{request.system.strip()}\n\n{PROMPT_HEADING}\n\n{request.prompt}"


def told(request: Request, title: str) -> list[Warned]:
    """What the run says of the way that was used."""
    if not request.system or not request.prompt:
        return []
    return [Warned(message=f"{title} takes no addition to its system prompt: it stands at the head of the message.")]

"""Puts an addition to the system prompt before the user's message, for CLIs that do not accept it separately.

Pure. It is sent with every start, also after a resume: nothing of it is cached.
"""

from __future__ import annotations

from ..model import Request, Warned

HEADING = "# Standing instructions"
PROMPT_HEADING = "# Instruction"


def with_system_text(request: Request) -> str:
    """Return the prompt, with a system text before it, each under its own heading. Empty if there is no prompt.

    Unchanged without a system text.
    """
    if not request.system or not request.prompt:
        return request.prompt
    return f"{HEADING}\n\n{request.system.strip()}\n\n{PROMPT_HEADING}\n\n{request.prompt}"


def told(request: Request, title: str) -> list[Warned]:
    """Return the warning that the system text is placed before the message; nothing without a text or a prompt."""
    if not request.system or not request.prompt:
        return []
    return [
        Warned(
            message=f"{title} does not accept an addition to its system prompt. The text is placed before the message."
        )
    ]

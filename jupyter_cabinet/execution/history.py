"""Earlier messages, for a CLI that has lost its session. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Exchange

MAX_HISTORY_BYTES = 16_000
MAX_ANSWER_BYTES = 2_000


def with_history(prompt: str, earlier: Sequence[Exchange]) -> str:
    """Return the prompt with the last instructions and answers before it; unchanged if there are none.

    Long instructions and answers are cut. If all are too long together, the newest are kept, within
    `MAX_HISTORY_BYTES`.
    """
    kept: list[str] = []
    size = 0
    for instruction, answer in reversed(earlier):
        piece = f"Instruction: {_cut(instruction)}\nAnswer: {_cut(answer)}"
        size += len(piece.encode())
        if size > MAX_HISTORY_BYTES:
            break
        kept.append(piece)
    if not kept:
        return prompt
    return "Earlier in this conversation:\n\n" + "\n\n".join(reversed(kept)) + f"\n\nNow:\n\n{prompt}"


def _cut(text: str) -> str:
    data = text.encode()
    return text if len(data) <= MAX_ANSWER_BYTES else data[:MAX_ANSWER_BYTES].decode(errors="ignore") + " …"

"""Builds the prompt of an editor run. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from .model import Attachment
from .pages import Page

MAX_ATTACHMENT_BYTES = 50_000


class InstructionSource(msgspec.Struct, frozen=True, kw_only=True):
    """The origin of an instruction. `cell`: the label of the notebook's cell; empty: the sidebar."""

    path: str
    cell: str = ""


def build_prompt(
    asked: InstructionSource,
    *,
    root: str,
    instruction: str,
    attachments: Sequence[Attachment],
    pages: Sequence[Page],
    former: str | None = None,
) -> str:
    """Build the prompt of one instruction about one document. `former`: its path at the previous instruction.

    An attachment is cut after 50 kB. Pages are included as they are.
    """
    renamed = f"\nThe document was renamed: it was {former} before." if former else ""
    parts = [f"{_opening(asked)}{renamed}", instruction.strip()]
    parts += [f"--- {one_line(a.title)} ---\n{_cut(a.text)}" for a in attachments]
    parts += [_mentioned(page) for page in pages]
    parts.append(f"Work in {root}. {_ending(asked)}")
    return "\n\n".join(parts)


def _opening(asked: InstructionSource) -> str:
    return f"You are asked from {one_line(asked.cell)}." if asked.cell else f"You are editing {asked.path}."


def _ending(asked: InstructionSource) -> str:
    if asked.cell:
        return (
            "Your answer is shown below that cell as Markdown. Change files, and the notebook itself, only where you "
            "are asked to; then edit them directly and briefly confirm what you changed."
        )
    return "Edit files directly. After editing, briefly confirm what you changed."


def one_line(text: str) -> str:
    """Join the text into one line of at most 200 characters, so that a heading cannot imitate two."""
    return " ".join(text.split())[:200]


def _mentioned(page: Page) -> str:
    heading = f"--- {one_line(page.title)} ({page.path}) ---"
    return f"{heading}\n{page.content}" if page.content is not None else f"{heading}\n({page.note})"


def _cut(text: str) -> str:
    data = text.encode()
    if len(data) <= MAX_ATTACHMENT_BYTES:
        return text
    return data[:MAX_ATTACHMENT_BYTES].decode(errors="ignore") + "\n(cut at 50 kB)"

"""Puts an editor run's prompt together. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Attachment
from .pages import Page

MAX_ATTACHMENT_BYTES = 50_000


def build_prompt(
    *,
    path: str,
    root: str,
    instruction: str,
    attachments: Sequence[Attachment],
    pages: Sequence[Page],
    former: str | None = None,
) -> str:
    """The prompt of one instruction about one document. `former`: its path at the session's last instruction."""
    renamed = f"\nThe document was renamed: it was {former} before." if former else ""
    parts = [f"You are editing {path}.{renamed}", instruction.strip()]
    parts += [f"--- {one_line(a.title)} ---\n{_cut(a.text)}" for a in attachments]
    parts += [_mentioned(page) for page in pages]
    parts.append(f"Work in {root}. Edit files directly. After editing, briefly confirm what you changed.")
    return "\n\n".join(parts)


def one_line(text: str) -> str:
    """A heading cannot pretend to be two."""
    return " ".join(text.split())[:200]


def _mentioned(page: Page) -> str:
    heading = f"--- {one_line(page.title)} ({page.path}) ---"
    return f"{heading}\n{page.content}" if page.content is not None else f"{heading}\n({page.note})"


def _cut(text: str) -> str:
    data = text.encode()
    if len(data) <= MAX_ATTACHMENT_BYTES:
        return text
    return data[:MAX_ATTACHMENT_BYTES].decode(errors="ignore") + "\n(cut at 50 kB)"

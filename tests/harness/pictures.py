"""Screens of CLIs, drawn in a few words: as the real ones draw them, where the recordings have no such state."""

from __future__ import annotations

COLUMNS, ROWS = 120, 30
RULE = "─" * COLUMNS


def picture(*rows: str, cursor: tuple[int, int], title: str = "", shown: bool = True) -> bytes:
    """Everything drawn again; `cursor`: column and row, from 0."""
    lines = "".join(f"\x1b[{place};1H{row}" for place, row in enumerate(rows, 1))
    visible = "\x1b[?25h" if shown else "\x1b[?25l"
    named = f"\x1b]0;{title}\x07" if title else ""
    return f"{named}\x1b[2J{lines}{visible}\x1b[{cursor[1] + 1};{cursor[0] + 1}H".encode()


def claude(*above: str, typed: str = "", title: str = "✳ Claude Code", footer: str = "? for shortcuts") -> bytes:
    """Claude Code's input box below what was said."""
    first, *rest = typed.split("\n")
    rows = [*above, RULE, f"❯\u00a0{first}", *(f"  {line}" for line in rest), RULE, f"  {footer}"]
    return picture(*rows, cursor=(2 + len(first), len(above) + 1), title=title, shown=False)


def claude_box(*above: str, question: str = "Do you want to proceed?", title: str = "✳ Claude Code") -> bytes:
    rows = [*above, RULE, " Bash command", f" {question}", " ❯ 1. Yes", "   2. No", "", " Esc to cancel · Tab to amend"]
    return picture(*rows, cursor=(1, len(above) + 3), title=title, shown=False)


def codex(*above: str, typed: str = "", title: str = "work") -> bytes:
    hint = "" if typed else "\x1b[2mAsk Codex to do anything\x1b[22m"
    rows = [*above, "", f"\x1b[1m›\x1b[22m {typed}{hint}", "", "  mock-model default · /w"]
    return picture(*rows, cursor=(2 + len(typed), len(above) + 1), title=title)


def gemini(*above: str, typed: str = "", title: str = "◇  Ready (w)") -> bytes:
    rows = [*above, RULE, " Shift+Tab to accept edits", "", f" > {typed or '  Type your message or @path/to/file'}", ""]
    return picture(*rows, cursor=(3 + len(typed), len(above) + 3), title=title, shown=False)


def pi(*above: str, typed: str = "") -> bytes:
    return picture(*above, RULE, typed, RULE, "/w", cursor=(len(typed), len(above) + 1), shown=False)

"""Escapes an instruction that is typed into an interactive CLI: it must never become a command or a key.

Pure; used by the runtimes whose CLI is open in a PTY.
"""

from __future__ import annotations

import re

PASTE_BEGIN = b"\x1b[200~"
PASTE_END = b"\x1b[201~"
# A control character inside a paste would end it and act as a key: all but line feed and tab are removed.
_KEYS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# At the start of an input line these are commands of the CLI, which trims white space first (Claude Code 2.1.329:
# "/model" opens a menu, "!ls" runs at once, and no hook reports an end).
_COMMAND_SIGNS = ("/", "!", "#", "&")
SHIELD = "Instruction: "
_OPENS_LIST = re.compile(r"[@$]\S*\Z")  # Codex 0.169.0: @file, $skill; Gemini CLI 0.61.0: @file


def plain_instruction(text: str) -> str:
    """Return the text so that a CLI reads it as plain text: one that looks like a command gets `SHIELD` before it."""
    # checked in the form that arrives: a control character before the sign is removed on the way
    return SHIELD + text if _KEYS.sub("", text).lstrip().startswith(_COMMAND_SIGNS) else text


def without_open_list(text: str) -> str:
    """Return the text so that Enter sends it: a mention at its end, which opens a list, gets a space after it."""
    return f"{text} " if _OPENS_LIST.search(text) else text


def paste(text: str) -> bytes:
    """Return `text` as a bracketed paste, without control characters. The caller types Enter separately."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return PASTE_BEGIN + _KEYS.sub("", lines).encode(errors="replace") + PASTE_END

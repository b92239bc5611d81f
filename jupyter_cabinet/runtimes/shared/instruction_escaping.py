"""Turns an instruction into what may be typed into an interactive CLI: never a command, never a key.

Pure; used by the runtimes whose CLI is open in a PTY.
"""

from __future__ import annotations

import re

PASTE_BEGIN = b"\x1b[200~"
PASTE_END = b"\x1b[201~"
# A control character inside a paste would end it and be a key: everything but line feed and tab goes.
_KEYS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# At the start of an input line these are commands of the CLI, which trims white space before it looks
# (Claude Code 2.1.329: "/model" opens a menu, "!ls" runs at once, and no hook tells of an end).
_COMMAND_SIGNS = ("/", "!", "#", "&")
SHIELD = "Instruction: "
_OPENS_LIST = re.compile(r"[@$]\S*\Z")  # Codex 0.169.0: @file, $skill; Gemini CLI 0.61.0: @file


def plain_instruction(text: str) -> str:
    """`text` so that a CLI takes it for words."""
    # looked at as it will arrive: a control character before the sign is taken out on the way
    return SHIELD + text if _KEYS.sub("", text).lstrip().startswith(_COMMAND_SIGNS) else text


def without_open_list(text: str) -> str:
    """`text` so that Enter sends it: a mention at its end opens a list, and Enter would choose from that."""
    return f"{text} " if _OPENS_LIST.search(text) else text


def paste(text: str) -> bytes:
    """`text` as a bracketed paste. Enter is typed by the caller, separately."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return PASTE_BEGIN + _KEYS.sub("", lines).encode(errors="replace") + PASTE_END

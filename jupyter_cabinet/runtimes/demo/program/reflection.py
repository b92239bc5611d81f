"""The demo agent's answer to a reflection: its soul with one more line. Pure, standard library only.

A line `answer: TEXT` of what it learnt is added to the soul, and nothing else.
"""

from __future__ import annotations

import re

_MARK = "This is a reflection:"
_SOUL = re.compile(r"^(?P<fence>`{3,})soul\n(?P<text>.*?)\n(?P=fence)$", re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(r"^[-*\s]*answer:\s*(?P<line>.+)$", re.MULTILINE)

LEARNT = "## Learnt\n\n- The demo agent has thought about its work here."


def is_reflection_wanted(prompt: str) -> bool:
    """Return whether the prompt asks for a reflection."""
    return _MARK in prompt


def reflection(prompt: str) -> str:
    """Return the final message, with the whole soul in a block."""
    found = _SOUL.search(prompt)
    soul, fence = (found["text"], found["fence"]) if found else ("# Character", "```")
    lines = [answer["line"].strip() for answer in _ANSWER.finditer(prompt)]
    added = "\n".join(lines) if lines else "" if LEARNT in soul else LEARNT
    return f"I would add what I learnt.\n\n{fence}soul\n{soul}\n\n{added}\n{fence}"

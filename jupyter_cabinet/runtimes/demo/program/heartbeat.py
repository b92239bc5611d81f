"""The demo agent's answer to a heartbeat or a play: a report with a block of directives. Pure, standard library only.

It completes every open task, and describes in one sentence what it has seen. A line `answer: DIRECTIVE` of its
checklist or its play is copied into the block.
"""

from __future__ import annotations

import re

_HEARTBEAT, _PLAY = "This is a heartbeat:", "This is a play:"
_FENCE = re.compile(r"^```(?P<info>(?:memory|cabinet)\b.*)$", re.MULTILINE)
_TASK = re.compile(r"^### Task (?P<id>\S+): (?P<title>.*)$", re.MULTILINE)
_MESSAGE = re.compile(r"^### Message (?P<id>\S+) from (?P<sender>\S+?)[,\s]", re.MULTILINE)
_ANSWER = re.compile(r"^[-*\[\]\s]*answer:\s*(?P<line>.+)$", re.MULTILINE)

NOTHING_TO_REPORT = "HEARTBEAT_OK"


def is_report_wanted(prompt: str) -> bool:
    """Return whether the prompt asks for a report with a block."""
    return _HEARTBEAT in prompt or is_play(prompt)


def is_play(prompt: str) -> bool:
    """Return whether the prompt is that of a play, which always asks for something."""
    return _PLAY in prompt


def report(prompt: str, said: list[str]) -> str:
    """Return the final message: `NOTHING_TO_REPORT` if there is nothing to do. `said`: what was done before."""
    lines = [found["line"].strip() for found in _ANSWER.finditer(prompt)]
    tasks = [found.groupdict() for found in _TASK.finditer(prompt)]
    senders = sorted({found["sender"] for found in _MESSAGE.finditer(prompt)})
    if not (lines or tasks or senders or said):
        return NOTHING_TO_REPORT
    seen = [f"{len(tasks)} tasks done"] * bool(tasks) + [f"messages from {', '.join(senders)} read"] * bool(senders)
    summary = "; ".join([*said, *seen]) or "I worked through my checklist"
    block = [f"CONTEXT_UPDATE: {summary}."]
    block += [f"TASK_COMPLETE [{task['id']}]: The demo agent has read “{task['title']}”." for task in tasks]
    fences = _FENCE.findall(prompt)
    info = fences[-1].strip() if fences else "memory"
    body = "\n".join([*block, *lines])
    return f"{summary}.\n\n```{info}\n{body}\n```"

"""Parses the few plain English instructions of the demo agent. Pure, standard library only.

There is no model behind it: one line, one pattern, one step. `work.py` carries out the steps.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LIST = """\
- `append: TEXT`, or “add a line/paragraph/heading TEXT”
- `replace "A" with "B"`
- `add a cell that prints TEXT`, or “add a code/markdown cell: TEXT”, in a notebook
- `write a plan`
- `summarise`: adds an outline of the document
- `ask a question`: waits for your yes or no
- `ask several questions`: asks them at once, where it runs without a terminal
- `remember TEXT`, and later `what did I tell you`
- `run touch PATH`: runs the one command that it knows"""
# Not listed, because they are for the test suite: sleep SECONDS, leave a sleep of SECONDS at work, wait for the file
# PATH, fail, crash, hang (ignores Ctrl-C and TERM), flood N MiB.


class InstructionStep(NamedTuple):
    """One thing to do. `what` and `how` depend on the kind."""

    kind: str
    what: str = ""
    how: str = ""


_QUOTED = r"[\"“'‘`](?P<{0}>[^\"”’`]+?)[\"”'’`]"
_PATTERNS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("replace", rf"replace\s+{_QUOTED.format('what')}\s+(?:with|by)\s+{_QUOTED.format('how')}"),
        (
            "cell",
            r"(?:add|append|insert)\s+(?:an?\s+|another\s+)?(?P<how>code\s+|markdown\s+)?cell"
            r"(?:\s+(?:that|which|with|saying))?\s*[:,]?\s*(?P<what>.*)",
        ),
        ("append", r"append\s*:\s*(?P<what>.*)"),
        (
            "append",
            r"(?:add|append)\s+(?:an?\s+)?(?P<how>line|paragraph|heading|sentence|section)"
            r"(?:\s+(?:that\s+says|saying|with(?:\s+the\s+text)?|called|named|about))?\s*[:,]?\s*(?P<what>.*)",
        ),
        ("append", rf"append\s+{_QUOTED.format('what')}"),
        ("plan", r"(?:write|make|add)\s+(?:me\s+)?a\s+plan\b"),
        ("summary", r"(?:summari[sz]e|(?:write|add|make)\s+a\s+summary|summary)\b"),
        ("ask", r"ask\s+(?:me\s+)?a\s+question\b"),
        ("inquire", r"ask\s+(?:me\s+)?several\s+questions\b"),
        ("sleep", r"sleep\s+(?P<what>\d+(?:\.\d+)?)\b"),
        ("leave", r"leave\s+a\s+sleep\s+of\s+(?P<what>\d+(?:\.\d+)?)\b"),
        ("await", r"wait\s+for\s+the\s+file\s+(?P<what>\S+)"),
        ("touch", r"run\s+touch\s+(?P<what>\S+)"),
        ("flood", r"flood\s+(?P<what>\d+)\s*MiB\b"),
        ("fail", r"fail\b"),
        ("crash", r"crash\b"),
        ("hang", r"hang\b"),
        ("remember", r"remember\s+(?:that\s+)?(?P<what>.+)"),
        ("reply", r"reply\s+with\s+the\s+single\s+word\s+(?P<what>\w+)"),
        ("recall", r"what\s+did\s+i\s+tell\s+you\b"),
    )
)
_DOCUMENT = re.compile(r"^You are (?:editing|asked from cell (?:\[\d+\] )?of) (?P<path>.+)\.\s*$", re.MULTILINE)
_OWN_LINES = re.compile(
    r"^(?:You are (?:editing|asked from cell)|The document was renamed:|Work in|Edit files directly|After editing)\b"
)
_POLITE = re.compile(r"^(?:(?:please|instruction:|then|and|now|could you|can you)[\s,]+)+", re.IGNORECASE)


def document(prompt: str) -> str | None:
    """Return the path in `You are editing {path}.`, or of the notebook with the asking cell; None if there is none."""
    found = _DOCUMENT.search(prompt)
    return found["path"].strip() if found else None


def steps(prompt: str) -> list[InstructionStep]:
    """Return the steps that the prompt asks for; empty if nothing in it is understood.

    These are not instructions: the product's own sentences, earlier messages, and everything from the first `--- …` on
    (pasted documents), or from how to report a plan's step.
    """
    found = []
    for line in _now(prompt).splitlines():
        if line.startswith(("--- ", "## Your result")):
            break
        if not _OWN_LINES.match(line) and (step := _step(_POLITE.sub("", line.strip()))):
            found.append(step)
    return found


def _now(prompt: str) -> str:
    """Remove the messages of a lost session (`runs/history.py`)."""
    return prompt.partition("\n\nNow:\n\n")[2] if prompt.startswith("Earlier in this conversation:") else prompt


def _step(line: str) -> InstructionStep | None:
    for kind, pattern in _PATTERNS:
        if found := pattern.match(line):
            groups = {name: (value or "").strip() for name, value in found.groupdict().items()}
            return InstructionStep(
                kind,
                _bare(groups.get("what", "")),
                groups.get("how", "").lower() if kind != "replace" else groups["how"],
            )
    return None


def _bare(text: str) -> str:
    """Remove one pair of quotes around the whole text."""
    pairs = {'"': '"', "“": "”", "'": "'", "`": "`"}
    return text[1:-1] if len(text) > 1 and pairs.get(text[0]) == text[-1] else text

"""The demo agent's answers to the runs of a plan. Pure, standard library only.

A step is reported as done, with what was done as its summary. For the test suite and the examples, a line of the step
can say otherwise: `report blocked: TEXT`, `report failed: TEXT`, or `report nothing`. An evaluation proposes what a
line `after TITLE: insert TEXT` or `after TITLE: add TEXT` of the plan's description says. Work is broken into one step
for each of its lines that begin with `- `, each after the one before; without such lines, into its clauses, if there
are several.
"""

from __future__ import annotations

import json
import re

_STEP = "You carry out one step of a plan."
_CONTINUED = "Continue the step “"
_HANDOFF = "A step of a plan has ended: "
_EVALUATION = "A step of a plan is done. Judge whether"
_BREAKDOWN = "Break this work into the steps of a plan."
_FENCE = re.compile(r"^```(?P<info>(?:step|evaluation|plan) [0-9a-z]+)$", re.MULTILINE)
_REPORT = re.compile(r"^report (?:(?P<status>blocked|failed): *(?P<text>.*)|(?P<nothing>nothing))$", re.MULTILINE)
_DONE = re.compile(r"^## The step that is done: (?P<title>.*)$", re.MULTILINE)
_AFTER = re.compile(r"^after (?P<title>.+?): (?P<what>insert|add) (?P<text>.+)$", re.MULTILINE)
_ITEM = re.compile(r"^- (?P<text>.+)$", re.MULTILINE)
_BETWEEN_CLAUSES = re.compile(r"(?:[,.;]\s|\n)\s*(?:and\s+|then\s+)*|\s+and\s+(?:then\s+)?", re.IGNORECASE)
MAX_CLAUSES = 10
_KINDS = {"insert": "INSERT_BETWEEN", "add": "ADD_SIBLING"}


def is_step(prompt: str) -> bool:
    """Return whether the prompt is the work of a step, so that the agent has to report."""
    return prompt.startswith((_STEP, _CONTINUED))


def with_report(prompt: str, said: str) -> str:
    """Return the final message of a step. `said`: what was done."""
    found = _REPORT.search(prompt)
    if found and found["nothing"]:
        return said
    status = found["status"] if found else "done"
    lines = [f"status: {status}", f"summary: {said or 'The demo agent had nothing to do.'}"]
    if found:
        lines[1:] = (
            [f"summary: {found['text']}", f"blocker: {found['text']}"]
            if status == "blocked"
            else [f"summary: {found['text']}"]
        )
    body = "\n".join(lines)
    return f"{said}\n\n```{_info(prompt)}\n{body}\n```"


def answer(prompt: str) -> str | None:
    """Return the answer to another run of a plan; None if the prompt is none."""
    if prompt.startswith(_HANDOFF):
        return f"The step “{prompt.splitlines()[0].removeprefix(_HANDOFF)}” is over."
    if prompt.startswith(_EVALUATION):
        return f"```{_info(prompt)}\n{json.dumps(_evaluation(prompt))}\n```"
    if prompt.startswith(_BREAKDOWN):
        return f"```{_info(prompt)}\n{json.dumps(_steps(prompt))}\n```"
    return None


def _info(prompt: str) -> str:
    fences = _FENCE.findall(prompt)
    return str(fences[-1]) if fences else "step"


def _evaluation(prompt: str) -> dict[str, object]:
    done = _DONE.search(prompt)
    title = done["title"].strip() if done else ""
    wanted = [found for found in _AFTER.finditer(prompt) if found["title"] == title]
    mutations = [{"kind": _KINDS[found["what"]], "title": found["text"], "prompt": found["text"]} for found in wanted]
    verdict = "NEEDS_REFINEMENT" if mutations else "COMPLETE"
    return {"verdict": verdict, "comment": "The demo agent has looked at it.", "mutations": mutations}


def _steps(prompt: str) -> dict[str, object]:
    work = prompt.partition("## The work")[2].partition("\n## ")[0]
    texts = [found["text"].strip() for found in _ITEM.finditer(work)] or _clauses(work)
    keys = [f"k{number}" for number in range(len(texts))]
    return {
        "steps": [
            {"key": key, "title": text[:80], "prompt": text, "depends_on": keys[max(0, at - 1) : at]}
            for at, (key, text) in enumerate(zip(keys, texts, strict=True))
        ]
    }


def _clauses(work: str) -> list[str]:
    """Return the parts of a text that is no list; nothing if it has only one part."""
    found = [part.strip(" .,;\n") for part in _BETWEEN_CLAUSES.split(work.strip())]
    texts = [part[0].upper() + part[1:] for part in found if part]
    return texts[:MAX_CLAUSES] if len(texts) > 1 else []

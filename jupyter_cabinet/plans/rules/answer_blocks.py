"""The blocks at the end of an agent's answer: a step's result, an evaluation, the steps of a plan. Pure.

A block counts only if its opening fence has the run's own nonce: a file that the agent quotes cannot know it. The last
block counts.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from ...agents.directives.fenced_blocks import blocks_of
from ...agents.files import yaml_values
from ...core.errors import Invalid
from ...core.json_input import converted
from ..model import Mutation, NewStep, StepReport, Verdict
from .mutations import MAX_MUTATIONS

MAX_SUMMARY = 4_000  # characters of a handoff
MAX_BLOCK = 400_000
Word = Literal["step", "evaluation", "plan"]

_FIELD = re.compile(r"(status|summary|blocker)[ \t]*:[ \t]*(.*)", re.IGNORECASE)


class EvaluationAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The block of an evaluation."""

    verdict: Verdict
    comment: str = ""
    mutations: tuple[Mutation, ...] = ()


class AgentStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A step as an agent may write it: without a command, which would start without a question, and without an
    agent, which may be allowed more.
    """

    key: str | None = None
    title: str
    description: str = ""
    prompt: str = ""
    depends_on: tuple[str, ...] = ()


class AgentPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The block of a breakdown."""

    steps: tuple[AgentStep, ...]


def nonce_of(run_id: str) -> str:
    """Return the nonce of a run's blocks: the random end of its id."""
    return run_id[-8:]


def last_block(text: str, word: Word, nonce: str) -> tuple[str | None, str]:
    """Return the content of the last block of this kind that counts, and the text without it.

    None, with the text unchanged: there is no block of this kind with this nonce.
    """
    found = [block for block in blocks_of(text) if block.info == (word, nonce)]
    if not found:
        return None, text
    content = "\n".join(found[-1].lines)
    first = found[-1].first_line - 2  # index of the line with the opening fence
    lines = re.split(r"\r\n|\n|\r", text)
    rest = lines[:first] + lines[first + len(found[-1].lines) + 2 :]
    return content, "\n".join(rest).strip()


def step_block(text: str, *, nonce: str) -> tuple[StepReport | None, str]:
    """Return the result that a step has written at the end of its answer, and the answer without it.

    None, with the text unchanged: there is no such block, or it names no valid status. Never raises.
    """
    content, rest = last_block(text, "step", nonce)
    if content is None:
        return None, text
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in content.split("\n"):
        match = _FIELD.match(line)
        if match is not None:
            current = fields.setdefault(match[1].lower(), [])
            current.append(match[2])
        else:
            current.append(line)
    texts = {name: "\n".join(lines).strip()[:MAX_SUMMARY] for name, lines in fields.items()}
    status = texts.pop("status", "").strip(" .`*\"'").lower()
    if status not in ("done", "failed", "blocked"):
        return None, text
    return StepReport(status=status, **texts), rest  # type: ignore[arg-type]


def evaluation_block(text: str, *, nonce: str) -> EvaluationAnswer:
    """Return the evaluation in an answer.

    Raises `Invalid` with what is wrong, for a person: there is no block with this nonce, it cannot be read, or it
    proposes too many new steps.
    """
    found = converted(_mapping(text, "evaluation", nonce), EvaluationAnswer)
    if len(found.mutations) > MAX_MUTATIONS:
        raise Invalid(f"It proposes more than {MAX_MUTATIONS} new steps.")
    return found


def plan_block(text: str, *, nonce: str) -> tuple[NewStep, ...]:
    """Return the steps in an answer, at least one. Their dependencies and titles are not checked.

    Raises `Invalid` with what is wrong, for the agent and for people: there is no block with this nonce, it cannot be
    read, or it has no steps.
    """
    found = converted(_mapping(text, "plan", nonce), AgentPlan)
    if not found.steps:
        raise Invalid("The answer has no steps.")
    return tuple(NewStep(**msgspec.structs.asdict(step)) for step in found.steps)


def _mapping(text: str, word: Word, nonce: str) -> dict[str, Any]:
    content, _ = last_block(text, word, nonce)
    if content is None:
        raise Invalid(f"The answer has no block that begins with ```{word} {nonce}.")
    if len(content) > MAX_BLOCK:
        raise Invalid(f"The block is longer than {MAX_BLOCK} characters.")
    try:
        return yaml_values.read_mapping(content)
    except yaml_values.NotReadable as problem:
        raise Invalid(f"Line {problem.line + 1} of the block cannot be read: {problem.problem}.") from None

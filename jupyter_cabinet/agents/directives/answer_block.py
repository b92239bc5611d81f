"""Parses and writes the block of directives at the end of an agent's answer. Pure.

Directives cover memory, goals, messages, posts and tasks. `parse` accepts any text and never guesses: a line that
cannot be read becomes a `Problem` and does not affect other lines. `effects/` checks whether a target exists and
applies directives; `directive_lines.py` reads a single directive.

A directive begins at the start of a line with one of `WORDS` and continues until the next directive begins. The start
of a line also counts as a directive, an unknown one, if a word in capitals is followed by a colon and either has an
underscore (`TASK_CRAETE: …`), or has an argument in brackets (`MAIL [ada]: …`), or is a misspelled known word or the
first part of one (`LERNING: …`, `CONTEXT: …`). Other words in capitals (`TODO: …`, `ETA: …`) are ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from .directive_lines import (
    WORDS,
    ContextUpdate,
    Decision,
    Directive,
    GoalUpdate,
    Learning,
    MessageTo,
    Post,
    TaskComplete,
    TaskCreate,
    TaskFail,
    directive_of,
    is_almost_a_word,
    written,
)
from .fenced_blocks import LINE_BREAK, Block, blocks_of, counts, is_meant, why_not

__all__ = [
    "ContextUpdate",
    "Decision",
    "Directive",
    "GoalUpdate",
    "Learning",
    "MessageTo",
    "Parsed",
    "Post",
    "Problem",
    "TaskComplete",
    "TaskCreate",
    "TaskFail",
    "ok_answer",
    "parse",
    "reaches_others",
    "render",
    "template",
    "without_blocks",
]

MAX_DIRECTIVES = 100
MAX_DIRECTIVE_BYTES = 16 * 1024  # size of a directive's text in UTF-8
EXCERPT_CHARACTERS = 200
MAX_IGNORED = 5  # ignored blocks that are reported

NOTHING_TO_REPORT = "HEARTBEAT_OK"

_KNOWN = re.compile(rf"({'|'.join(WORDS)})(?![A-Za-z0-9_])")
_HEADED = re.compile(r"([A-Z][A-Z0-9_]{1,40}+)((?:[ \t]*+\[[^\[\]]*+\])*+)[ \t]*+:")
_SURROGATE = re.compile("[\ud800-\udfff]")

_TEMPLATE = """\
CONTEXT_UPDATE: [one paragraph summary of what was done]
DECISION: [key decision made]
LEARNING: [new insight]
GOAL_UPDATE [metric_name]: +N
MESSAGE_TO [agent-slug]: [message for another agent]
SLACK [channel-name]: [message to post]
TASK_CREATE [target-agent-slug] [priority]: title | description
TASK_COMPLETE [task-id]: result
TASK_FAIL [task-id]: reason
"""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A directive that cannot be read.

    `position` numbers directives and problems together, in order, from 1. `line`: line of the answer, from 1. `text`:
    the beginning of the directive. `reason`: a sentence for people.
    """

    position: int
    line: int
    text: str
    reason: str


class Parsed(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a block. `has_block`: whether the answer has a block at all."""

    directives: tuple[Directive, ...] = ()
    problems: tuple[Problem, ...] = ()
    has_block: bool = False


class _Item(msgspec.Struct):
    line: int
    lines: list[str]


def parse(text: str, *, nonce: str | None = None) -> Parsed:
    """Read the last block whose fence is followed by `memory` or `cabinet`.

    Never raises: it accepts any text, in linear time. A block with directives that does not count becomes a problem,
    after the problems of the block that counts. At most 100 directives are read. `nonce`: set for a run that has seen
    text from outside; only a block with this nonce counts.
    """
    blocks = blocks_of(_SURROGATE.sub("\ufffd", text))
    counting = [block for block in blocks if counts(block, nonce=nonce)]
    ignored = [block for block in blocks if not counts(block, nonce=nonce) and _has_directives(block)]
    parsed = _parsed(counting[-1]) if counting else Parsed()
    first = len(parsed.directives) + len(parsed.problems) + 1
    reports = tuple(_ignored(position, block) for position, block in enumerate(ignored[-MAX_IGNORED:], start=first))
    return msgspec.structs.replace(parsed, problems=(*parsed.problems, *reports))


def _parsed(block: Block) -> Parsed:
    directives: list[Directive] = []
    problems: list[Problem] = []
    for position, item in enumerate(_items(block.lines, block.first_line), start=1):
        found = _directive(position, item) if position <= MAX_DIRECTIVES else _TOO_MANY
        if isinstance(found, str):
            excerpt = "\n".join(item.lines).strip()[:EXCERPT_CHARACTERS]
            problems.append(Problem(position=position, line=item.line, text=excerpt, reason=found))
        else:
            directives.append(found)
        if position > MAX_DIRECTIVES:
            break
    return Parsed(directives=tuple(directives), problems=tuple(problems), has_block=True)


def _has_directives(block: Block) -> bool:
    """Return whether a block is meant for Cabinet and contains a directive.

    Either its fence says so, or the fence says nothing and the block begins with a directive.
    """
    heads = block.lines if is_meant(block) else () if block.info else block.lines[:1]
    return any(_KNOWN.match(line) and _HEADED.match(line) for line in heads)


def _ignored(position: int, block: Block) -> Problem:
    excerpt = "\n".join(block.lines).strip()[:EXCERPT_CHARACTERS]
    return Problem(position=position, line=block.first_line, text=excerpt, reason=why_not(block))


def without_blocks(text: str) -> str:
    """Return an answer without its blocks for Cabinet, as people read it."""
    lines = LINE_BREAK.split(text)
    for block in reversed([each for each in blocks_of(text) if is_meant(each)]):
        del lines[block.first_line - 2 : block.first_line + len(block.lines)]
    return "\n".join(lines).strip()


def template(nonce: str | None = None) -> str:
    """Return the block that agents are shown as a form. Parsed as it is, it has problems and no directives."""
    return f"```{_info(nonce)}\n{_TEMPLATE}```\n"


def render(directives: Sequence[Directive], *, nonce: str | None = None) -> str:
    """Return a block that `parse` reads as these directives, with new positions and lines."""
    body = "".join(f"{written(each)}\n" for each in directives)
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}+", body))])
    return f"{fence}{_info(nonce)}\n{body}{fence}\n"


def ok_answer(text: str) -> bool:
    """Return whether an answer says that there is nothing to report: it is `HEARTBEAT_OK`, and nothing else."""
    return text.strip() == NOTHING_TO_REPORT


def reaches_others(directive: Directive) -> bool:
    """Return whether a directive affects another agent or a channel. In a tainted run, a person must allow it first."""
    return isinstance(directive, MessageTo | Post | TaskCreate)


_TOO_MANY = f"At most {MAX_DIRECTIVES} directives are read. This one and all that follow were left out."
_TOO_LONG = f"A directive may have at most {MAX_DIRECTIVE_BYTES // 1024} KiB. Write the text into a file and name that."
_NO_DIRECTIVE = f"This is not a directive. A line begins with one of {', '.join(WORDS)}."


def _info(nonce: str | None) -> str:
    return "memory" if nonce is None else f"cabinet {nonce}"


def _items(lines: Sequence[str], first: int) -> Iterator[_Item]:
    """Yield each directive with its lines, and also the text before the first directive."""
    item: _Item | None = None
    for number, line in enumerate(lines, start=first):
        if _begins_item(line) or (item is None and line.strip()):
            if item is not None:
                yield item
            item = _Item(number, [line])
        elif item is not None:
            item.lines.append(line)
    if item is not None:
        yield item


def _begins_item(line: str) -> bool:
    if not line[:1].isupper():
        return False
    if _KNOWN.match(line):
        return True
    headed = _HEADED.match(line)
    return headed is not None and ("_" in headed[1] or bool(headed[2]) or is_almost_a_word(headed[1]))


def _directive(position: int, item: _Item) -> Directive | str:
    """Return the directive, or a sentence that says why it cannot be read."""
    known = _KNOWN.match(item.lines[0])
    if known is None:
        return _NO_DIRECTIVE
    headed = _HEADED.match(item.lines[0])
    if headed is None:
        return f"Expected {WORDS[known[1]]}."
    text = "\n".join([item.lines[0][headed.end() :], *item.lines[1:]]).strip()
    if len(text.encode()) > MAX_DIRECTIVE_BYTES:
        return _TOO_LONG
    arguments = tuple(each.strip() for each in re.findall(r"\[([^\]]*+)\]", headed[2]))
    return directive_of(known[1], arguments, text, position=position, line=item.line)

"""The directives as values; reads one from its word, arguments and text, and writes it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import msgspec

from ...core.ids import is_foreign_id
from ...core.slugs import is_slug

WORDS = {
    "CONTEXT_UPDATE": "CONTEXT_UPDATE: text",
    "DECISION": "DECISION: text",
    "LEARNING": "LEARNING: text",
    "GOAL_UPDATE": "GOAL_UPDATE [metric]: +N, -N or =N",
    "MESSAGE_TO": "MESSAGE_TO [agent]: text",
    "SLACK": "SLACK [channel]: text",
    "CHANNEL": "CHANNEL [channel]: text",
    "TASK_CREATE": "TASK_CREATE [agent] [priority 1 to 5]: title | description",
    "TASK_COMPLETE": "TASK_COMPLETE [task id]: result",
    "TASK_FAIL": "TASK_FAIL [task id]: reason",
}  # with the form that error messages recommend

DEFAULT_PRIORITY = 3
MAX_METRIC_CHARACTERS = 200
MAX_TITLE_CHARACTERS = 300
MAX_DIGITS = 15  # before and after the point together; a JSON number with more is no longer exact
LONGEST_MISSPELLED = 12

_NUMBER = re.compile(r"([+=-])[ \t]*+(-?)((?:[0-9]{1,3}(?:,[0-9]{3})++)|[0-9]++)(\.[0-9]++)?")

# Placeholders for values in the template, and in the template of earlier installations.
_PLACEHOLDERS = frozenset(
    {
        "[one paragraph summary of what was done]",
        "one paragraph summary of what was done",
        "one paragraph",
        "[key decision made]",
        "key decision made",
        "[new insight]",
        "new insight",
        "+n",
        "-n",
        "=n",
        "+n, -n or =n",
        "[message for another agent]",
        "message for another agent",
        "[message to post]",
        "message to post",
        "title | description",
        "result",
        "reason",
        "text",
        "...",
        "…",
    }
)
_PLACEHOLDER_ARGUMENTS = frozenset({"metric_name", "agent-slug", "channel-name", "target-agent-slug", "task-id"})


class _Directive(msgspec.Struct, frozen=True, kw_only=True):
    position: int  # position in the block, from 1; problems are counted too
    line: int  # line of the answer, from 1


class ContextUpdate(_Directive, frozen=True, kw_only=True, tag="context_update"):
    """A summary of what was done, for the agent's next heartbeats."""

    text: str


class Decision(_Directive, frozen=True, kw_only=True, tag="decision"):
    """A decision for the agent's memory."""

    text: str


class Learning(_Directive, frozen=True, kw_only=True, tag="learning"):
    """An insight for the agent's memory."""

    text: str


class GoalUpdate(_Directive, frozen=True, kw_only=True, tag="goal_update"):
    """A new value of a goal's metric: `change` is added to the current value, or `value` replaces it."""

    metric: str
    change: Decimal | None = None
    value: Decimal | None = None


class MessageTo(_Directive, frozen=True, kw_only=True, tag="message_to"):
    """A message to the agent with the slug `agent`."""

    agent: str
    text: str


class Post(_Directive, frozen=True, kw_only=True, tag="post"):
    """A post to a channel. `channel`: a slug."""

    channel: str
    text: str


class TaskCreate(_Directive, frozen=True, kw_only=True, tag="task_create"):
    """A task for the agent with the slug `agent`. `priority`: 1 (highest) to 5."""

    agent: str
    priority: int = DEFAULT_PRIORITY
    title: str
    description: str = ""


class TaskComplete(_Directive, frozen=True, kw_only=True, tag="task_complete"):
    """The completion of one of the agent's own tasks."""

    task_id: str
    result: str


class TaskFail(_Directive, frozen=True, kw_only=True, tag="task_fail"):
    """The end of one of the agent's own tasks that it could not carry out."""

    task_id: str
    reason: str


Directive = ContextUpdate | Decision | Learning | GoalUpdate | MessageTo | Post | TaskCreate | TaskComplete | TaskFail


class _Refused(Exception):
    """Raised if a directive cannot be read. The text is a sentence that says why."""


def directive_of(word: str, arguments: tuple[str, ...], text: str, *, position: int, line: int) -> Directive | str:
    """Return the directive, or a sentence that says why it cannot be read.

    `word`: one of `WORDS`. Never raises for a text.
    """
    if not text:
        return f"The value is empty. Expected {WORDS[word]}."
    if _is_placeholder(text) or _PLACEHOLDER_ARGUMENTS.intersection(arguments):
        return "This is the template's own text. Put what you mean in its place, or leave the line out."
    build, counts = _FORMS[word]
    if len(arguments) not in counts:
        return f"Expected {WORDS[word]}."
    try:
        return build(arguments, text, {"position": position, "line": line})
    except _Refused as refusal:
        return str(refusal)


def written(directive: Directive) -> str:
    """Return the directive as it is written in a block, without the last line break."""
    match directive:
        case ContextUpdate():
            return f"CONTEXT_UPDATE: {directive.text}"
        case Decision():
            return f"DECISION: {directive.text}"
        case Learning():
            return f"LEARNING: {directive.text}"
        case GoalUpdate():
            return f"GOAL_UPDATE [{directive.metric}]: {_amount(directive)}"
        case MessageTo():
            return f"MESSAGE_TO [{directive.agent}]: {directive.text}"
        case Post():
            return f"SLACK [{directive.channel}]: {directive.text}"
        case TaskCreate() | TaskComplete() | TaskFail():
            return _written_task(directive)


def _written_task(directive: TaskCreate | TaskComplete | TaskFail) -> str:
    match directive:
        case TaskCreate():
            about = f"|{directive.description}" if directive.description else ""
            return f"TASK_CREATE [{directive.agent}] [{directive.priority}]: {directive.title}{about}"
        case TaskComplete():
            return f"TASK_COMPLETE [{directive.task_id}]: {directive.result}"
        case TaskFail():
            return f"TASK_FAIL [{directive.task_id}]: {directive.reason}"


def is_almost_a_word(word: str) -> bool:
    """Return whether a word is the first part of one of `WORDS`, or differs from one by a letter or two."""
    if len(word) > LONGEST_MISSPELLED:
        return False
    return word in _HALVES or not _ALMOST.isdisjoint(_with_a_letter_less(word))


def amount_of(text: str) -> tuple[str, Decimal] | None:
    """Parse an amount such as `+3`, `-2.5` or `=1,500` into its sign and its number; return None for any other text.

    A comma separates thousands, a point the decimals. At most `MAX_DIGITS` digits are accepted.
    """
    found = _NUMBER.fullmatch(text)
    if found is None or (found[2] and found[1] != "="):
        return None
    digits = len(found[3].replace(",", "")) + len(found[4] or ".") - 1
    if digits > MAX_DIGITS:
        return None
    number = Decimal(found[2] + found[3].replace(",", "") + (found[4] or ""))
    return found[1], number.normalize() if number else Decimal(0)


def _amount(update: GoalUpdate) -> str:
    if update.value is not None:
        return f"={update.value:f}"
    change = update.change or Decimal(0)
    return f"{change:+f}"


def _is_placeholder(text: str) -> bool:
    return len(text) <= 60 and " ".join(text.split()).lower() in _PLACEHOLDERS


def _with_a_letter_less(word: str) -> frozenset[str]:
    return frozenset({word, *(word[:at] + word[at + 1 :] for at in range(len(word)))})


_HALVES = frozenset(half for word in WORDS if "_" in word for half in word.split("_")[:1])
_ALMOST = frozenset(less for word in WORDS if "_" not in word for less in _with_a_letter_less(word))


def _slug(text: str, what: str) -> str:
    if not is_slug(text):
        raise _Refused(f"“{text[:80]}” is not a valid name of {what}. Use lowercase letters, digits and hyphens.")
    return text


def _context(_arguments: tuple[str, ...], text: str, place: Any) -> Directive:
    return ContextUpdate(text=text, **place)


def _decision(_arguments: tuple[str, ...], text: str, place: Any) -> Directive:
    return Decision(text=text, **place)


def _learning(_arguments: tuple[str, ...], text: str, place: Any) -> Directive:
    return Learning(text=text, **place)


def _goal(arguments: tuple[str, ...], text: str, place: Any) -> Directive:
    metric = " ".join(arguments[0].split())
    if not 0 < len(metric) <= MAX_METRIC_CHARACTERS:
        raise _Refused(f"The name of the metric is empty or has more than {MAX_METRIC_CHARACTERS} characters.")
    amount = amount_of(text)
    if amount is None:
        raise _Refused("Expected +N, -N or =N with at most 15 digits, such as +3, -2.5 or =1,500.")
    sign, number = amount
    if sign == "=":
        return GoalUpdate(metric=metric, value=number, **place)
    return GoalUpdate(metric=metric, change=number if sign == "+" or not number else -number, **place)


def _message(arguments: tuple[str, ...], text: str, place: Any) -> Directive:
    return MessageTo(agent=_slug(arguments[0], "an agent"), text=text, **place)


def _post(arguments: tuple[str, ...], text: str, place: Any) -> Directive:
    return Post(channel=_slug(arguments[0].removeprefix("#"), "a channel"), text=text, **place)


def _task(arguments: tuple[str, ...], text: str, place: Any) -> Directive:
    priority = arguments[1] if len(arguments) > 1 else str(DEFAULT_PRIORITY)
    if priority not in ("1", "2", "3", "4", "5"):
        raise _Refused("The priority is a number from 1 (highest) to 5.")
    title, _, description = text.partition("|")
    title = " ".join(title.split())
    if not 0 < len(title) <= MAX_TITLE_CHARACTERS:
        raise _Refused(f"The title is empty or has more than {MAX_TITLE_CHARACTERS} characters.")
    agent = _slug(arguments[0], "an agent")
    return TaskCreate(agent=agent, priority=int(priority), title=title, description=description.strip(), **place)


def _task_id(text: str) -> str:
    if not is_foreign_id(text):
        raise _Refused(f"“{text[:80]}” is not the id of a task.")
    return text


def _complete(arguments: tuple[str, ...], text: str, place: Any) -> Directive:
    return TaskComplete(task_id=_task_id(arguments[0]), result=text, **place)


def _fail(arguments: tuple[str, ...], text: str, place: Any) -> Directive:
    return TaskFail(task_id=_task_id(arguments[0]), reason=text, **place)


_Build = Callable[[tuple[str, ...], str, Any], Directive]
_FORMS: dict[str, tuple[_Build, tuple[int, ...]]] = {
    "CONTEXT_UPDATE": (_context, (0,)),
    "DECISION": (_decision, (0,)),
    "LEARNING": (_learning, (0,)),
    "GOAL_UPDATE": (_goal, (1,)),
    "MESSAGE_TO": (_message, (1,)),
    "SLACK": (_post, (1,)),
    "CHANNEL": (_post, (1,)),
    "TASK_CREATE": (_task, (1, 2)),
    "TASK_COMPLETE": (_complete, (1,)),
    "TASK_FAIL": (_fail, (1,)),
}  # with the accepted numbers of arguments

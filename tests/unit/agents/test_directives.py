"""An agent's block is read line by line; whatever cannot be read is reported and touches nothing else."""

from collections.abc import Sequence
from decimal import Decimal
from typing import get_args

import pytest
from harness.cost import cost
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_cabinet.agents.directives import answer_block as d
from jupyter_cabinet.agents.directives.directive_lines import _FORMS, WORDS


def block(body: str, fence: str = "```", info: str = "memory") -> str:
    return f"Some prose.\n\n{fence}{info}\n{body}\n{fence}\n"


def reasons(text: str) -> list[str]:
    return [problem.reason for problem in d.parse(text).problems]


def texts(directives: Sequence[d.Directive]) -> list[str]:
    return [each.text for each in directives if isinstance(each, d.ContextUpdate | d.Decision | d.Learning)]


EVERY_WORD = """\
CONTEXT_UPDATE: Looked at the
two open issues.

DECISION: Keep SQLite.
LEARNING: Reviews are faster in the morning.
GOAL_UPDATE [new leads]: +3
GOAL_UPDATE [revenue]: =1,500.25
GOAL_UPDATE [errors]: -2
MESSAGE_TO [ada]: See `report.md`.
SLACK [general]: Done.
CHANNEL [#ops]: Done too.
TASK_CREATE [bob] [1]: Fix the build | It fails
on Tuesdays.
TASK_CREATE [bob]: Water the plants
TASK_COMPLETE [task-7]: All green.
TASK_FAIL [task-8]: No access.
"""


def test_every_directive_is_read_with_its_place() -> None:
    parsed = d.parse(block(EVERY_WORD))
    assert parsed.has_block and not parsed.problems
    assert parsed.directives == (
        d.ContextUpdate(position=1, line=4, text="Looked at the\ntwo open issues."),
        d.Decision(position=2, line=7, text="Keep SQLite."),
        d.Learning(position=3, line=8, text="Reviews are faster in the morning."),
        d.GoalUpdate(position=4, line=9, metric="new leads", change=Decimal(3)),
        d.GoalUpdate(position=5, line=10, metric="revenue", value=Decimal("1500.25")),
        d.GoalUpdate(position=6, line=11, metric="errors", change=Decimal(-2)),
        d.MessageTo(position=7, line=12, agent="ada", text="See `report.md`."),
        d.Post(position=8, line=13, channel="general", text="Done."),
        d.Post(position=9, line=14, channel="ops", text="Done too."),
        d.TaskCreate(
            position=10, line=15, agent="bob", priority=1, title="Fix the build", description="It fails\non Tuesdays."
        ),
        d.TaskCreate(position=11, line=17, agent="bob", priority=3, title="Water the plants"),
        d.TaskComplete(position=12, line=18, task_id="task-7", result="All green."),
        d.TaskFail(position=13, line=19, task_id="task-8", reason="No access."),
    )


def test_every_kind_of_directive_is_tested_above() -> None:
    assert {type(each) for each in d.parse(block(EVERY_WORD)).directives} == set(get_args(d.Directive))
    assert _FORMS.keys() == WORDS.keys()


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_line_breaks_of_all_systems_are_the_same(line_break: str) -> None:
    assert d.parse(block(EVERY_WORD).replace("\n", line_break)) == d.parse(block(EVERY_WORD))


@pytest.mark.parametrize("info", ["memory", "cabinet", "  memory", "memory of today"])
@pytest.mark.parametrize("fence", ["```", "`````", "~~~", "~~~~"])
def test_a_block_is_named_behind_its_fence(fence: str, info: str) -> None:
    assert d.parse(block("DECISION: x", fence, info)).directives[0].position == 1


@pytest.mark.parametrize(
    "text",
    [
        "no block",
        block("x", info=""),
        block("DECISION: x", info="python"),
        block("DECISION: x", info="memory`"),
        "    ```memory\n    DECISION: x\n    ```",
        "> ```memory\n> DECISION: x\n> ```",
        "````markdown\n```memory\nDECISION: x\n```\n````",
    ],
)
def test_other_blocks_are_none(text: str) -> None:
    assert d.parse(text) == d.Parsed()


def test_only_the_last_block_counts() -> None:
    text = block("DECISION: first") + block("DECISION: last") + block("print()", info="python")
    assert texts(d.parse(text).directives) == ["last"]


def test_a_block_ends_with_a_fence_as_long_as_its_own_or_with_the_text() -> None:
    text = "  ````memory\n  DECISION: one\n    ```\n  ~~~~\n   two\n  `````  \nDECISION: outside"
    assert texts(d.parse(text).directives) == ["one\n  ```\n~~~~\n two"]
    assert texts(d.parse("```memory\nDECISION: open\n``` x").directives) == ["open\n``` x"]


def test_a_nonce_is_asked_for_where_the_run_saw_foreign_text() -> None:
    planted = block("DECISION: mine", info="cabinet k3y") + block("DECISION: theirs")
    assert texts(d.parse(planted, nonce="k3y").directives) == ["mine"]
    assert not d.parse(block("DECISION: theirs", info="cabinet k3y4"), nonce="k3y").has_block
    assert not d.parse(block("DECISION: theirs", info="cabinet k3y more"), nonce="k3y").has_block


def test_an_empty_value_is_an_error_of_its_line_alone() -> None:
    parsed = d.parse(block("DECISION:\nLEARNING: kept\nSLACK [general]:   "))
    assert [each.position for each in parsed.directives] == [2]
    assert [(each.position, each.line, each.text) for each in parsed.problems] == [
        (1, 4, "DECISION:"),
        (3, 6, "SLACK [general]:"),
    ]
    assert all("empty" in each.reason for each in parsed.problems)


@pytest.mark.parametrize(
    "line",
    ["TASK_CRAETE [ada]: x", "SEND_MAIL: x", "MAIL [ada]: x", "LERNING: x", "DECISIONS: x", "CONTEXT: x", "TASK: x"],
)
def test_an_unknown_word_is_reported_and_takes_no_other_text_along(line: str) -> None:
    parsed = d.parse(block(f"DECISION: kept\n{line}\nmore\nLEARNING: kept too"))
    assert texts(parsed.directives) == ["kept", "kept too"]
    assert parsed.problems[0].text == f"{line}\nmore" and "not a directive" in parsed.problems[0].reason


@pytest.mark.parametrize(
    "line",
    [
        "TODO: x",
        "ETA: Friday",
        "  LEARNING: x",
        "- LEARNING: x",
        "Decision: x",
        "HTTP_STATUS",
        "decision",
        "INTERNATIONALISATION: x",
    ],
)
def test_other_words_are_text(line: str) -> None:
    assert texts(d.parse(block(f"DECISION: y\n{line}")).directives) == [f"y\n{line}"]


def test_text_before_the_first_directive_is_reported_once() -> None:
    parsed = d.parse(block("\nHere it is:\nand so on\nDECISION: x"))
    assert [each.text for each in parsed.problems] == ["Here it is:\nand so on"]
    assert [each.position for each in parsed.directives] == [2]


@pytest.mark.parametrize(
    "line",
    [
        "DECISION [why]: x",
        "DECISION x",
        "MESSAGE_TO ada: x",
        "MESSAGE_TO: x",
        "MESSAGE_TO [ada] [bob]: x",
        "GOAL_UPDATE: +1",
        "TASK_CREATE [ada] [1] [2]: x",
    ],
)
def test_a_known_word_in_another_form_says_what_was_expected(line: str) -> None:
    (reason,) = reasons(block(line))
    assert reason.startswith("Expected ")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("MESSAGE_TO [../ada]: x", "not a valid name of an agent"),
        ("MESSAGE_TO []: x", "not a valid name of an agent"),
        ("SLACK [a/b]: x", "not a valid name of a channel"),
        ("TASK_CREATE [Ada]: x", "not a valid name of an agent"),
        ("TASK_CREATE [ada] [0]: x", "priority"),
        ("TASK_CREATE [ada] [6]: x", "priority"),
        ("TASK_CREATE [ada] [high]: x", "priority"),
        ("TASK_CREATE [ada]: | only a description", "title"),
        (f"TASK_CREATE [ada]: {'x' * 301}", "title"),
        ("TASK_COMPLETE [../x]: done", "not the id"),
        ("TASK_FAIL [../x]: broken", "not the id"),
        ("TASK_FAIL: broken", "TASK_FAIL [task id]: reason"),
        ("GOAL_UPDATE [ ]: +1", "metric"),
        (f"GOAL_UPDATE [{'x' * 201}]: +1", "metric"),
    ],
)
def test_targets_that_can_be_none_are_refused(line: str, reason: str) -> None:
    (found,) = reasons(block(line))
    assert reason in found


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("+3", Decimal(3)),
        ("-2.5", Decimal("-2.5")),
        ("+ 1,234,567.125", Decimal("1234567.125")),
        ("+0.1", Decimal("0.1")),
        ("-0", Decimal(0)),
        ("+999999999999999", Decimal(999999999999999)),
    ],
)
def test_changes_of_a_goal(text: str, number: Decimal) -> None:
    (update,) = d.parse(block(f"GOAL_UPDATE [m]: {text}")).directives
    assert isinstance(update, d.GoalUpdate) and update.change == number and update.value is None


@pytest.mark.parametrize(("text", "number"), [("=1,500", Decimal(1500)), ("=-7", Decimal(-7)), ("=0", Decimal(0))])
def test_values_of_a_goal(text: str, number: Decimal) -> None:
    (update,) = d.parse(block(f"GOAL_UPDATE [m]: {text}")).directives
    assert isinstance(update, d.GoalUpdate) and update.value == number and update.change is None


@pytest.mark.parametrize(
    "text",
    [
        "3",
        "+-3",
        "+3 leads",
        "+1.500,5",
        "+1,50",
        "+15,000,00",
        "+nan",
        "=inf",
        "+1e400",
        "+١",
        "+.5",
        "+5.",
        "+" + "9" * 16,
        "++1",
    ],
)
def test_bad_numbers_are_never_guessed(text: str) -> None:
    (reason,) = reasons(block(f"GOAL_UPDATE [m]: {text}"))
    assert "+N, -N or =N" in reason


@pytest.mark.parametrize("nonce", [None, "k3y"])
def test_the_template_echoed_back_does_nothing(nonce: str | None) -> None:
    parsed = d.parse(d.template(nonce), nonce=nonce)
    assert parsed.has_block and not parsed.directives
    assert all("template" in each.reason for each in parsed.problems)
    written = {each.text.split(maxsplit=1)[0].rstrip(":") for each in parsed.problems}
    assert written == WORDS.keys() - {"CHANNEL"}  # SLACK has the same effect


def test_a_real_value_for_a_placeholder_target_does_nothing_either() -> None:
    assert "template" in reasons(block("MESSAGE_TO [agent-slug]: hello"))[0]


def test_too_long_a_directive_is_refused_and_the_next_one_is_read() -> None:
    parsed = d.parse(block(f"DECISION: {'ä' * 8193}\nLEARNING: {'ä' * 8192}"))
    assert [type(each) for each in parsed.directives] == [d.Learning]
    assert "16 KiB" in parsed.problems[0].reason and len(parsed.problems[0].text) == d.EXCERPT_CHARACTERS


def test_after_a_hundred_directives_one_problem_says_so() -> None:
    parsed = d.parse(block("LEARNING: x\n" * 150))
    assert len(parsed.directives) == 100
    assert [each.position for each in parsed.problems] == [101] and "100" in parsed.problems[0].reason


def test_half_a_character_becomes_one_that_can_be_written() -> None:
    assert texts(d.parse(block("DECISION: a\ud800b")).directives) == ["a\ufffdb"]


@pytest.mark.parametrize(
    ("text", "ok"), [("HEARTBEAT_OK", True), ("\nHEARTBEAT_OK \n", True), ("HEARTBEAT_OK.", False)]
)
def test_an_answer_may_say_that_there_is_nothing(text: str, ok: bool) -> None:
    assert d.ok_answer(text) is ok


def test_what_reaches_others_is_known() -> None:
    reaching = [each.position for each in d.parse(block(EVERY_WORD)).directives if d.reaches_others(each)]
    assert reaching == [7, 8, 9, 10, 11]


MARKS = ["```", "````", "~~~", "   ", "```memory", "cabinet", "[", "]", ":", "|", "\r", "\n", "\t"]
STARTS = [
    "DECISION",
    "LEARNING: ",
    "GOAL_UPDATE [a b]: ",
    "+1,000.50",
    "=-3",
    "MESSAGE_TO [ada]: ",
    "TASK_COMPLETE [t]: ",
    "TASK_FAIL [t]: ",
]
ODD = [
    "TASK_CREATE [ada] [2]: ",
    "CHANNEL [#x]: ",
    "SEND_IT: ",
    "\u2028",
    "\x0c",
    "\ud800",
    "LERNING: ",
    "\nDECISION: a",
]
PIECES = st.sampled_from([*d.template().splitlines(), *MARKS, *STARTS, *ODD])
BODIES = st.lists(PIECES | st.text(max_size=12), max_size=40).map("".join)


@given(BODIES, st.booleans())
@example("```memory0\rDECISION: a", False).via("a block that does not count is only reported")
def test_any_text_has_a_result_and_directives_survive_being_written(body: str, fenced: bool) -> None:
    parsed = d.parse(f"`````memory\n{body}\n`````" if fenced else body)
    assert not parsed.directives or parsed.has_block
    positions = sorted(each.position for each in (*parsed.directives, *parsed.problems))
    assert positions == list(range(1, len(positions) + 1))
    again = d.parse(d.render(parsed.directives, nonce="n"), nonce="n")
    assert not again.problems
    assert [bare(each) for each in again.directives] == [bare(each) for each in parsed.directives]


def test_every_directive_survives_being_written() -> None:
    written = d.parse(block(EVERY_WORD)).directives
    assert [bare(each) for each in d.parse(d.render(written)).directives] == [bare(each) for each in written]


def bare(directive: d.Directive) -> dict[str, object]:
    fields = {name: getattr(directive, name) for name in directive.__struct_fields__}
    return {"kind": type(directive), **fields, "line": 0, "position": 0}


@pytest.mark.parametrize(
    "piece",
    [
        "`" * 50_000,
        "```\n" * 20_000,
        "DECISION" + " " * 60_000,
        "A" * 60_000,
        "[a]" * 20_000,
        "MAIL" + " [a]" * 20_000,
        "TODO: x\n" * 10_000,
    ],
)
def test_time_grows_no_faster_than_the_text(piece: str) -> None:
    text = block(piece * 4, fence="`" * 5) + piece * 4
    assert cost(lambda: d.parse(text)) < 2_000


def test_a_directive_is_read_in_little_time() -> None:
    text = block(EVERY_WORD * 8) * 20
    assert cost(lambda: d.parse(text)) / len(d.parse(text).directives) < 0.08  # about ten thousand in a second


IGNORED_BLOCKS = [
    ("Memory", None, "begins with `Memory`"),
    ("memory:", None, "begins with `memory:`"),
    ("{cabinet}", None, "begins with `{cabinet}`"),
    ("", None, "string is empty"),
    ("memory", "abc", "the run's nonce"),
    ("cabinet", "abc", "the run's nonce"),
    ("cabinet abd", "abc", "the run's nonce"),
    ("memory abc:", "abc", "the run's nonce"),
    ("Cabinet abc", "abc", "begins with `Cabinet abc`"),
]


@pytest.mark.parametrize(("info", "nonce", "reason"), IGNORED_BLOCKS)
def test_a_block_that_does_not_count_is_reported_with_the_reason(info: str, nonce: str | None, reason: str) -> None:
    parsed = d.parse(f"I looked.\n\n```{info}\nDECISION: Keep it.\nLEARNING: More.\n```\n", nonce=nonce)
    assert (parsed.directives, parsed.has_block) == ((), False)
    (problem,) = parsed.problems
    assert (problem.position, problem.line) == (1, 4)
    assert problem.text == "DECISION: Keep it.\nLEARNING: More."
    assert problem.reason.startswith("This block was ignored.") and reason in problem.reason


@pytest.mark.parametrize(
    "text", ["```python\nDECISION: quoted\n```", "```\nSome text\nDECISION: quoted\n```", "```memory:\n```"]
)
def test_a_block_that_nobody_meant_is_not_reported(text: str) -> None:
    assert d.parse(text).problems == ()


def test_an_ignored_block_stands_behind_the_directives_that_count() -> None:
    parsed = d.parse("```Memory\nDECISION: One.\n```\n```memory\nDECISION: Two.\nETA\n```\n" * 2)
    assert [each.position for each in parsed.directives] == [1]
    assert [each.position for each in parsed.problems] == [2, 3]

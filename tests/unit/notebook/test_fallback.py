"""What stays in a notebook for readers without the extension: golden files, as nbconvert shows them, and in bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import nbformat
import pytest
from harness.cell_run import CALLS, RESULT, RUN
from harness.golden import check_text
from nbconvert import HTMLExporter, MarkdownExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output

from jupyter_cabinet.agents.model import AgentView, GoalView, PastPeriodView
from jupyter_cabinet.client.model import RunResult
from jupyter_cabinet.notebook import fallback
from jupyter_cabinet.notebook.bundles import run_bundle
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runtimes.model import Failure, ToolCall

LIMITED = "Claude Code has used up its limit until 11:00."


def ended(**changes: Any) -> Run:
    return msgspec.structs.replace(
        RUN, **{"state": "succeeded", "duration_seconds": 151.2, "cost_usd": 0.14, **changes}
    )


CASES = {
    "running": fallback.live(RUN, "No day is missing. Two acc", CALLS[:1]),
    "succeeded": fallback.ended(ended(), RESULT),
    "failed": fallback.ended(
        ended(state="failed", reason=LIMITED, cost_usd=None, agent=None, warnings=("There is no file x any more.",)),
        RunResult(run_id="x", state="failed", text="I begin.", failure=Failure(kind="rate_limited", message=LIMITED)),
    ),
    "agent": fallback.agent(
        AgentView(slug="ada", name="Ada <b>", role="Lead", runtime="claude", status="idle", schedule="Daily at 08:00"),
        [GoalView(metric="articles", current=6, target=8, unit="a week", label="on track")],
    ),
    "goal": fallback.goal(
        "Ada",
        GoalView(
            metric="articles",
            current=6,
            target=8,
            history=(
                PastPeriodView(period="2026-W45", actual=7, target=8),
                PastPeriodView(period="2026-W46", actual=9),
            ),
        ),
    ),
    "terminal": fallback.terminal("training"),
}


@pytest.mark.parametrize("case", CASES)
def test_it_reads_as_it_was_looked_at(case: str) -> None:
    markdown, text = CASES[case]
    check_text(Path(f"notebook/{case}.txt"), f"{markdown}\n\n{'=' * 20}\n\n{text}\n")


def notebook(markdown: str, text: str) -> nbformat.NotebookNode:
    output = new_output("display_data", data=run_bundle("01m8run", markdown, text))
    return new_notebook(cells=[new_code_cell("%%agent\nCheck df.", outputs=[output], execution_count=5)])


def test_nbconvert_shows_the_answer_and_nothing_else() -> None:
    saved = notebook(*CASES["succeeded"])
    nbformat.validate(saved)
    page = HTMLExporter(template_name="basic").from_notebook_node(saved)[0]
    assert "<strong>twice</strong>" in page and "<td>A-1042</td>" in page and "duplicated" in page
    assert "<b>" not in page and "evil.example/p.png&quot;" not in page and "<img" not in page
    assert "run_id" not in page
    assert "Succeeded, 2 min 31 s, $0.14" in page
    assert r"Succeeded, 2 min 31 s, \$0.14" in MarkdownExporter().from_notebook_node(saved)[0]


def test_a_long_answer_and_many_calls_are_bounded() -> None:
    long = msgspec.structs.replace(RESULT, text="é" * 200_000, tool_calls=CALLS * 100, changed_files=("x" * 500,) * 50)
    markdown, text = fallback.ended(ended(), long)
    assert len(markdown.encode()) < 70_000 and "The rest is left out here" in markdown
    assert "200 tool calls" in text and "and 188 more" in text and len(text.encode()) < 70_000
    assert len(fallback.live(RUN, "x" * 10**6, CALLS)[0].encode()) < 20_000


def test_names_of_others_do_not_write_markdown() -> None:
    markdown, _ = fallback.terminal("a*b [x](http://x) <i>\n# y")
    assert markdown.startswith(r"**a\*b \[x\](http://x) &lt;i> \# y**") and "\n#" not in markdown
    assert "\u202e" not in fallback.terminal("a\u202eb")[1]


def test_a_name_in_a_line_of_ours_is_text_for_jupyterlab_too() -> None:
    """There two backslashes before a bracket begin mathematics, which get into the address of a link as they are."""
    call = ToolCall(call_id="1", tool="Bash", summary='www.a.example/\\(" onload=1 \\)')
    markdown, text = fallback.live(RUN, "", [call])
    assert "\\(" not in markdown and "&bsol;(" in markdown and call.summary in text


def test_the_name_of_a_period_is_text() -> None:
    past = PastPeriodView(period="<img src=x onerror=alert(1)>|", actual=1, target=2)
    view = GoalView(metric="articles", current=6, target=8, history=(past,))
    assert "| &lt;img src=x onerror=alert(1)>\\| | 1 | 2 |" in fallback.goal("Iris", view)[0]

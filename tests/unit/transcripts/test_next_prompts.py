"""Suggested next prompts: what is asked of the agent, and what is read from its answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.demo.program import next_prompts as demo
from jupyter_cabinet.runtimes.session_entries import Entry
from jupyter_cabinet.transcripts.model import CliSession
from jupyter_cabinet.transcripts.next_prompts import ASK, LONGEST_CHARACTERS, MARK, prompt_for, prompts_in

SESSION = CliSession(id="s", runtime="demo", native_id="n", title="Walruses")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('NEXT-PROMPTS: ["a", "b", "c"]', ("a", "b", "c")),
        ('Sure.\n  NEXT-PROMPTS: ["a"]  \nDone.', ("a",)),
        ('NEXT-PROMPTS: ["old"]\nNEXT-PROMPTS: ["new"]', ("new",)),
        ('NEXT-PROMPTS: ["a", " ", "a", "b", "c", "d"]', ("a", "b", "c")),
        ('NEXT-PROMPTS: ["two\\nlines"]', ("two lines",)),
        ("NEXT-PROMPTS: [1, 2]", ()),
        ('NEXT-PROMPTS: {"a": "b"}', ()),
        ("NEXT-PROMPTS:", ()),
        ('You could say "test it", "commit it" or ["push it"].', ()),
        ("", ()),
    ],
)
def test_only_a_marked_line_with_a_list_of_texts_counts(answer, expected):
    assert prompts_in(answer) == expected


@given(st.text(), st.text())
def test_no_answer_is_an_error_and_no_prompt_is_long(before, after):
    assert all(0 < len(each) <= LONGEST_CHARACTERS + 1 for each in prompts_in(f"{before}\n{MARK}{after}"))
    long = prompts_in(f'{MARK} ["{"x" * 1000}"]')
    assert len(long) == 1 and len(long[0]) <= LONGEST_CHARACTERS + 1


def test_the_prompt_has_a_summary_of_the_session_and_the_demo_agent_answers_it():
    entries = [Entry(id="1", kind="user", text="Count them"), Entry(id="2", kind="assistant", text="Seven.")]
    prompt = prompt_for(SESSION, entries, title="Demo agent")
    assert "Count them" in prompt and "Seven." in prompt and prompt.endswith(ASK)
    answer = demo.answer(prompt)
    assert answer is not None and len(prompts_in(answer)) == 3
    assert demo.answer("Count them") is None

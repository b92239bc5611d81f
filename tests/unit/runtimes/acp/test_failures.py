"""Why an ACP agent failed, in one sentence."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.acp import failures
from jupyter_cabinet.runtimes.port import Exit


def test_a_refusal_names_the_tool_and_ends_with_one_full_stop():
    failure = failures.of_refusal("Write.", "codex")
    assert (failure.kind, failure.message) == ("cancelled", "codex stopped when it was not allowed to use Write.")
    denied = failures.of_denial("Bash: ls", "codex")
    assert denied.kind == "permission_denied"
    assert denied.message == "codex was not allowed to use Bash: ls. Choose another permission mode."


def test_a_reason_of_its_own_is_told_as_it_is():
    assert failures.of_stop("{odd}", "codex").message == "codex stopped with the reason: {odd}"


def test_an_answer_without_a_word_has_the_reason_in_the_agents_notices():
    assert failures.of_no_answer("429 rate limit reached\n", "pi").kind == "rate_limited"
    silent = failures.of_no_answer(" \n", "pi")
    assert (silent.message, silent.retry_helps) == ("pi ended without an answer.", True)


@pytest.mark.parametrize(
    ("error", "loading", "kind"),
    [
        ({"code": -32000}, False, "not_logged_in"),
        ({"code": -32002, "message": "Resource not found"}, True, "session_gone"),
        ({"code": -32603, "message": "Internal error"}, True, "session_gone"),
        ({"code": -32603, "message": "Internal error"}, False, "unknown"),
        ({"code": -32603, "message": "Internal error", "data": "usage limit"}, False, "rate_limited"),
        ({"code": -32603, "message": "x", "data": {"reason": "overloaded"}}, True, "model_unavailable"),
        ("no object", False, "unknown"),
    ],
)
def test_an_error_is_named_by_its_number_and_the_words_beside_it(error, loading, kind):
    assert failures.of_error(error, "codex", loading=loading).kind == kind


def test_who_is_not_logged_in_hears_the_ways_in():
    failure = failures.of_error({"code": -32000}, "codex", loading=False, logins=("ChatGPT", "A key"))
    assert failure.message == "codex is not logged in. It offers: ChatGPT, A key."


def test_what_an_error_says_in_its_details_comes_before_its_own_words():
    told = failures.of_error({"message": "Internal error", "data": "no luck"}, "codex", loading=False)
    assert told.message == "codex failed: no luck Internal error"


@pytest.mark.parametrize(
    ("exit", "stderr", "kind"),
    [
        (Exit(code=0), "fetch failed", "cancelled"),
        (Exit(code=1), "fetch failed", "model_unavailable"),
        (Exit(code=1), "session not found", "crashed"),  # what it was asked last was no session
    ],
)
def test_a_process_that_owed_an_answer_says_why_where_it_did_not_leave_by_itself(exit, stderr, kind):
    assert failures.of_exit(exit, stderr, "codex").kind == kind

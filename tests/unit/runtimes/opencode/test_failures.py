"""Why opencode failed, in one sentence."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.opencode import failures
from jupyter_cabinet.runtimes.port import Exit


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"name": "ProviderAuthError", "data": {"message": "x"}}, "not_logged_in"),
        ({"name": "APIError", "data": {"statusCode": 402, "message": "x"}}, "rate_limited"),
        ({"name": "APIError", "data": {"statusCode": 418, "message": "Rate limit reached"}}, "rate_limited"),
        ({"name": "UnknownError", "data": "odd"}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_an_error_is_named_by_its_name_its_status_or_its_words(error, kind):
    assert failures.of_error(error).kind == kind


@pytest.mark.parametrize(
    ("text", "kind", "end"),
    [
        ("Too Many Requests", "rate_limited", "Try again later."),
        ("Provider is grumpy\nat x.ts:3", "model_unavailable", "It said: Provider is grumpy"),
        ("  ", "model_unavailable", "try again later."),
    ],
)
def test_a_run_that_ends_while_it_tries_again_was_held_up_by_the_service(text, kind, end):
    failure = failures.of_retry(text)
    assert (failure.kind, failure.retry_helps) == (kind, True)
    assert failure.message.endswith(end)


@pytest.mark.parametrize(
    ("reason", "refused", "in_terminal", "kind", "message"),
    [
        ("tool-calls", True, True, "permission_denied", failures.REFUSED),
        ("tool-calls", True, False, "permission_denied", failures.NOBODY),
        ("length", False, False, "output_limit", failures.CUT_OFF),
        (
            "content-filter",
            False,
            True,
            "unknown",
            "The model's service held the answer back (content filter).",
        ),
        ("tool-calls", False, True, "unknown", "opencode stopped before it answered."),
    ],
)
def test_an_answer_that_was_not_finished_has_the_reason_of_its_last_step(reason, refused, in_terminal, kind, message):
    failure = failures.of_reason(reason, refused=refused, in_terminal=in_terminal)
    assert (failure.kind, failure.message) == (kind, message)


def test_colours_do_not_hide_what_a_process_said_last():
    failure = failures.of_exit(Exit(code=1), "\x1b[91m\x1b[1mError: \x1b[0mSession\x1b[0m not found\n")
    assert (failure.kind, failure.message) == ("session_gone", failures.GONE)

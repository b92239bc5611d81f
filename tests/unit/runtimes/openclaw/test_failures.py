"""Why OpenClaw failed, in one sentence."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.openclaw import failures
from jupyter_cabinet.runtimes.port import Exit


@pytest.mark.parametrize(
    ("reason", "kind"), [("rate_limit", "rate_limited"), ("overloaded", "model_unavailable"), ("", "model_unavailable")]
)
def test_a_run_that_ends_while_it_tries_again_was_held_up_by_the_service(reason, kind):
    failure = failures.of_retry(reason)
    assert (failure.kind, failure.retry_helps) == (kind, True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("HTTP 401: invalid x-api-key", "not_logged_in"),
        ('No API key found for provider "anthropic".', "not_logged_in"),
        ("status=404 unknown", "model_unavailable"),
        ("Context overflow: prompt too large for the model.", "context_exhausted"),
        ("Something else", "unknown"),
    ],
)
def test_a_message_is_named_by_its_status_or_its_words(text, kind):
    assert failures.of_text(text).kind == kind


def test_its_log_says_nothing_of_the_end():
    log = "[agent/embedded] rate limit table loaded\n[plugins] quota plugin off\n"
    assert failures.of_exit(Exit(code=1), log).kind == "crashed"
    assert failures.of_exit(Exit(code=1), log + "connect ECONNREFUSED 127.0.0.1:1\n").kind == "model_unavailable"

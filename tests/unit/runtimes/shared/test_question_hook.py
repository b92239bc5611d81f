"""The simple answers to a CLI's request for permission."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.shared.question_hook import ALLOW, DENY, NO_REASON, plain_decision

ARGUMENTS = {"command": "ls"}


def test_only_what_is_known_to_allow_allows() -> None:
    allowed = {"behavior": "allow", "updatedInput": ARGUMENTS}
    assert plain_decision(ALLOW, ARGUMENTS, "") == allowed
    assert plain_decision("session", ARGUMENTS, "", allowing=(ALLOW, "session")) == allowed


@pytest.mark.parametrize("option", [DENY, "", "session", "Allow", "choice:1"])
def test_every_other_option_denies(option: str) -> None:
    assert plain_decision(option, ARGUMENTS, "") == {"behavior": "deny", "message": NO_REASON}
    assert plain_decision(option, ARGUMENTS, "Not now.") == {"behavior": "deny", "message": "Not now."}

"""A CLI that is older than the tested one gets no option that it lacks, and no run that it could not hold to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.cli_versions import fitted
from jupyter_cabinet.runtimes.model import Launch
from jupyter_cabinet.runtimes.port import About, Located
from jupyter_cabinet.runtimes.registry import untried

ABOUT = About(name="tool", title="Tool", tested="2.1.0", install="npm install -g tool")
ENVIRONMENT = {"PATH": os.environ["PATH"]}
ASKED = ("exec", "--color", "never", "--tools=Read", "--mode", "edit", "--max-turns", "3", "--", "--what", "it says")


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    """Its help for `exec` is in a file, and goes to stderr, as with some CLIs."""
    path = tmp_path / "tool"
    path.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/asked\ntest "$1" = exec && cat {tmp_path}/help >&2\n')
    path.chmod(0o755)
    return path


def fit(tool: Path, version: str | None, knows: str | None, asked: tuple[str, ...] = ASKED) -> tuple[str, ...]:
    if knows is not None:
        tool.with_name("help").write_text(knows)
    launch = Launch(argv=(str(tool), *asked))
    return fitted(launch, ABOUT, Located(path=str(tool), version=version), ENVIRONMENT).argv[1:]


def test_a_comfort_that_it_lacks_is_left_out_with_its_value_and_its_help_is_asked_once(tool: Path) -> None:
    for _ in range(2):
        kept = fit(tool, "2.0.9", "  --tools <names>, --mode <mode>\n")
        assert kept == ("exec", *ASKED[3:])  # what follows the two hyphens is not an option
    assert tool.with_name("asked").read_text().splitlines() == ["exec --help"]


def test_a_promise_that_it_could_not_keep_is_refused_with_what_to_do(tool: Path) -> None:
    with pytest.raises(
        Invalid, match=r"Tool 2.0.9 does not have the option --tools, .* Update it to 2.1.0: npm install -g tool"
    ):
        fit(tool, "2.0.9", "--mode --color")


@pytest.mark.parametrize("version", ["2.1.0", "2.2.0", None, "new"])
def test_one_that_is_not_known_to_be_older_is_not_asked(tool: Path, version: str | None) -> None:
    assert fit(tool, version, "--nothing") == ASKED
    assert not tool.with_name("asked").exists()


def test_one_without_help_gets_what_was_meant_for_it(tool: Path) -> None:
    assert fit(tool, "1.0", None) == ASKED


def test_a_person_is_told_which_version_was_tested() -> None:
    assert untried(ABOUT, "2.0.9").startswith("2.0.9 is older than 2.1.0")
    assert untried(ABOUT, "2.2.0").startswith("2.2.0 is newer than 2.1.0")
    assert untried(ABOUT, "2.1.0") == untried(ABOUT, None) == untried(ABOUT, "new")[:0] == ""

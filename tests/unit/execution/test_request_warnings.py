"""What a found CLI does not keep of a request is a warning of the run, or ends it with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.backend import ADA, Place, ended, submit

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.execution.settings import ExecutionSettings
from jupyter_cabinet.runs.model import NewManualRun

pytestmark = pytest.mark.slow(reason="starts agents")
RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "session_id": "s"}
OPTIONS = "--session-id --permission-mode --output-format --verbose --settings --tools --allowedTools --input-format"


def a_claude(place: Place, version: str, options: str) -> dict[str, str]:
    """A program that tells its version and its options, writes down what it was started with, and answers."""
    path = place.folder / "claude"
    path.write_text(
        '#!/bin/sh\ncase "$*" in\n'
        f"--version) echo '{version} (Claude Code)';;\n--help) echo '{options}';;\n"
        f"*) echo \"$@\" > {place.folder}/started; cat > /dev/null; echo '{json.dumps(RESULT)}';;\nesac\n"
    )
    path.chmod(0o755)
    return {"claude": str(path)}


async def test_a_number_of_turns_goes_to_the_cli_or_is_warned_about(tmp_path: Path) -> None:
    place = Place(tmp_path)
    paths = a_claude(place, "2.1.329", OPTIONS)
    about = {"kind": "manual", "path": None, "runtime": "claude"}
    async with place.backend(runtime_paths=paths, execution=ExecutionSettings(max_turns=7)) as backend:
        assert (await ended(backend, await submit(backend, "hello", **about))).warnings == ()
        assert " --max-turns 7" in (tmp_path / "started").read_text()
        assert (await ended(backend, await submit(backend, "hello", max_turns=3, **about))).warnings == ()
        assert " --max-turns 3" in (tmp_path / "started").read_text()
        demo = await ended(backend, await submit(backend, "hello", max_turns=3, mode="headless"))
        assert demo.state == "succeeded"
        assert demo.warnings == ("Demo agent cannot be limited to a number of turns: max_turns has no effect.",)
        for wrong in (0, -1, 1001):
            with pytest.raises(Invalid, match="1 to 1000"):
                await backend.runs.submit(NewManualRun(instruction="hello", runtime="demo", max_turns=wrong), ADA)


async def test_an_older_cli_warns_and_a_promise_that_it_cannot_keep_ends_the_run(tmp_path: Path) -> None:
    place = Place(tmp_path)
    about = {"kind": "manual", "path": None, "runtime": "claude"}
    async with place.backend(runtime_paths=a_claude(place, "2.0.1", OPTIONS)) as backend:
        run = await ended(backend, await submit(backend, "hello", **about))
        assert (run.state, run.result and run.result.text) == ("succeeded", "Done.")
        assert run.warnings[0].startswith("Claude Code 2.0.1 is older than 2.1.329, which was tested.")
        started = (tmp_path / "started").read_text()
        assert "--include-partial-messages" not in started and "--permission-mode acceptEdits" in started
        (tmp_path / "started").unlink()
        a_claude(place, "2.0.1", OPTIONS.replace("--tools", ""))
        run = await ended(backend, await submit(backend, "hello", allowed_tools=("Read",), **about))
        assert run.state == "failed" and "does not have the option --tools" in run.reason
        assert not (tmp_path / "started").exists()

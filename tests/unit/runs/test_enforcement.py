"""What of a run's limits a CLI keeps, and what is said where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.agents import heartbeat, make
from harness.backend import ADA, Place

from jupyter_cabinet.agents.model import NewMessageRun
from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runs.rules.enforcement import RequestedLimits, enforceable
from jupyter_cabinet.runtimes.port import Capabilities

EVERYTHING = Capabilities(allowed_tools=True, permission_modes=("ask", "edit", "bypass"))
LITTLE = Capabilities(permission_modes=("ask", "bypass"))


def test_what_is_kept_is_left_alone() -> None:
    wanted = RequestedLimits(tools=("Read",), permission_mode="edit")
    assert enforceable(wanted, EVERYTHING, "It") == (wanted, ())
    assert enforceable(RequestedLimits(tools=None, permission_mode="ask"), LITTLE, "It")[1] == ()


def test_what_is_not_kept_is_named_with_what_happens_instead() -> None:
    kept, problems = enforceable(RequestedLimits(tools=(), permission_mode="edit"), LITTLE, "Codex")
    assert kept == RequestedLimits(tools=None, permission_mode="bypass")
    assert [(each.field, each.instead) for each in problems] == [
        ("permission_mode", "It works in the mode No questions."),
        ("allowed_tools", "It may use all of its tools."),
    ]
    only_ask = Capabilities(permission_modes=("ask",), allowed_tools=True)
    assert (
        enforceable(RequestedLimits(tools=None, permission_mode="bypass"), only_ask, "It")[0].permission_mode == "ask"
    )


async def test_an_agent_runs_on_such_a_cli_only_where_a_person_has_accepted_it(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada", "sleep 30")
        backend.runtimes.capabilities = lambda name: Capabilities(headless=True, interactive=True)  # type: ignore[method-assign]
        with pytest.raises(Invalid, match="cannot be limited to a list of tools"):
            await backend.agents.run("ada", ADA)
        await backend.agents.save("ada", {"allow_unenforced": True}, None, ADA)
        run = await backend.agents.run("ada", ADA)
        assert (run.state, run.allowed_tools) == ("queued", None)
        assert run.warnings == ("Demo agent cannot be limited to a list of tools. It may use all of its tools.",)
        assert (await backend.agents.get("ada", ADA)).unenforced == run.warnings
        assert (await backend.runs.cancel(run.id, ADA)).warnings[:1] == run.warnings


async def test_an_agent_that_was_given_a_runtime_without_models_runs_and_says_that_its_model_is_ignored(
    tmp_path: Path,
) -> None:
    ignored = (
        "Demo agent has no model to choose, so the model opus is ignored. "
        "Clear the agent's model, or choose another runtime."
    )
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada", "remember plums", model="opus")
        assert (await backend.agents.get("ada", ADA)).unenforced == (ignored,)
        run = await heartbeat(backend, "ada")
        assert (run.state, run.model) == ("succeeded", None)
        assert ignored in run.warnings


async def test_the_model_of_an_agent_is_left_out_where_another_runtime_is_chosen_for_a_run(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada", runtime="codex", model="gpt-5")
        run = await backend.runs.submit(NewMessageRun(agent="ada", instruction="hello", runtime="demo"), ADA)
        assert (run.runtime, run.model, run.warnings) == ("demo", None, ())

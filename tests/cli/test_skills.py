"""Skills of an agent in every real CLI: the model receives the instructions, and reads a file without a question."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.backend import ADA, Place
from harness.bubblewrap import NEEDS_BUBBLEWRAP

from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import NAMES
from .test_own_tools import environment, place  # noqa: F401 - a fixture

pytestmark = pytest.mark.realcli
SECONDS = 60
INSTRUCTIONS = "Greet in the tone of references/tone.md."
WHERE = re.compile(r"The folder of your skills is (\S+)\. ")
READ = {"claude": ("Read", "file_path"), "gemini": ("read_file", "file_path"), "opencode": ("read", "filePath")}


def put(place: Place, name: str) -> None:  # noqa: F811
    skill = place.root / ".playbooks" / "skills" / "greet"
    for path, text in {
        "SKILL.md": f"---\nname: greet\ndescription: Greets people.\n---\n\n{INSTRUCTIONS}\n",
        "references/tone.md": "Quietly and kindly.\n",
        "scripts/wave.sh": "#!/bin/sh\necho waved\n",
    }.items():
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_text(text)
    agent = place.root / ".agents" / "ada"
    agent.mkdir(parents=True)
    fields = f"name: Ada\nruntime: {name}\npermission_mode: edit\nskills: [greet]\nheartbeat_enabled: false\n"
    (agent / "persona.md").write_text(f"---\n{fields}allow_unenforced: true\n---\n\nYou look after the notes.\n")


def read(name: str, path: str) -> Answer:
    if name in ("codex",):
        return Answer(tools=(ToolUse(name="exec_command", arguments={"cmd": f"cat {path}"}),))
    tool, argument = READ.get(name, ("read", "path"))
    return Answer(tools=(ToolUse(name=tool, arguments={argument: path}),))


def scripted(name: str, file: str) -> tuple[Callable[[ModelRequest], Answer], list[Path]]:
    """A model that reads a file of the skill, in the folder that its text names; and that folder."""
    folders: list[Path] = []

    def script(asked: ModelRequest) -> Answer:
        if asked.turn:
            return Answer(text="Hello.")
        folders.extend(Path(found) for found in WHERE.findall(f"{asked.system}\n{asked.prompt}"))
        return read(name, f"{folders[-1]}/greet/{file}")

    return script, folders


def asked(place: Place, variables: dict[str, str], **fields: object) -> Run:  # noqa: F811
    async def work() -> Run:
        async with place.backend(environment=variables) as backend:
            body = {"kind": "message", "agent": "ada", "instruction": "Greet Bob.", **fields}
            run = await backend.runs.submit(backend.runs.kinds.convert(body), ADA)
            await backend.runs.wait(run.id, SECONDS)
            return await backend.runs.get(run.id, ADA)

    return asyncio.run(work())


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_follows_its_skill_and_reads_its_files(place: Place, model: ModelServer, name: str) -> None:  # noqa: F811
    put(place, name)
    model.script, folders = scripted(name, "references/tone.md")
    run = asked(place, environment(place, name, model), isolate=False)
    assert run.state == "succeeded", run.reason
    assert INSTRUCTIONS in json.dumps(model.requests[0].body)
    assert "Quietly and kindly." in json.dumps(model.requests[-1].body)
    assert any("scripts of the skill greet" in warning for warning in run.warnings)
    assert not folders[-1].exists()


@NEEDS_BUBBLEWRAP
@pytest.mark.parametrize("name", ["claude", "codex", "opencode", "pi"])
def test_an_isolated_agent_gets_the_scripts_of_its_skill_too(place: Place, model: ModelServer, name: str) -> None:  # noqa: F811
    put(place, name)
    model.script, folders = scripted(name, "scripts/wave.sh")
    run = asked(place, environment(place, name, model), isolate=True)
    assert (run.state, run.isolated) == ("succeeded", True), run.reason
    assert "echo waved" in json.dumps(model.requests[-1].body)
    assert not any("scripts of the skill" in warning for warning in run.warnings)
    assert not folders[-1].exists()

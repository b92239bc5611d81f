"""Skills on their way to a CLI: what the system text contains, and which files the agent finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_cabinet.execution.model import AgentSkill, AgentSkillFile
from jupyter_cabinet.execution.tools.agent_skills import (
    LONGEST_TEXT,
    LONGEST_TEXTS,
    system_text,
    with_skills,
    without_scripts,
)
from jupyter_cabinet.runtimes.claude import arguments as claude
from jupyter_cabinet.runtimes.gemini import arguments as gemini
from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.opencode import rules as opencode
from jupyter_cabinet.runtimes.shared.run_files import RunFiles

REQUEST = Request(prompt="Hi.", mode="headless", cwd="/w", session_id="s1", system="You are Ada.")


def made(name: str = "greet", instructions: str = "Say hello.") -> AgentSkill:
    files = (
        AgentSkillFile(path="SKILL.md", content=b"main"),
        AgentSkillFile(path="references/tone.md", content=b"kind"),
        AgentSkillFile(path="scripts/run.py", content=b"print()", is_script=True),
    )
    return AgentSkill(name=name, description=f"About {name}.", instructions=instructions, files=files)


def test_without_skills_nothing_changes(tmp_path: Path) -> None:
    assert system_text("You are Ada.", ()) == "You are Ada."
    assert system_text(None, ()) is None
    assert with_skills(REQUEST, tmp_path, ()) is REQUEST
    assert list(tmp_path.iterdir()) == []


def test_instructions_follow_the_agents_own_text() -> None:
    text = system_text("You are Ada.", (made(),)) or ""
    assert text.startswith("You are Ada.\n\n# Your skills\n")
    assert "## greet\n\nAbout greet.\n\nSay hello.\n\nIts other files: references/tone.md." in text
    assert "exist only if this run is isolated: scripts/run.py." in text


def test_long_instructions_are_read_from_their_file() -> None:
    long = "x" * (LONGEST_TEXT + 1)
    assert "Read the file greet/SKILL.md" in (system_text(None, (made(instructions=long),)) or "")
    several = [made(f"s{number}", "x" * LONGEST_TEXT) for number in range(20)]
    text = system_text(None, several) or ""
    assert text.count("Read the file") == 20 - LONGEST_TEXTS // LONGEST_TEXT
    assert all(f"About s{number}." in text for number in range(20))


def test_many_long_names_of_files_do_not_fill_the_system_text() -> None:
    files = tuple(AgentSkillFile(path=f"{'x' * 200}-{number}.md", content=b"") for number in range(199))
    many = AgentSkill(name="many", description="", instructions="Do.", files=files)
    text = system_text(None, (many,)) or ""
    assert len(text) < 4_000
    assert "(199 files)" in text


def test_the_files_are_in_the_run_directory_and_cannot_be_written(tmp_path: Path) -> None:
    request = with_skills(REQUEST, tmp_path, (made(), made("other")))
    folder = tmp_path / "skills"
    found = {path.relative_to(folder).as_posix(): path.stat().st_mode & 0o777 for path in folder.rglob("*.*")}
    assert found == {
        f"{name}/{path}": mode
        for name in ("greet", "other")
        for path, mode in (("SKILL.md", 0o400), ("references/tone.md", 0o400), ("scripts/run.py", 0o500))
    }
    assert request.system is not None
    assert request.system.startswith("You are Ada.\n\n")
    assert str(folder) in request.system
    assert request.readable == (str(folder),)


def test_scripts_are_left_out_with_a_warning() -> None:
    kept, warnings = without_scripts((made(), AgentSkill(name="plain", description="", instructions="")))
    assert [file.path for file in kept[0].files] == ["SKILL.md", "references/tone.md"]
    assert len(warnings) == 1
    assert "greet" in warnings[0]


@pytest.mark.parametrize("mode", ["ask", "edit"])
def test_clis_that_ask_may_read_the_folder_of_skills_without_asking(tmp_path: Path, mode: str) -> None:
    given = Request(
        prompt="Hi.",
        mode="headless",
        cwd="/w",
        session_id="0b8d7e0a-2f65-4b0c-9f3e-0a6f3f9a7c11",
        permission_mode=mode,  # type: ignore[arg-type]
        run_directory=str(tmp_path),
        readable=("/run/skills",),
    )
    assert "--allowedTools=Read(//run/skills/**)" in claude.headless(given, RunFiles(given), asks=True)
    assert "--include-directories=/run/skills" in gemini.headless(given, RunFiles(given))
    outside = opencode.rules(given)["external_directory"]
    assert isinstance(outside, dict)
    assert outside["/run/skills/*"] == "allow"
    assert outside["*"] == "deny"

"""Files of agents that lie where other installations keep them: listed, read, and told with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_cabinet.agents.files.agent_folders import AgentFolders

ADA = "---\nname: Ada\n---\nKeep the books.\n"


def files_below(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / ".agents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


@pytest.fixture
def folders(tmp_path: Path) -> AgentFolders:
    return AgentFolders(tmp_path, tmp_path / ".cabinet")


def test_files_that_lie_elsewhere_in_an_older_layout_are_listed(tmp_path: Path, folders: AgentFolders) -> None:
    write(
        tmp_path, {"bob.md": ADA, ".memory/bob/context.md": "old", "bob/memory/context.md": "new", "bob/TOOLS.md": "x"}
    )
    write(tmp_path, {".memory/bob/archive/2024.md": "older"})
    expected = ["TOOLS.md", "memory/archive/2024.md", "memory/context.md", "persona.md"]
    assert [file.path for file in folders.list_files("bob")] == expected
    assert folders.read_file("bob", "memory/context.md").content == b"new"


def test_facts_in_the_folder_of_an_agent_are_read_and_move_to_its_memory(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA, "ada/MEMORY.md": "fact", "bob/persona.md": ADA, "bob/MEMORY.md": "old"})
    write(tmp_path, {"bob/memory/MEMORY.md": "new"})
    assert [folders.read_file(slug, "memory/MEMORY.md").content for slug in ("ada", "bob")] == [b"fact", b"new"]
    for slug in ("ada", "bob"):
        folders.prepare(slug)
    assert files_below(tmp_path / ".agents") == {
        "ada/persona.md": ADA,
        "ada/memory/MEMORY.md": "fact",
        "bob/persona.md": ADA,
        "bob/memory/MEMORY.md": "new",
        "bob/MEMORY.md": "old",
    }


@pytest.mark.parametrize(
    ("file", "advice"),
    [
        ("IDENTITY.md", " Rename IDENTITY.md to persona.md."),
        ("CLAUDE.md", " Rename CLAUDE.md to persona.md."),
        ("SOUL.md", " Write one beside SOUL.md."),
        ("notes.md", ""),
    ],
)
def test_a_folder_of_another_installation_without_a_persona_is_told_with_what_to_do(
    tmp_path: Path, folders: AgentFolders, file: str, advice: str
) -> None:
    write(tmp_path, {f"ada/{file}": "x"})
    assert folders.problems() == (f".agents/ada has no persona.md: it is no agent yet.{advice}",)

"""Gives an agent its skills: their instructions in its system text, their files in its run directory.

Cabinet does this itself. The CLIs can load skills too, but they also load those in the working folder, which can grant
powers that nobody has approved. Only isolated runs get scripts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ...runtimes.model import Request
from ..model import AgentSkill

MAIN_FILE = "SKILL.md"
FOLDER = "skills"  # in the run directory
LONGEST_TEXT = 12_000  # characters of a skill's instructions in the system text; a longer text is read from its file
MOST_PATHS, LONGEST_PATHS = 50, 2_000  # paths of a skill in the system text, and their characters
LONGEST_TEXTS = 48_000  # of all of them together
INTRODUCTION = (
    "# Your skills\n\nPeople have given you these skills. Follow a skill's instructions when your work is of its kind; "
    "otherwise ignore it. A skill gives you no rights beyond those that you have."
)
READ_IT = "Read the file {name}/SKILL.md in the folder of your skills before you do such work."
FILES = "Its other files: {files}."
SCRIPTS = "Its scripts, which exist only if this run is isolated: {files}."
WHERE = "The folder of your skills is {path}. Paths in a skill's instructions are relative to its own folder there."
LEFT_OUT = (
    "The scripts of the skill {name} were left out, because scripts of skills run only in a sandbox. "
    "Turn on *Works only isolated* for this agent to use them."
)


def system_text(system: str | None, skills: Sequence[AgentSkill]) -> str | None:
    """Return a system text with the instructions of the skills added; unchanged without skills.

    For instructions that are too long, it says which file to read instead.
    """
    if not skills:
        return system
    left, parts = LONGEST_TEXTS, [INTRODUCTION]
    for skill in skills:
        whole = len(skill.instructions) <= min(LONGEST_TEXT, left)
        left -= len(skill.instructions) if whole else 0
        lines = [f"## {skill.name}", skill.description]
        lines.append(skill.instructions if whole else READ_IT.format(name=skill.name))
        lines += _listed(FILES, [file.path for file in skill.files if not file.is_script and file.path != MAIN_FILE])
        lines += _listed(SCRIPTS, [file.path for file in skill.files if file.is_script])
        parts.append("\n\n".join(lines))
    return "\n\n".join([*([system] if system else []), *parts])


def without_scripts(skills: Sequence[AgentSkill]) -> tuple[tuple[AgentSkill, ...], tuple[str, ...]]:
    """Return the skills for a run that is not isolated, and a warning for each that loses scripts."""
    kept = tuple(
        msgspec.structs.replace(skill, files=tuple(file for file in skill.files if not file.is_script))
        for skill in skills
    )
    losing = [skill.name for skill, less in zip(skills, kept, strict=True) if skill.files != less.files]
    return kept, tuple(LEFT_OUT.format(name=name) for name in losing)


def with_skills(request: Request, directory: Path, skills: Sequence[AgentSkill]) -> Request:
    """Write the files of the skills into a run directory, and return the request that names their folder.

    Unchanged without skills. Raises `OSError`, also if a file exists. Blocks: call it off the loop.
    """
    if not skills:
        return request
    folder = directory / FOLDER
    for skill in skills:
        for file in skill.files:
            place = folder / skill.name / file.path
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with os.fdopen(os.open(place, flags, 0o500 if file.is_script else 0o400), "wb") as opened:
                opened.write(file.content)
    system = f"{request.system or ''}\n\n{WHERE.format(path=folder)}".strip()
    return msgspec.structs.replace(request, system=system, readable=(*request.readable, str(folder)))


def _listed(sentence: str, paths: list[str]) -> list[str]:
    """Return one sentence, with as many of the paths as there is room for."""
    shown = ", ".join(paths[:MOST_PATHS])
    if len(paths) > MOST_PATHS or len(shown) > LONGEST_PATHS:
        shown = f"{shown[:LONGEST_PATHS]} … ({len(paths)} files)"
    return [sentence.format(files=shown)] if paths else []

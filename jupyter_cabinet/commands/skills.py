"""`jupyter cabinet skills`: the skills of a folder and what people have decided about them.

Files of skills come from strangers, so that all of them are printed as `core/plain_text.py` shows them.
"""

from __future__ import annotations

import argparse
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

from ..client.api import Api, converted
from ..core.plain_text import one_line, plain, table
from ..skills.model import SkillDetail, SkillFileView, SkillState, SkillView
from .printing import Printed
from .problems import CommandFailed

SKILLS = ("SKILL", "STATE", "FILES", "AGENTS", "DESCRIPTION", "SOURCE")
NO_SKILLS = "There are no skills yet. In JupyterLab, open Skills and Tools from the launcher and choose New skill."
APPROVE = "A person approves it in JupyterLab: open Skills and Tools from the launcher."
LONGEST_DESCRIPTION = 80
STATES: dict[SkillState, str] = {
    "pending": "not approved",
    "approved": "approved",
    "changed": "changed since it was approved",
    "rejected": "rejected",
    "invalid": "not valid",
}


def listed(api: Api, _given: argparse.Namespace) -> Printed:
    """`skills`, `skills list`: by name, and what is wrong with each."""
    value = api.get("skills")
    skills = converted(value["items"], list[SkillView])
    rows = list(table(SKILLS, [_row(each) for each in skills])) if skills else [NO_SKILLS]
    problems = [*(problem for each in skills for problem in each.problems), *value.get("problems", ())]
    return Printed(value=value, lines=(*rows, *map(one_line, problems)))


def shown(api: Api, given: argparse.Namespace) -> Printed:
    """`skills show SKILL`: its state and all its texts."""
    value = api.get(f"skills/{given.slug}")
    skill = converted(value, SkillDetail)
    return Printed(value=value, lines=tuple(_lines(skill)))


def added(api: Api, given: argparse.Namespace) -> Printed:
    """`skills add FOLDER`: a folder below the server's root, or a zip file of this machine."""
    if given.source.lower().endswith(".zip"):
        try:
            body = {"archive": b64encode(Path(given.source).read_bytes()).decode()}
        except OSError as error:
            raise CommandFailed(f"{given.source} cannot be read: {error.strerror}.", "Name another file.") from None
    else:
        body = {"folder": given.source}
    value = api.post("skills", body)
    skill = converted(value, SkillDetail)
    return Printed(value=value, lines=(f"The skill {skill.name} was added: {STATES[skill.state]}.", APPROVE))


def _row(skill: SkillView) -> tuple[str, ...]:
    description = one_line(skill.description, most=LONGEST_DESCRIPTION)
    return (skill.name, STATES[skill.state], str(skill.files), ", ".join(skill.agents), description, skill.source)


def _lines(skill: SkillDetail) -> Iterator[str]:
    yield f"{skill.name}: {STATES[skill.state]}"
    yield one_line(skill.description)
    yield from map(one_line, skill.problems)
    if skill.hidden_characters:
        yield f"Its texts contain {skill.hidden_characters} invisible characters. They are shown as \\u{{…}}."
    for file in skill.contents:
        yield ""
        yield f"== {_title(file)}"
        yield from plain(file.text or "(not text)" if file.change != "removed" else "").splitlines()
    if skill.state in ("pending", "changed"):
        yield ""
        yield APPROVE


def _title(file: SkillFileView) -> str:
    notes = [*(["script"] if file.script else []), *([file.change] if file.change != "same" else [])]
    return f"{one_line(file.path)} ({', '.join(notes)})" if notes else one_line(file.path)

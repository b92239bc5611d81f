"""SKILL.md, in the published format Agent Skills (agentskills.io): fields in front matter, then instructions. Pure."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ..agents.files import front_matter
from ..core.errors import Invalid, Malformed

MAIN_FILE = "SKILL.md"
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_FIELDS = 4 * 1024  # characters
LONGEST_FILE = 64 * 1024  # bytes: so much of a file is shown to the person who approves
NAME_RULE = "A skill's name has lowercase letters, digits and single hyphens, at most 64 characters."
# Fields by which some CLIs give a skill powers. Agents do not receive them here.
POWERS = ("allowed-tools", "hooks", "model", "context", "agent")


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """What SKILL.md says. `ignored`: its fields that would grant powers elsewhere, and have no effect here."""

    name: str
    description: str
    instructions: str
    ignored: tuple[str, ...] = ()


def is_name(text: str) -> bool:
    """Return whether `text` may be the name of a skill."""
    return len(text) <= LONGEST_NAME and NAME.fullmatch(text) is not None


def read(content: bytes, *, file: str) -> Skill:
    """Read SKILL.md. `file`: its path in errors. Raises `Malformed` with a sentence that says what to correct."""
    if len(content) > LONGEST_FILE:
        raise Malformed(
            f"{file}: it is longer than {LONGEST_FILE // 1024} KiB. Move parts of it to other files.", file=file
        )
    text = front_matter.decoded(content, file=file)
    if "\n---" not in text[: LONGEST_FIELDS + 4]:  # a longer one could take seconds to read
        raise Malformed(f"{file}: no line `---` ends its fields within {LONGEST_FIELDS // 1024} KiB.", file=file)
    found = front_matter.read(text, file=file)
    name, description = _text(found.fields, "name", file), _text(found.fields, "description", file)
    if not is_name(name):
        raise Malformed(f"{file}: its field name is not valid. {NAME_RULE}", file=file)
    if len(description) > LONGEST_DESCRIPTION:
        raise Malformed(f"{file}: its description has more than {LONGEST_DESCRIPTION:,} characters.", file=file)
    if not found.body.strip():
        raise Malformed(f"{file}: there are no instructions below its fields.", file=file)
    ignored = tuple(field for field in POWERS if field in found.fields)
    return Skill(name=name, description=description, instructions=found.body.strip(), ignored=ignored)


def written(name: str, description: str, instructions: str) -> bytes:
    """Return a new SKILL.md; line breaks in the description become spaces.

    Raises `Invalid` with the field for a name that is not valid, a description that is empty or longer than 1024
    characters, and empty instructions.
    """
    if not is_name(name):
        raise Invalid(NAME_RULE, field="name")
    line = " ".join(description.split())
    if not line or len(line) > LONGEST_DESCRIPTION:
        raise Invalid(
            f"Describe in 1 to {LONGEST_DESCRIPTION:,} characters what the skill is for and when to use it.",
            field="description",
        )
    if not instructions.strip():
        raise Invalid("The instructions are empty. Write what the agent should do.", field="instructions")
    fields = front_matter.changed("", {"name": name, "description": line}, file=MAIN_FILE)
    return f"{fields}\n{instructions.strip()}\n".encode()


def _text(fields: dict[str, Any], name: str, file: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Malformed(f"{file}: it needs the field {name}.", file=file)
    return " ".join(value.split())

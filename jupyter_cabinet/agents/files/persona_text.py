"""The text of a persona before it is saved: its values are changed, and the result is checked.

Called by `agent_folders.py`, which reads and writes the file. `persona.py` has the rules for each field.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.errors import Invalid
from .. import templates
from . import front_matter, persona
from .agent_reader import MAX_PERSONA_BYTES
from .persona import Persona
from .persona_fields import wrong_fields
from .safe_files import AGENTS, PERSONA


def persona_file(slug: str) -> str:
    """Return the path of an agent's persona, relative to the server's root, as errors name it."""
    return f"{AGENTS}/{slug}/{PERSONA}"


def from_template(slug: str, template: str, values: Mapping[str, Any]) -> str:
    """Return the persona of a template with other values for some fields. The result is not validated.

    Raises `NotFound` for an unknown template, and `Invalid` for values that cannot be written.
    """
    text = templates.files_of(template)[PERSONA].decode()
    return front_matter.changed(text, values, file=persona_file(slug))


def with_fields(slug: str, current: bytes, changes: Mapping[str, Any]) -> str:
    """Return a persona with other values for some fields (None removes one). The rest of the text is kept.

    The result is not validated. Raises `Malformed` if the current text cannot be read, and `Invalid` for values that
    cannot be written.
    """
    text = front_matter.decoded(current, file=persona_file(slug))
    fields = front_matter.read(text, file=persona_file(slug)).fields
    return front_matter.changed(text, persona.spelled(changes, fields), file=persona_file(slug))


def require_valid(slug: str, text: str) -> Persona:
    """Return the persona in a text.

    Raises `Malformed` for a text that cannot be read, and `Invalid` if it is too large or has wrong fields (`errors` in
    its detail).
    """
    if len(text.encode()) > MAX_PERSONA_BYTES:
        raise Invalid(f"The persona is too large. The limit is {MAX_PERSONA_BYTES // 1024} KiB.", field="persona")
    found = front_matter.read(text, file=persona_file(slug))
    validated = persona.validate(found.fields, found.body, slug=slug, file=persona_file(slug))
    if validated.persona is None:
        raise wrong_fields(validated.errors)
    return validated.persona

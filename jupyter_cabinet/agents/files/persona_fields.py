"""Checks values of front matter one by one and collects the errors. Pure. Called by `persona.py`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from ...core.errors import CabinetError, Invalid
from ...core.paths import check
from ...core.slugs import is_slug
from ...sandboxes.egress.host_rules import is_host_entry

MAX_ITEMS = 100  # items in a list
MAX_ITEM = 500  # characters of a text in a list
IMAGE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]*")  # Docker checks the rest
MAX_IMAGE_NAME = 300
NETWORKS, NO_NETWORK = ("packages", "open"), "none"  # values of `network` that are not hosts
DATA_FOLDER = "/data"  # the name of the root in other installations

_WHOLE = re.compile(r"[.\[]")
_UPPER = re.compile(r"(?<=[a-z0-9])([A-Z])")


class FieldError(msgspec.Struct, frozen=True, kw_only=True):
    """An error in one field. `message`: a sentence with the file, the field and what was expected.

    `line`: line of the file, counted from 1; None if it is unknown or the sentence names it.
    """

    field: str
    message: str
    line: int | None = None


def located(errors: Sequence[FieldError], lines: Mapping[str, int]) -> tuple[FieldError, ...]:
    """Return the errors with the lines of their fields.

    A part such as `goals[1].target` has the line of the whole field.
    """
    return tuple(msgspec.structs.replace(each, line=lines.get(_WHOLE.split(each.field)[0])) for each in errors)


def wrong_fields(errors: Sequence[FieldError]) -> Invalid:
    """Return the error that reports all of these, for a request. `errors` must not be empty."""
    message = " ".join(error.message for error in errors)
    return Invalid(message, field=errors[0].field, errors=[msgspec.to_builtins(error) for error in errors])


class Fields:
    """Front matter while it is checked.

    A getter returns the value, or its default if the field is absent or empty. If the value is wrong, the getter adds
    an error to `errors`, and its result must not be used. `known`: names of fields. `aliases`: other names of some of
    them. A field may be in snake case or camel case in the file. `prefix`: precedes the names of fields in errors.
    """

    def __init__(
        self,
        fields: Mapping[str, Any],
        *,
        known: Collection[str],
        aliases: Mapping[str, str],
        file: str,
        prefix: str = "",
    ) -> None:
        self.errors: list[FieldError] = []
        self.unknown: dict[str, Any] = {}
        self.spellings: dict[str, str] = {}
        self._given: dict[str, Any] = {}
        self._file = file
        self._prefix = prefix
        for written, value in fields.items():
            snake = _UPPER.sub(lambda upper: f"_{upper[1].lower()}", written)
            name = aliases.get(snake, snake)
            if name not in known:
                self.unknown[written] = value
            elif name in self.spellings:
                self.refuse(name, f"it is there twice, as {self.spellings[name]} and as {written}; keep one of them")
            else:
                self.spellings[name] = written
                self._given[name] = value

    def refuse(self, name: str, problem: str) -> None:
        """Add an error about a field to `errors`. `problem`: a phrase without a full stop."""
        field = f"{self._prefix}{name}"
        self.errors.append(FieldError(field=field, message=f"{self._file}, field {field}: {problem}."))

    def has(self, name: str) -> bool:
        """Return whether the field is present and not empty (`name:` without a value)."""
        return self._given.get(name) is not None

    def raw(self, name: str) -> Any:
        """Return the unchecked value of a field; None if it is absent or empty."""
        return self._given.get(name)

    def text(self, name: str, default: str, *, longest: int, least: int = 0) -> str:
        """Return a text of `least` to `longest` characters, without spaces around it.

        The default if it is absent or wrong. A number is converted to text.
        """
        value = self.optional_text(name, longest=longest, least=least)
        return default if value is None else value

    def optional_text(self, name: str, *, longest: int, least: int = 0) -> str | None:
        """Return a text of `least` to `longest` characters, without spaces around it; None if it is absent or wrong.

        A number is converted to text.
        """
        value = self._given.get(name)
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not least <= len(value.strip()) <= longest:
            self.refuse(name, f"a text of {f'{least} to' if least else 'at most'} {longest} characters was expected")
            return None
        return value.strip()

    def required_text(self, name: str, *, longest: int) -> str:
        """Return a text of 1 to `longest` characters; empty after an error. An absent one is an error."""
        if not self.has(name):
            self.refuse(name, "it must be there")
        return self.text(name, "", longest=longest, least=1)

    def boolean(self, name: str, default: bool) -> bool:
        """Return `true` or `false`. `no` and `off` are texts in YAML 1.2, and so an error."""
        value = self._given.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.refuse(name, "true or false was expected")
        return bool(value)

    def integer(self, name: str, default: int, *, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`. Another value is an error, and the default is returned."""
        value = self._given.get(name)
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.refuse(name, f"a whole number of {least} to {most} was expected")
            return default
        return value

    def optional_integer(self, name: str, *, least: int, most: int) -> int | None:
        """The same without a default: None if it is absent, and `least` after an error."""
        return None if self._given.get(name) is None else self.integer(name, least, least=least, most=most)

    def optional_number(self, name: str, *, least: float | None = None, most: float | None = None) -> float | None:
        """Return a number, or None if it is absent.

        A value that is not a number is an error, and None is returned. A number that is not from `least` to `most` is
        an error too, but is returned. Give both limits or neither.
        """
        value = self._given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(name, "a number was expected")
            return None
        if (least is not None and value < least) or (most is not None and value > most):
            self.refuse(name, f"a number of {least:g} to {most:g} was expected")
        return value

    def required_number(self, name: str) -> float:
        """Return a number; an absent one is an error, and 0 is returned."""
        if not self.has(name):
            self.refuse(name, "it must be there")
        return self.optional_number(name) or 0

    def choice(
        self, name: str, default: Any, choices: Collection[str], aliases: Mapping[str, str] | None = None
    ) -> Any:
        """Return one of some words; the default if it is absent or wrong. `aliases`: other words for them."""
        value = self._given.get(name)
        if value is None:
            return default
        value = (aliases or {}).get(value, value) if isinstance(value, str) else value
        if value not in tuple(choices):
            self.refuse(name, f"one of {', '.join(choices)} was expected")
            return default
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of at most 100 texts, none of them empty; empty if it is absent or wrong.

        Numbers become texts.
        """
        value = self._given.get(name)
        if value is None:
            return ()
        valid = isinstance(value, list) and len(value) <= MAX_ITEMS and all(map(_is_item, value))
        if not valid:
            self.refuse(name, f"a list of at most {MAX_ITEMS} texts was expected, such as [one, two]")
            return ()
        return tuple(str(each).strip() for each in value)

    def hosts(self, name: str) -> tuple[str, ...]:
        """Return what a run may reach in a sandbox: hosts, `packages` or `open`. One word may replace a list.

        The word `none` is left out. A wrong entry is an error, and is returned nevertheless.
        """
        if isinstance(self._given.get(name), str):
            self._given[name] = [self._given[name]]
        entries = tuple(entry for entry in self.texts(name) if entry != NO_NETWORK)
        for entry in entries:
            if entry not in NETWORKS and not is_host_entry(entry):
                self.refuse(name, f"{entry} is not a host, such as example.com, *.example.com or example.com:8443")
        return entries

    def image(self, name: str) -> str:
        """Return the name of a container's image; empty if it is absent or wrong."""
        value = self.text(name, "", longest=MAX_IMAGE_NAME)
        if value and (not IMAGE_NAME.fullmatch(value) or not set(value.split("/")).isdisjoint(("", "..", "."))):
            self.refuse(name, "the name of an image was expected, such as example.org/team/agents:1")
            return ""
        return value

    def slug(self, name: str, aliases: Mapping[str, str]) -> str | None:
        """Return a slug, which has only lowercase letters, digits and hyphens; None if it is absent or empty.

        `aliases`: other names. A wrong value is an error, and is returned nevertheless.
        """
        value = self.optional_text(name, longest=64)
        if value is None:
            return None
        value = aliases.get(value, value)
        if not is_slug(value):
            self.refuse(name, "a name of lowercase letters, digits and hyphens was expected")
        return value

    def slugs(self, name: str) -> tuple[str, ...]:
        """Return a list of slugs; empty if it is absent. A wrong one is an error, and is returned nevertheless."""
        values = self.texts(name)
        for value in values:
            if not is_slug(value):
                self.refuse(name, f"{value} is not a valid name; use lowercase letters, digits and hyphens")
        return values

    def folder(self, name: str) -> str:
        """Return a path below the root folder; empty for the root folder itself, and for an invalid path.

        A leading `DATA_FOLDER` is removed. An invalid path adds an error.
        """
        value = self.optional_text(name, longest=4096) or ""
        if value == DATA_FOLDER or value.startswith(f"{DATA_FOLDER}/"):
            value = value[len(DATA_FOLDER) + 1 :]
        return self._path(name, value) if value.strip("/.") or ".." in value else ""

    def paths(self, name: str) -> tuple[str, ...]:
        """Return a list of paths of pages below the root. A wrong one is an error, and becomes an empty text."""
        return tuple(self._path(name, value.removeprefix(f"{DATA_FOLDER}/")) for value in self.texts(name))

    def timezone(self, name: str) -> str | None:
        """Return the name of a time zone, such as `Europe/Paris`; None if it is absent or wrong."""
        value = self.optional_text(name, longest=100, least=1)
        if value is None:
            return None
        try:
            return ZoneInfo(value).key
        except (ValueError, LookupError, OSError):  # the last one is raised for the name of a folder of zones
            self.refuse(name, f"{value} is not a time zone; expected a name such as Europe/Paris or UTC")
            return None

    def mappings(self, name: str, known: Collection[str]) -> list[Fields]:
        """Return a list of groups of fields, each with its own `errors`, which the caller collects.

        Empty if it is absent or wrong. `known`: the names of the fields in a group.
        """
        value = self._given.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > MAX_ITEMS or not all(isinstance(each, dict) for each in value):
            self.refuse(name, f"a list of at most {MAX_ITEMS} groups of fields was expected")
            return []
        return [self._group(f"{name}[{number}].", each, known) for number, each in enumerate(value, 1)]

    def _group(self, prefix: str, fields: Mapping[str, Any], known: Collection[str]) -> Fields:
        return Fields(fields, known=known, aliases={}, file=self._file, prefix=prefix)

    def _path(self, name: str, value: str) -> str:
        try:
            return "/".join(check(value, field=name))
        except CabinetError as error:
            self.refuse(name, f"a path below the server's root folder was expected, not {value[:100]} ({error.kind()})")
            return ""


def _is_item(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    return 0 < len(str(value).strip()) <= MAX_ITEM

"""Adapts a launch to a CLI that is older than the version its adapter was tested with.

The CLI's own `--help`, read once per file, decides which options it has. Optional ones are left out. All others keep a
promise (the permission mode, the tools, the session), so the CLI is not started without them. Blocks. Called at a run's
launch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec
from packaging.version import InvalidVersion, Version

from ..core.errors import Invalid
from .locate import help_of
from .model import Launch
from .port import About, Located

# Options that a run can do without, with the number of arguments that follow each.
COMFORTS = {
    "--include-partial-messages": 0,
    "--system-prompt-snapshot": 1,
    "--no-daemon": 0,
    "--color": 1,
}
# The tested versions have them, but their help does not list them: nobody can tell whether an older one has.
UNLISTED = frozenset({"--max-turns", "--append-system-prompt-file"})
_OPTION = re.compile(r"--[A-Za-z][A-Za-z0-9-]*")


def is_older(about: About, found: str | None) -> bool:
    """Return whether the found version is known to be older than the tested one.

    False if either is unknown or unreadable.
    """
    try:
        return bool(about.tested and found) and Version(found or "") < Version(about.tested)
    except InvalidVersion:
        return False


def fitted(launch: Launch, about: About, located: Located, environment: Mapping[str, str]) -> Launch:
    """Return the launch without the optional options that an older CLI lacks.

    Unchanged for the tested version and newer ones, and if the version or the CLI's options are not known. Raises
    `Invalid` if options that this run requires are missing. May run the CLI's `--help`, so it blocks.
    """
    if not is_older(about, located.version):
        return launch
    program, *arguments = launch.argv
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options, rest = arguments[:end], arguments[end:]
    words = options[: _first_option(options)]
    known = set(_OPTION.findall(help_of(program, words, environment)))
    if not known:  # it has no help, or was too slow: it will report itself what it does not understand
        return launch
    return msgspec.structs.replace(launch, argv=(program, *_kept(options, known | UNLISTED, about, located), *rest))


def _first_option(arguments: list[str]) -> int:
    """Return where the subcommand (`exec`, `run`) ends."""
    return next((place for place, word in enumerate(arguments) if word.startswith("-")), len(arguments))


def _kept(options: list[str], known: set[str], about: About, located: Located) -> list[str]:
    kept, skipped = [], 0
    for word in options:
        name = word.partition("=")[0]
        if skipped:
            skipped -= 1
        elif not _OPTION.fullmatch(name) or name in known:
            kept.append(word)
        elif name in COMFORTS:
            skipped = 0 if "=" in word else COMFORTS[name]
        else:
            raise Invalid(
                f"{about.title} {located.version} does not have the option {name}, which this run requires. "
                f"Update it to {about.tested}: {about.install}"
            )
    return kept

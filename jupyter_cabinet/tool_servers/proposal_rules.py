"""Which commands an agent may propose: stricter than what a person may enter. Pure, except for resolving links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..core.plain_text import hidden_characters
from .rules import IN_FOLDER, NEWEST, SHELL, SHELLS

# They fetch what they start. Of these two, the form of the arguments is known.
PACKAGE_RUNNERS = ("npx", "uvx")
OTHER_RUNNERS = ("bun", "bunx", "corepack", "deno", "npm", "pip", "pipx", "pnpm", "pnpx", "uv", "yarn")
PACKAGE = re.compile(r"(?:@[a-z0-9][\w.-]*/)?[a-z0-9][\w.-]*@\d+(?:\.\d+)+[\w.+-]*", re.IGNORECASE | re.ASCII)
WITHOUT_QUESTION = ("-y", "--yes")
CODE = ("-c", "-e", "--call", "--eval", "--exec", "--print")  # a program follows, as a text
INTERPRETERS = re.compile(r"(?:python|perl|ruby|node|php|lua)[\d.]*")

OTHER_RUNNER = "Propose a package with npx or uvx and a fixed version."
CODE_IN_ARGUMENTS = "The arguments are a program. Propose one that is installed, or a package."
HIDDEN = "An argument has line breaks or invisible characters, so a person could not see what would be started."


def refusal(command: Sequence[str], root: Path) -> str:
    """Return why a command cannot be proposed, as a sentence; empty if it can be.

    `command`: with an absolute path. It resolves links, so call it off the loop.
    """
    program, *arguments = command
    real = Path(program).resolve().name
    if any(hidden_characters(each) or not each.isprintable() for each in arguments):
        return HIDDEN
    if any(_is_shell(name) for name in (real, *(Path(each).name for each in command))):
        return SHELL
    for each in command:
        if any(str(folder) in each for folder in (root, root.resolve())):
            return IN_FOLDER.format(path=each)
    name = Path(program).name
    if name in OTHER_RUNNERS or real in OTHER_RUNNERS:
        return OTHER_RUNNER
    if name in PACKAGE_RUNNERS:
        package = next((each for each in arguments if each not in WITHOUT_QUESTION), "")
        return "" if PACKAGE.fullmatch(package) else NEWEST.format(name="package")
    short = INTERPRETERS.fullmatch(name) or INTERPRETERS.fullmatch(real)
    if any(each.partition("=")[0] in CODE or (short and each[:2] in ("-c", "-e")) for each in arguments):
        return CODE_IN_ARGUMENTS
    return ""


def _is_shell(name: str) -> bool:
    return name in SHELLS or name in ("rbash", "busybox", "csh", "tcsh", "mksh", "pwsh")

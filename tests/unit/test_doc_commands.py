"""Commands and settings in README.md and the docs exist, and so do the messages of the troubleshooting page."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_cabinet.app import CabinetApp
from jupyter_cabinet.cli import parser
from jupyter_cabinet.notebook.arguments import agent_arguments, play_arguments
from jupyter_cabinet.notebook.magics import CABINET_WORDS, CabinetMagics

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
PLACEHOLDERS = {"<run>": "01m83wh81e1fvxjqmgz4qhtc4y", "RUN": "01m83wh81e1fvxjqmgz4qhtc4y", "AGENT": "ada"}
MAGICS = {f"%{name}" for name in CabinetMagics.magics["line"]} | {f"%%{name}" for name in CabinetMagics.magics["cell"]}


def lines(*languages: str) -> Iterator[tuple[str, str]]:
    """Each line of the code blocks in these languages, with its page."""
    for page in PAGES:
        for _, language, text in BLOCK.findall(page.read_text()):
            if language in languages:
                yield from ((page.name, line.strip().removeprefix("$ ")) for line in text.splitlines())


def id_of(line: tuple[str, str]) -> str:
    return f"{line[0]}: {line[1][:60]}"


SHELL = list(lines("bash", "console"))
COMMANDS = [line for line in SHELL if line[1].startswith("jupyter cabinet ")]
TARGETS = [line for line in SHELL if line[1].startswith("make ")]
CELLS = [line for line in lines("text", "python") if re.match(r"%%?(?:agent|play|terminal|cabinet)\b", line[1])]


def test_the_blocks_are_found() -> None:
    assert len(COMMANDS) > 10
    assert len(TARGETS) > 2
    assert len(CELLS) > 8


@pytest.mark.parametrize("line", COMMANDS, ids=map(id_of, COMMANDS))
def test_a_command_is_understood(line: tuple[str, str]) -> None:
    words = shlex.split(line[1], comments=True)[2:]
    parser().parse_args([PLACEHOLDERS.get(word, word) for word in words])


@pytest.mark.parametrize("line", TARGETS, ids=map(id_of, TARGETS))
def test_a_target_of_make_exists(line: tuple[str, str]) -> None:
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets is not None
    assert line[1].split()[1] in targets[1].split()


@pytest.mark.parametrize("line", CELLS, ids=map(id_of, CELLS))
def test_a_magic_is_understood(line: tuple[str, str]) -> None:
    magic, _, arguments = line[1].partition(" ")
    assert magic in MAGICS
    if magic == "%%agent":
        agent_arguments(arguments)
    elif magic in ("%play", "%%play"):
        play_arguments(arguments, "name = value" if magic == "%%play" else None)
    elif magic == "%cabinet":
        assert arguments in ("", *CABINET_WORDS)


def test_every_setting_that_is_named_exists() -> None:
    own = CabinetApp.class_own_traits(config=True)
    named = {name for page in PAGES for name in re.findall(r"\bCabinetApp\.(\w+)", page.read_text())}
    assert named - set(own) == set()


def shown_texts() -> Iterator[str]:
    """The sources without what is inserted into a message, and with the parts of a long one joined."""
    for source in ROOT.glob("jupyter_cabinet/**/*.py"):
        yield re.sub(r"\{[^{}\n]*\}|%[srd]", "", re.sub(r"\"\s*\n\s*f?\"", "", source.read_text()))
    for source in ROOT.glob("labextension/src/**/*.ts*"):
        yield re.sub(r"%\d", "", source.read_text())


def test_every_message_of_the_troubleshooting_page_is_one_that_is_shown() -> None:
    page = (ROOT / "docs/how-to/troubleshoot.md").read_text()
    rows = re.findall(r"^\| (?!you see|---)(.*?) \|", page, re.MULTILINE)
    known = " ".join(" ".join(shown_texts()).split())
    quoted = [text for row in rows for text in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", row)]
    assert len(quoted) > 40
    assert [text for text in quoted if text not in known] == []

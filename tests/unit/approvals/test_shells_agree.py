"""What is read of a certain shell text is what bash, dash, zsh, mksh and busybox run: tens of thousands of lines.

The programs of a line are files that write down how they were called. `apt-get install busybox mksh zsh` gives it all
shells; those that are missing are left out.
"""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_cabinet.approvals import shell

LINES = 50_000
PARTS = 10  # so that a slice of the long tier can hold one
SHELLS = {
    "bash": ("bash", "--noprofile", "--norc", "-c"),
    "dash": ("dash", "-c"),
    "zsh": ("zsh", "-f", "-c"),
    "mksh": ("mksh", "-c"),
    "busybox": ("busybox", "sh", "-c"),
}
NAMES = ("x", "y", "xy", "1", "2", "-y", "=", "@", ".")
PIECES = (
    *(
        " ",
        " ",
        " ",
        "x",
        "y",
        "xy",
        " x ",
        " y ",
        "-y",
        "1",
        "2",
        "'x y'",
        '"x y"',
        "''",
        '""',
        "=",
        "@",
        ".",
        ":",
        "/",
        "%",
    ),
    *(
        ";",
        "&&",
        "||",
        "|",
        "\n",
        "( ",
        " )",
        "{ ",
        "; }",
        "!",
        "&",
        "^",
        "?",
        "-",
        ",",
        "[x]",
        "{x,y}",
        "$x",
        "`y`",
        "\\",
    ),
    *(" 2>&1", " 1>&2", " >/dev/null", " </dev/null", " 2>/dev/null", " 0</dev/null", " >&2", "2>&1", "&>/dev/null"),
)
RECORDER = """#!/bin/sh
set -- "${0##*/}" "$@"
printf '%s\\0' "$#" "$@" >>"$RECORD"
"""


def certain_lines(seed: int, count: int) -> Iterator[str]:
    """Lines of which nothing is in doubt, other ones for each seed."""
    chance = random.Random(seed)
    found: set[str] = set()
    while len(found) < count:
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 9)))
        if text not in found and not shell.read(text).doubts:
            found.add(text)
            yield text


def recorded(text: str) -> set[tuple[str, ...]]:
    """The calls in what `RECORDER` writes: before each how many words it has."""
    words, found = text.split("\0")[:-1], set()
    while words:
        end = 1 + int(words[0])
        found.add(tuple(words[1:end]))
        words = words[end:]
    return found


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    recorder = folder / "recorder"
    recorder.write_text(RECORDER)
    recorder.chmod(0o755)
    for length in (1, 2, 3):
        for parts in itertools.product(NAMES, repeat=length):
            name = "".join(parts)
            if name not in (".", "..") and not (folder / name).is_symlink():
                (folder / name).symlink_to(recorder)
    return folder


@pytest.mark.long(reason="five shells run fifty thousand lines")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_shell_runs_of_a_certain_line_what_was_not_read(part: int, programs: Path, tmp_path: Path) -> None:
    shells = {name: command for name, command in SHELLS.items() if shutil.which(command[0])}
    assert "bash" in shells
    record = tmp_path / "record"
    environment = {"PATH": str(programs), "RECORD": str(record)}
    differences, ran = [], 0
    for line in certain_lines(part, LINES // PARTS):
        expected = set(shell.read(line).commands)
        for name, (program, *options) in shells.items():
            record.write_bytes(b"")
            command = [shutil.which(program) or program, *options, line]
            nothing = subprocess.DEVNULL
            subprocess.run(
                command, check=False, cwd=tmp_path, env=environment, stdin=nothing, capture_output=True, timeout=60
            )
            found = recorded(record.read_text())
            ran += bool(found)
            if not found <= expected or len(list(tmp_path.iterdir())) != 1:
                differences.append((name, line, found - expected))
    assert not differences, differences[:20]
    assert ran > LINES // PARTS, "the lines run something"

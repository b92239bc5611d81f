"""What a killed server has left of a file that it replaced is removed by the next one, and nothing else is."""

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from harness.backend import Place

from jupyter_cabinet.storage.filesystem import files
from jupyter_cabinet.storage.filesystem.leftovers import remove_leftovers, time_of_file_system

KILLED = """
import os, pathlib, signal, sys
from jupyter_cabinet.storage.filesystem import files
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
files.replace(pathlib.Path(sys.argv[1]), b"half")
"""
NAME = ".goals.json.0123456789ab"


def killed_while_it_writes(path: Path) -> Path:
    """A real one, from a process that was killed between the writing and the renaming."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = set(path.parent.iterdir())
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False).returncode == -9
    (left,) = set(path.parent.iterdir()) - before
    return left


async def test_the_next_server_removes_what_a_killed_one_left_in_every_folder_it_writes_to(
    tmp_path: Path, until: Callable[[Callable[[], bool]], Awaitable[None]]
) -> None:
    place = Place(tmp_path)
    async with place.backend():
        pass
    left = [
        killed_while_it_writes(place.root / path)
        for path in (".cabinet/runs/1/prompt.txt", ".agents/ada/memory/goals.json", ".playbooks/plays/a.md")
    ]
    theirs = place.root / NAME
    theirs.write_text("")
    async with place.backend():
        await until(lambda: not any(path.exists() for path in left))
    assert theirs.exists() and (place.root / ".cabinet" / "id").exists()


def test_what_is_not_exactly_ours_stays(tmp_path: Path) -> None:
    folder, outside = tmp_path / "agents", tmp_path / "outside"
    for each in (folder / "workspace", folder / ".git", outside, folder / ".a.0123456789ac"):
        each.mkdir(parents=True)
    kept = [
        *(
            folder / name
            for name in ("goals.json", "x.0123456789ab", ".x.0123456789AB", ".x.0123456789abc", ".0123456789ab")
        ),
        *(inner / NAME for inner in (folder / "workspace", folder / ".git", outside)),
        folder / ".two.0123456789ab",
    ]
    for path in kept:
        path.write_text("kept")
    os.link(kept[-1], outside / "its other name")
    (folder / ".link.0123456789ab").symlink_to(outside / NAME)
    (folder / "inner").symlink_to(outside)
    os.mkfifo(folder / ".pipe.0123456789ab")
    left = folder / "memory" / NAME
    left.parent.mkdir()
    left.write_text("half")
    before = left.stat().st_mtime_ns + 1
    young = folder / "memory" / ".young.0123456789ab"
    young.write_text("half")
    os.utime(young, ns=(before, before))
    everything = set(tmp_path.rglob("*"))
    assert remove_leftovers([folder, tmp_path / "nothing"], before=before) == 1
    assert everything - set(tmp_path.rglob("*")) == {left}


def test_a_folder_that_is_a_link_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / NAME).write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    assert remove_leftovers([tmp_path / "link"], before=time_of_file_system(tmp_path) + 10**9) == 0


@pytest.mark.parametrize("name", ["goals.json", "a\nb", ".read"])
def test_a_name_is_known_again_whatever_it_was_made_from(name: str) -> None:
    assert files.TEMPORARY.fullmatch(f".{name}.0123456789ab")

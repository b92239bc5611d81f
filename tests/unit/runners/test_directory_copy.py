"""The copy of a run directory on a worker: what is copied, what is refused, and what is left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.runners.directory_copy import CopiedFile, DirectoryCopy, files_of

KILLED_WORKER = """
import os, signal, sys
from jupyter_cabinet.runners.directory_copy import CopiedFile, DirectoryCopy
DirectoryCopy.write(sys.argv[1], [CopiedFile(path="ticket", mode=0o600, content=b"secret")])
os.kill(os.getpid(), signal.SIGKILL)
"""


async def test_a_copy_has_the_files_and_their_rights_and_goes_with_everything(tmp_path: Path) -> None:
    original, path = tmp_path / "one", tmp_path / "runtime" / "cabinet" / "one"
    (original / "skills").mkdir(parents=True)
    (original / "skills" / "start").write_bytes(b"#!/bin/sh")
    (original / "skills" / "start").chmod(0o500)
    (original / "ticket").write_bytes(b"secret")
    (original / "ticket").chmod(0o600)
    (original / "link").symlink_to("/etc/passwd")
    copy = DirectoryCopy.write(str(path), files_of(original))
    assert (path / "ticket").read_bytes() == b"secret" and (path / "skills" / "start").read_bytes() == b"#!/bin/sh"
    modes = [
        each.stat().st_mode & 0o777 for each in (path, path / "ticket", path / "skills", path / "skills" / "start")
    ]
    assert modes == [0o700, 0o600, 0o700, 0o500]
    assert not (path / "link").exists()
    await copy.close()
    assert not path.exists()


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "", "a/../../out"])
def test_a_path_outside_is_refused_and_nothing_is_left(tmp_path: Path, name: str) -> None:
    with pytest.raises(Unavailable, match="cannot write"):
        DirectoryCopy.write(str(tmp_path / "d" / "one"), [CopiedFile(path=name, mode=0o600, content=b"x")])
    assert list((tmp_path / "d").iterdir()) == [] and not (tmp_path / "out").exists()


def test_a_directory_that_exists_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    with pytest.raises(Unavailable, match="File exists"):
        DirectoryCopy.write(str(tmp_path / "one"), [])
    assert list((tmp_path / "one").iterdir()) == []


@pytest.mark.slow(reason="starts an interpreter")
def test_the_copy_of_a_killed_worker_goes_with_the_next_one_and_others_stay(tmp_path: Path) -> None:
    killed, living, stranger = (tmp_path / name for name in ("killed", "living", "stranger"))
    subprocess.run([sys.executable, "-c", KILLED_WORKER, str(killed)], check=False)
    assert (killed / "ticket").exists()
    stranger.mkdir()
    DirectoryCopy.write(str(living), [])
    assert not killed.exists()
    DirectoryCopy.write(str(tmp_path / "next"), [])
    assert living.exists() and stranger.exists()

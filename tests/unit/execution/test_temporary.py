"""Files that a CLI needs while it lives."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_cabinet.execution.temporary import written
from jupyter_cabinet.runtimes.model import TemporaryFile


def test_a_file_that_was_there_before_stays(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    other.write_text("of somebody else")
    files = [TemporaryFile(path=str(path), content=b"ours") for path in (own, other)]
    with pytest.raises(FileExistsError), written(files):
        pass
    assert not own.exists() and other.read_text() == "of somebody else"

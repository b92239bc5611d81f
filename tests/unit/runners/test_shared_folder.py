"""The proof that a server and a worker have the same folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from jupyter_cabinet.runners.shared_folder import answered, is_answered, proof


def test_both_directions_are_proved(tmp_path: Path) -> None:
    with proof(tmp_path) as (path, content):
        copy = tmp_path / "copy"
        shutil.copy(path, copy)
        assert answered(str(copy)) == content
        assert not is_answered(path, content)  # what was written arrived elsewhere
        assert answered(str(path)) == content
        assert is_answered(path, content)
    assert not path.exists() and answered(str(path)) == b""

"""What a CLI wrote, as people may look at it."""

from __future__ import annotations

from pathlib import Path

from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.execution.raw_log import RawLog


def test_a_secret_in_pieces_is_redacted_also_where_another_stream_comes_between(tmp_path: Path) -> None:
    log = RawLog(tmp_path / "raw", Redactor(("s3cret-s3cret",)))
    log.write(b"It is s3cret-")
    log.write(b"A warning.\n", "stderr")
    log.write(b"s3cret.\n")
    log.close()
    kept = (tmp_path / "raw").read_bytes()
    assert b"A warning." in kept and b"[redacted]" in kept and b"s3cret" not in kept

"""Finds the sessions that pi keeps on disk: one file each. `shared/messages/pi_sessions.py` reads it. Facts: 0.87.1."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..session_entries import SessionFacts, SessionFiles
from ..shared.messages.pi_sessions import read_line
from ..shared.messages.stored_lines import id_after_underscore
from .login import folder


def session_stores(environment: Mapping[str, str]) -> tuple[SessionFiles, ...]:
    """Return where pi keeps its sessions and how to read them, whether or not the folders exist.

    `environment`: the server's variables. Versions before 0.23 kept the files directly in the folder.
    """
    chosen = environment.get("PI_CODING_AGENT_SESSION_DIR")
    sessions = Path(chosen) if chosen else folder(environment) / "sessions"
    patterns = ("*/*.jsonl", "*.jsonl")
    return (SessionFiles(folder=sessions, patterns=patterns, read_line=read_line, facts_of_path=facts_of_path),)


def facts_of_path(path: Path) -> SessionFacts:
    """Return the id in `<time>_<id>.jsonl`; the whole name without its ending if it has no `_`."""
    return SessionFacts(native_id=id_after_underscore(path))

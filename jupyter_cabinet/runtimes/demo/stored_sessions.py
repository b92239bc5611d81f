"""Reads the sessions that the demo agent keeps on disk, in the form of Claude Code's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..claude.stored_sessions import read_line
from ..session_entries import SessionFacts, SessionFiles
from .program.session import folder


def session_stores(environment: Mapping[str, str]) -> tuple[SessionFiles, ...]:
    """Return where the demo agent keeps its sessions and how to read them, whether or not the folder exists."""
    place = folder(environment, Path(environment.get("HOME") or "/nonexistent"))
    return (SessionFiles(folder=place, patterns=("*.jsonl",), read_line=read_line, facts_of_path=facts_of_path),)


def facts_of_path(path: Path) -> SessionFacts:
    """Return the id of the session, which is the name of its file."""
    return SessionFacts(native_id=path.stem)

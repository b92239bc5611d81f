"""Agents in a root directory, with the demo agent at work in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.backend import ADA, ended
from jupyter_cabinet.agents.model import AgentDetail, EffectReport
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.runs.model import Run


async def make(backend: Backend, slug: str, checklist: str = "", **fields: Any) -> AgentDetail:
    """An agent of Ada's, made in the browser. `checklist`: what the demo agent shall do and answer."""
    values = {"runtime": "demo", "heartbeat_enabled": False, **fields}
    detail = await backend.agents.create(slug, "research", values, ADA, "server")
    file = await backend.agents.read_file(slug, "HEARTBEAT.md", ADA)
    await backend.agents.write_file(slug, "HEARTBEAT.md", checklist.encode() or b"Nothing.", file.etag, ADA)
    return detail


def put_strangers_message(root: Path, slug: str, text: str) -> None:
    """Put a message from outside into an agent's inbox: its next run has then read foreign text."""
    inbox = root / ".agents" / ".messages" / slug
    inbox.mkdir(parents=True)
    message = f"---\nfrom: stranger\nto: {slug}\n---\n{text}\n"
    (inbox / "2026-01-01T00-00-00Z_from_stranger_m1.md").write_text(message)


async def heartbeat(backend: Backend, slug: str) -> Run:
    """One heartbeat, to the end of what follows from it."""
    run = await ended(backend, await backend.agents.run(slug, ADA))
    await backend.outbox.settled()
    return run


async def reports(backend: Backend, run: Run) -> list[EffectReport]:
    """What happened to its directives."""
    return await backend.aftermath.reports(run.id)


def text_of(backend: Backend, path: str) -> str:
    """A file below `.agents/`."""
    return str((backend.agents.roster.folders.folder("x").parent / path).read_text())

"""The MIME bundles of our displays: drawn by the extension from an id, with text for everything else. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MIME_TYPE = "application/vnd.jupyter-cabinet.view+json"

Bundle = dict[str, Any]


def run_bundle(run_id: str, markdown: str, text: str, *, attached: Sequence[str] = ()) -> Bundle:
    """Return the bundle of a run. `attached`: titles of the context sent with its instruction."""
    view = {"view": "run", "run_id": run_id}
    return _bundle({**view, "attached": list(attached)} if attached else view, markdown, text)


def agent_bundle(slug: str, markdown: str, text: str) -> Bundle:
    """Return the bundle of an agent's card."""
    return _bundle({"view": "agent", "agent": slug}, markdown, text)


def terminal_bundle(terminal_id: str, markdown: str, text: str) -> Bundle:
    """Return the bundle of a shared terminal."""
    return _bundle({"view": "terminal", "terminal_id": terminal_id}, markdown, text)


def goal_bundle(slug: str, metric: str, markdown: str, text: str) -> Bundle:
    """Return the bundle of a goal over time."""
    return _bundle({"view": "goal", "agent": slug, "metric": metric}, markdown, text)


def trust_bundle(text: str) -> Bundle:
    """Return the bundle for a refusal because nobody has confirmed the folder. `text`: what to do."""
    return _bundle({"view": "trust"}, text, text)


def _bundle(view: dict[str, Any], markdown: str, text: str) -> Bundle:
    return {MIME_TYPE: view, "text/markdown": markdown, "text/plain": text}

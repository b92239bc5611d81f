"""Builds the services of the editor from those of the packages below. Called by `backend.py`."""

from __future__ import annotations

from ..agents.run_kinds.agent_terms import AgentTerms
from ..agents.wiring import AgentRoom
from ..changes.service import RunChanges
from ..foundation import Foundation
from ..runs.kinds import RunKind
from ..runs.service import Runs
from ..runtimes.registry import Runtimes
from ..sessions.service import Sessions
from . import history
from .document_sessions import DocumentSessions
from .earlier import EarlierSessions
from .kind import CellKind, EditorKind
from .sessions import EditorSessions


class EditorRoom:
    """Builds the editor's kinds of runs first, and its sessions once the service of runs exists."""

    def __init__(
        self, foundation: Foundation, *, sessions: Sessions, runtimes: Runtimes, agents: AgentRoom, changes: RunChanges
    ) -> None:
        self._root, self._sessions = foundation.root, sessions
        self._documents = DocumentSessions(root=self._root, sessions=sessions, runtimes=runtimes)
        titles = {name: runtimes.get(name).about.title for name in runtimes.names()}
        self.earlier = EarlierSessions(self._root, titles)
        terms = AgentTerms(agents.runs, agents.briefing)
        editor_kind = EditorKind(root=self._root, documents=self._documents, agents=terms, changes=changes)
        cell_kind = CellKind(root=self._root, documents=self._documents, agents=terms, changes=changes)
        self.kinds: tuple[RunKind, ...] = (editor_kind, cell_kind)
        foundation.outbox.register(history.TOPIC, editor_kind.write_history)

    def build_sessions(self, runs: Runs) -> EditorSessions:
        """Build the service of sessions that the sidebar uses."""
        return EditorSessions(
            root=self._root, runs=runs, sessions=self._sessions, documents=self._documents, earlier=self.earlier
        )

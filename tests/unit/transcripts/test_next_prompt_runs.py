"""The own sessions of the runs that suggest next prompts: lists leave them out."""

from __future__ import annotations

from pathlib import Path

from harness.backend import ADA, Place
from harness.values import example_run

from jupyter_cabinet.runtimes.model import Outcome
from jupyter_cabinet.transcripts.model import session_key
from jupyter_cabinet.transcripts.next_prompt_runs import NextPromptsKind


async def test_a_session_whose_cli_has_chosen_its_id_is_archived_when_its_run_ends(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        session = await backend.sessions.create(ADA, subject=None, runtime="codex", visibility="private")
        run = example_run(kind="next_prompts", runtime="codex", session_id=session.id)
        end = Outcome()
        for native_id in (None, "chosen"):
            await backend.commits.commit(
                lambda c, id=native_id: backend.sessions.take_outcome(c, session.id, id, end, newest=False),
                effects=lambda _: NextPromptsKind().effects(run, end),
            )
            await backend.outbox.settled()
        archived = {id for id, marks in backend.cli_sessions._marks.all().items() if marks.archived}
        assert archived == {session_key("codex", "chosen")}

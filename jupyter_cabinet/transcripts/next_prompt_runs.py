"""Runs of kind `next_prompts`: an agent without tools reads a summary of a session and suggests what to ask next.

Only a person's request starts one. Called by `web/handlers/sessions.py`; the kind is registered in `backend.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import msgspec

from ..core.errors import Invalid, NotFound
from ..core.people import Principal
from ..core.plain_text import one_line
from ..runs.kinds import Prepared, RunKind, RunSubject, name_of
from ..runs.model import NewRun, Run
from ..runs.rules.lifecycle import is_final
from ..runs.service import Runs
from ..runtimes.model import Outcome
from ..runtimes.registry import Runtimes
from ..sessions.service import Sessions
from ..storage.outbox import Effect
from .continuation import OUTSIDE
from .model import NewNextPromptsRun, NextPrompts
from .next_prompts import prompt_for, prompts_in
from .service import CliSessions

TITLE_CHARACTERS = 80
ENDED = "next_prompts.ended"  # topic of the outbox
NO_ANSWER = "This session has no answer yet."
HAS_TOOLS = "{title} cannot be kept from using its tools."
NO_PROMPTS = "The agent has suggested no prompts."


class NextPromptsKind(RunKind):
    """Its request has the whole prompt."""

    request: type[NewRun] = NewNextPromptsRun
    by_request = False

    async def check(self, new: NewNextPromptsRun, principal: Principal) -> RunSubject:
        """Accept every request: `NextPromptRuns.suggest` has made it."""
        return RunSubject(mode="headless", fixed_mode=True, title=new.title)

    async def prepare(self, run: Run, new: NewNextPromptsRun) -> Prepared:
        """Return the prompt. The agent gets neither skills nor tool servers."""
        return Prepared(prompt=new.prompt, equipped=False)

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return no warnings: it has no tools to change files."""
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Archive the session of the run once its id is known."""
        ended = SuggestionEnded(runtime=run.runtime, session_id=run.session_id)
        return (Effect(topic=ENDED, body=msgspec.json.encode(ended).decode()),)


class SuggestionEnded(msgspec.Struct, frozen=True, kw_only=True):
    """A run that suggests prompts has ended. Its own session is archived."""

    runtime: str
    session_id: str


class NextPromptRuns:
    """Starts such runs, and reads their answers. `do_ended` is the outbox's handler of `ENDED`."""

    def __init__(self, *, cli_sessions: CliSessions, sessions: Sessions, runs: Runs, runtimes: Runtimes) -> None:
        self._cli_sessions = cli_sessions
        self._sessions = sessions
        self._runs = runs
        self._runtimes = runtimes

    async def suggest(self, id: str, principal: Principal) -> Run:
        """Start a run of the session's CLI, and return it without waiting for it. Its own session is archived.

        Raises `NotFound`, what `Runs.submit` raises, and `Invalid` if the session has no answer, worked outside the
        root, or if its CLI cannot be kept from using its tools.
        """
        session, entries = await self._cli_sessions.entries(id, principal)
        if session.path is None:
            raise Invalid(OUTSIDE.format(folder=session.cwd or "an unknown folder"), field="cwd")
        if all(entry.kind != "assistant" for entry in entries):
            raise Invalid(NO_ANSWER, field="id")
        title = self._runtimes.get(session.runtime).about.title
        can = await asyncio.to_thread(self._runtimes.capabilities, session.runtime)
        if can is not None and not can.allowed_tools:
            raise Invalid(HAS_TOOLS.format(title=title), field="runtime")
        named = one_line(session.marks.alias or session.title or "a session", most=TITLE_CHARACTERS)
        request = NewNextPromptsRun(
            instruction="",
            title=f"Next prompts for {named}",
            prompt=prompt_for(session, entries, title=title),
            runtime=session.runtime,
            allowed_tools=(),
            cwd=session.path,
        )
        run = await self._runs.submit(request, principal)
        await self._cli_sessions.set_aside(run.runtime, run.session_id)  # for CLIs that accept our id
        return run

    async def do_ended(self, body: str) -> None:
        """Archive the session of a run that has ended, if its CLI has chosen the id."""
        ended = msgspec.json.decode(body, type=SuggestionEnded)
        session = await self._sessions.load(ended.session_id)
        if session is not None and session.native_id:
            await self._cli_sessions.set_aside(ended.runtime, session.native_id)

    async def suggested(self, id: str, run_id: str, principal: Principal) -> NextPrompts:
        """Return what the run has suggested; no prompts while it works, and none with the reason if it has failed.

        Raises `NotFound` for an unknown session or run, and for a run of another kind.
        """
        await self._cli_sessions.row(id, principal)
        run = await self._runs.get(run_id, principal)
        if run.kind != name_of(NewNextPromptsRun):
            raise NotFound("There is no such run.")
        prompts = prompts_in(run.result.text) if run.state == "succeeded" and run.result else ()
        problem = "" if prompts or not is_final(run) else NO_PROMPTS if run.state == "succeeded" else run.reason
        return NextPrompts(prompts=prompts, problem=problem, is_final=is_final(run))

"""`runs`: the only way to start and follow work."""

from __future__ import annotations

import msgspec

from ...agents.model import NewMessageRun
from ...core.errors import Invalid
from ...editor.model import EditedRun, NewCellRun, NewEditorRun
from ...execution.sandbox.sandbox_record import SandboxRecord
from ...plays.model import NewPlayRun
from ...runs.model import NewManualRun, Run, RunFilter, in_list
from ...runs.rules.lifecycle import is_final
from ..handler import CabinetHandler
from ..operation import Query, operation

MAX_WAIT_SECONDS = 600
MAX_PAGE = 200


class RunList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first, with only the beginning of long answers. `next` is the cursor of the following page."""

    items: tuple[Run, ...]
    next: str | None = None


class SentPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """The prompt of a run's CLI, without secrets. Empty if nothing was sent, or it is not kept."""

    prompt: str
    system: str = ""  # the part above it, for kinds of runs that have one


LIST_QUERY = (
    Query(name="path", about="only runs about this document"),
    Query(name="session_id", about="only runs of this session"),
    Query(name="agent", about="only runs of this agent"),
    Query(name="state", about="only runs in this state"),
    Query(name="kind", about="only runs of this kind"),
    Query(name="q", about="text in the instruction"),
    Query(name="limit", kind="integer", about="at most 200"),
    Query(name="cursor", about="`next` of the page before"),
)


WAIT_QUERY = (
    Query(name="wait", kind="number", about="seconds to wait for its end, at most 600"),
    Query(
        name="until",
        about=(
            "what to wait for: `end`, or `effects`: its directives have been carried out too, unless a person has to "
            "approve them first"
        ),
    ),
)


class RunsHandler(CabinetHandler):
    """`runs`"""

    @operation("read", gives=RunList, query=LIST_QUERY)
    async def get(self) -> None:
        """List the runs that the caller may see, newest first, with the first 300 characters of their answers."""
        wanted = RunFilter(
            path=self.path_argument("path"),
            session_id=self.text_argument("session_id"),
            agent=self.text_argument("agent"),
            state=self.text_argument("state"),
            kind=self.text_argument("kind"),
            query=self.text_argument("q"),
            limit=min(self.integer_argument("limit", 50), MAX_PAGE),
            cursor=self.text_argument("cursor"),
        )
        items = tuple(in_list(run) for run in await self.services.runs.find(wanted, self.principal))
        self.reply(RunList(items=items, next=items[-1].id if len(items) >= wanted.limit > 0 else None))

    @operation(
        "execute",
        body=NewManualRun | NewEditorRun | NewCellRun | NewMessageRun | NewPlayRun,
        gives=EditedRun,
        status=201,
        query=(
            Query(name="wait", kind="number", about="seconds to wait for the end; such a run is headless"),
            Query(name="queue", kind="boolean", about="`false`: answer 429 instead of waiting in the queue"),
        ),
    )
    async def post(self) -> None:
        """Start a run. With `wait`, the answer comes when the run has ended, or after that many seconds."""
        new = self.services.runs.kinds.convert(self.body(object))
        seconds = min(self.number_argument("wait", 0), MAX_WAIT_SECONDS)
        if seconds > 0 and new.mode is None and not isinstance(new, NewCellRun):  # a cell knows its working folder
            new = msgspec.structs.replace(new, mode="headless")
        may_wait = self.get_query_argument("queue", "true") != "false"
        run = await self.services.runs.submit(new, self.principal, may_wait=may_wait)
        if seconds > 0:
            await self.services.runs.wait(run.id, seconds)
            run = await self.services.runs.get(run.id, self.principal)
        self.reply(await self.services.editor.edited(run), 200 if is_final(run) else 201)


class RunHandler(CabinetHandler):
    """`runs/{id}`"""

    @operation("read", gives=Run, query=WAIT_QUERY)
    async def get(self, run_id: str) -> None:
        """Return one run in its current state."""
        runs, seconds = self.services.runs, min(self.number_argument("wait", 0), MAX_WAIT_SECONDS)
        until, clock = self.text_argument("until") or "end", self.server_status.clock
        if until not in ("end", "effects"):
            raise Invalid("until is end or effects.", field="until")
        run, ends = await runs.get(run_id, self.principal), clock.monotonic() + seconds
        if seconds > 0 and not is_final(run):
            await runs.wait(run_id, seconds)
            run = await runs.get(run_id, self.principal)
        if until == "effects" and is_final(run):
            await self.services.aftermath.wait(run_id, ends - clock.monotonic())
        self.reply(run)

    @operation("execute", status=204)
    async def delete(self, run_id: str) -> None:
        """Delete the record and the files of a run that has ended. For its owner."""
        await self.services.runs.delete(run_id, self.principal)
        self.reply_empty()


class RunCancelHandler(CabinetHandler):
    """`runs/{id}/cancel`"""

    @operation("execute", gives=Run)
    async def post(self, run_id: str) -> None:
        """End a run.

        An open CLI is interrupted and stays open, or is closed if that fails; everything else that the run has started
        is ended. Waits for the end of the run for at most 10 seconds: the run in the answer may not be final yet.
        """
        self.reply(await self.services.runs.cancel(run_id, self.principal))


class RunNowHandler(CabinetHandler):
    """`runs/{id}/now`"""

    @operation("execute", gives=Run)
    async def post(self, run_id: str) -> None:
        """Move a queued run to the front of its session, and interrupt the current run there.

        Answers when the interrupted run has ended. Both runs must belong to the caller.
        """
        self.reply(await self.services.runs.send_now(run_id, self.principal))


class RunPromptHandler(CabinetHandler):
    """`runs/{id}/prompt`"""

    @operation("read", gives=SentPrompt)
    async def get(self, run_id: str) -> None:
        """Return the prompt that the run's CLI received, exactly as it was sent."""
        system, prompt = await self.services.runs.files.prompt(run_id, self.principal)
        self.reply(SentPrompt(prompt=prompt, system=system))


class RunSandboxHandler(CabinetHandler):
    """`runs/{id}/sandbox`"""

    @operation("read", gives=SandboxRecord)
    async def get(self, run_id: str) -> None:
        """Return what an isolated run could see, change and reach. Answers 404 for a run that was not isolated."""
        self.reply(await self.services.runs.files.sandbox(run_id, self.principal))


class RunRawHandler(CabinetHandler):
    """`runs/{id}/raw`"""

    @operation("read", media="text/plain")
    async def get(self, run_id: str) -> None:
        """Return the raw output of the CLI, byte by byte, at most the first 10 MB."""
        data = await self.services.runs.files.raw(run_id, self.principal)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Content-Disposition", f'attachment; filename="run-{run_id}.txt"')
        self.finish(data)

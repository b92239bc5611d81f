"""Drives a runtime's CLI without a terminal by the product's own execution, without a server and its records."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import psutil

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.execution.headless import HeadlessExecution
from jupyter_cabinet.execution.raw_log import RawLog
from jupyter_cabinet.runtimes.model import AnyAgentEvent, Outcome, Request
from jupyter_cabinet.runtimes.port import Located, Missing, Runtime
from jupyter_cabinet.sandboxes.local import LocalSandbox

from .order_listener import Answers, KeepingListener


def located(runtime: Runtime, environment: Mapping[str, str]) -> Located:
    """Where the CLI is; raises `LookupError` with the reason where it is not."""
    found = runtime.locate(environment)
    if isinstance(found, Missing):
        raise LookupError(found.reason)
    return found


def run_headless(
    runtime: Runtime,
    request: Request,
    environment: Mapping[str, str],
    stop_after: Callable[[], None] | None = None,
    *,
    answer: Answers | None = None,
    seconds: float = 60,
) -> tuple[list[AnyAgentEvent], Outcome]:
    """Run one headless request to its end. `stop_after` waits; then the CLI gets SIGTERM."""
    launch = runtime.launch(located(runtime, environment), request)
    listener = KeepingListener(answer)
    launcher = 0  # pid

    async def on_process(pid: int, started_at: str) -> None:
        nonlocal launcher
        launcher = pid

    async def terminate(after: Callable[[], None]) -> None:
        """As somebody outside would: what the product itself stops is cancelled, whatever the CLI says of it."""
        try:
            await asyncio.to_thread(after)
        finally:
            for program in psutil.Process(launcher).children():
                program.terminate()

    async def work() -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            start = partial(
                LocalSandbox().start,
                launch.argv,
                cwd=request.cwd,
                environment={**environment, **launch.environment},
            )
            execution = HeadlessExecution(
                launch=launch,
                title=runtime.about.title,
                conversation=runtime.conversation(request),
                start=start,
                raw=RawLog(Path(folder) / "raw", Redactor(())),
                listener=listener,
                clock=SystemClock(),
            )
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as tasks:
                if stop_after is not None:
                    tasks.create_task(terminate(stop_after))
                return await execution.work(on_process)

    return listener.events, asyncio.run(work())

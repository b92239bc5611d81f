"""A server that dies at a certain write to its database, and the next one on the same folder. A separate program.

`python -m harness.crash_trial FOLDER` does some work once whole, to count its writes, then once for each write, killed
before the transaction or right after it: in turn, and both with `--all`. Prints what is wrong, a line each. Every trial
is a fork of one process that has everything imported.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from jupyter_cabinet.approvals.model import ApprovalFilter, NewAnswer
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.editor import history
from jupyter_cabinet.runs.rules.lifecycle import ALLOWED, FINAL
from jupyter_cabinet.storage.database import Database

from .backend import ADA, Place, ended, submit

Side = Literal["before", "after"]
Work = Callable[[], Coroutine[Any, Any, None]]
KILLED = 9
MOST_SECONDS = 60


class Killer:
    """Counts the writes of this process, and ends it at one of them."""

    def __init__(self, at: int | None, side: Side) -> None:
        self.count = 0
        original = Database._checked_write

        def checked_write(database: Database, work: Callable[[Any], Any]) -> Any:
            self.count += 1
            if self.count == at and side == "before":
                os._exit(KILLED)
            result = original(database, work)
            if self.count == at and side == "after":
                os._exit(KILLED)
            return result

        Database._checked_write = checked_write  # type: ignore[method-assign]


async def question(backend: Backend, run_id: str) -> str:
    while True:
        for approval in await backend.approvals.find(ApprovalFilter(run_id=run_id, waiting=True), ADA):
            return approval.id
        await asyncio.sleep(0.01)


async def work(place: Place) -> None:
    """Two instructions about a document: the first one asks and is answered, the second one waits in the queue."""
    async with place.backend() as backend:
        first = await submit(backend, "append: one", mode="headless", permission_mode="ask")
        second = await submit(backend, "append: two", mode="headless")
        await backend.approvals.answer(await question(backend, first.id), NewAnswer(option="allow"), ADA)
        for run in (first, second):
            await ended(backend, run)


async def go_on(place: Place) -> None:
    """The next server: what was queued is done, and so is what is asked for now."""
    async with place.backend() as backend:
        for run_id in list(backend.records.live):
            for approval in await backend.approvals.find(ApprovalFilter(run_id=run_id, waiting=True), ADA):
                raise AssertionError(f"a question of a server that died stays open: {approval.id}")
        waiting = asyncio.create_task(answer_all(backend))
        for run_id in list(backend.records.live):
            await backend.runs.wait(run_id, MOST_SECONDS)
        run = await ended(backend, await submit(backend, "append: three", mode="headless"))
        waiting.cancel()
        assert run.state == "succeeded", run.reason


async def answer_all(backend: Backend) -> None:
    while True:
        for approval in await backend.approvals.find(ApprovalFilter(waiting=True), ADA):
            await backend.approvals.answer(approval.id, NewAnswer(option="allow"), ADA)
        await asyncio.sleep(0.02)


def forked(
    do: Callable[[], Coroutine[Any, Any, None]], at: int | None = None, side: Side = "before"
) -> tuple[int, int]:
    """Do it in a separate process. Its exit code and its number of writes."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            killer = Killer(at, side)
            asyncio.run(asyncio.wait_for(do(), MOST_SECONDS))
            os.write(writing, str(killer.count).encode())
            code = 0
        except BaseException as error:
            print("trial", at, side, repr(error), flush=True)
        finally:
            os._exit(code)
    os.close(writing)
    _, status = os.waitpid(pid, 0)
    counted = os.read(reading, 100)
    os.close(reading)
    return os.waitstatus_to_exitcode(status), int(counted or b"0")


def wrong(place: Place) -> list[str]:
    """What does not fit together in the records, the events and the history of a folder in which all is over."""
    with sqlite3.connect(place.root / ".cabinet/cabinet.db") as connection:
        runs = {row[0]: json.loads(row[1]) for row in connection.execute("SELECT id, body FROM runs")}
        approvals = {row[0]: json.loads(row[1]) for row in connection.execute("SELECT id, body FROM approvals")}
        events = [json.loads(row[0]) for row in connection.execute("SELECT body FROM events ORDER BY seq")]
        left = connection.execute("SELECT count(*) FROM outbox").fetchone()[0]
    lines = [json.loads(line) for line in (place.root / history.PLACE).read_text().splitlines()]
    found = [f"{left} effects were not done"] if left else []
    for run_id, run in runs.items():
        found += _wrong_run(run, [each["run"] for each in events if each.get("run", {}).get("id") == run_id])
    told = Counter(each["run"]["id"] for each in events if each["type"] in ("run_queued", "run_finished"))
    found += [f"run {id} has {n} beginnings and ends" for id, n in told.items() if n != 2 or id not in runs]
    for approval_id, approval in approvals.items():
        about = [each for each in events if each.get("approval", {}).get("id") == approval_id]
        if [each["type"] for each in about] != ["approval_requested", "approval_closed"]:
            found.append(f"events of the question: {[each['type'] for each in about]}")
        elif about[-1]["approval"]["state"] != approval["state"]:
            found.append("its last event does not say what its record says")
    written = Counter(line["id"] for line in lines)
    found += [f"run {id} has {written[id]} lines of history" for id in runs if written[id] != 1]
    return found


def _wrong_run(run: dict[str, Any], told: list[dict[str, Any]]) -> list[str]:
    found = [] if run["state"] in FINAL else [f"a run stays {run['state']}"]
    states = [each["state"] for each in told]
    for before, after in pairwise(states):
        if after != before and after not in ALLOWED[before]:  # type: ignore[index]
            found.append(f"told as {before}, then as {after}")
    if not told or {**told[-1], "number": 0} != {**run, "number": 0}:
        found.append("its last event is not its record")
    return found


def trial(folder: Path, at: int, side: Side) -> list[str]:
    folder.mkdir()
    place = Place(folder)
    code, _ = forked(lambda: work(place), at, side)
    if code not in (0, KILLED):
        return [f"the work ended with {code}"]
    code, _ = forked(lambda: go_on(place))
    return wrong(place) if code == 0 else [f"the next server ended with {code}"]


def main(folder: Path, *, both: bool) -> None:
    folder.mkdir(exist_ok=True)
    whole = folder / "whole"
    whole.mkdir()
    code, writes = forked(lambda: work(Place(whole)))
    print(f"{writes} writes, exit {code}", flush=True)
    for at in range(1, writes + 1):
        sides: tuple[Side, ...] = ("before", "after")
        for side in sides if both else (sides[at % 2],):
            for problem in trial(folder / f"{at}-{side}", at, side):
                print(f"killed {side} write {at}: {problem}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), both="--all" in sys.argv)

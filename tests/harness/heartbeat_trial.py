"""A server that dies in the middle of a heartbeat, and the next one on the same folder. A separate program.

`python -m harness.heartbeat_trial FOLDER HOW MANY` has an agent work once whole, to count the writes to the database
and to files, then is killed at the requested number of them, evenly, from the first to the last; `0` for all. Prints
what is wrong, a line each. `--full`: the disk is full at that write and the two after it instead, and the server
continues. `--random SEED`: killed from outside, at random moments, while messages arrive.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import NoRoom
from jupyter_cabinet.runs.rules.lifecycle import FINAL
from jupyter_cabinet.storage.database import Database
from jupyter_cabinet.storage.filesystem import files

from .agents import make
from .backend import ADA, Place, ended

T = TypeVar("T")
KILLED = 9
FULL_WRITES = 3
MOST_SECONDS = 90
CHECKLIST = """\
answer: DECISION: decided
answer: MESSAGE_TO [ben]: told
answer: TASK_CREATE [ben] [2]: a task | to do
answer: GOAL_UPDATE [pages]: +1
answer: SLACK [ops]: posted
"""
EFFECTS = 6  # of one heartbeat: those, and what it did


class Killer:
    """Counts writes to the database and to files from `arm` on, and ends the process before one of them, or has the
    disk full."""

    def __init__(self, at: int | None, *, full: bool = False) -> None:
        self.count = 0
        self._at = at
        self._full = full
        self._armed = False
        self._watch(Database, "_checked_write")
        self._watch(files, "replace")
        self._watch(files, "append_line")

    def arm(self) -> None:
        self._armed = True

    def _watch(self, owner: Any, name: str) -> None:
        original: Callable[..., Any] = getattr(owner, name)

        @wraps(original)
        def counted(*arguments: Any, **named: Any) -> Any:
            if self._armed:
                self.count += 1
                if self._at is not None and self._full and self._at <= self.count < self._at + FULL_WRITES:
                    raise NoRoom if owner is Database else OSError(errno.ENOSPC, "No space left on device")
                if self.count == self._at and not self._full:
                    os._exit(KILLED)
            return original(*arguments, **named)

        setattr(owner, name, counted)


async def prepare(backend: Backend) -> None:
    goals = [{"metric": "pages", "target": 10, "period": "monthly"}]
    await make(backend, "ben")
    await make(backend, "ada", CHECKLIST, goals=goals, retries=0)
    await backend.agent_work.send("ada", "the first", ADA)


async def work(place: Place, killer: Killer) -> None:
    """A heartbeat, and a message that arrives meanwhile."""
    async with place.backend() as backend:
        await prepare(backend)
        killer.arm()
        run = await patiently(lambda: backend.agents.run("ada", ADA))
        await patiently(lambda: backend.agent_work.send("ada", "the second", ADA))
        await ended(backend, run)
        await backend.outbox.settled()


async def patiently(do: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """As a person would: when the disk is full, free some and do it again."""
    while True:
        try:
            return await do()
        except NoRoom:
            continue


async def work_on(place: Place) -> None:
    """Heartbeats without an end, while messages arrive."""
    async with place.backend() as backend:
        await prepare(backend)
        (place.folder / "ready").write_text("")
        for number in range(1000):
            run = await backend.agents.run("ada", ADA)
            await backend.agent_work.send("ada", f"number {number}", ADA)
            await ended(backend, run)


async def go_on(place: Place) -> None:
    """The next server: what was queued is done, and the next ten minutes are as if nothing had happened."""
    async with place.backend() as backend:
        for run_id in list(backend.records.live):
            await backend.runs.wait(run_id, MOST_SECONDS)
        for _ in range(2):
            run = await ended(backend, await backend.agents.run("ada", ADA))
            assert run.state == "succeeded", run.reason
        await backend.outbox.settled()
        left = await backend.agent_work.inbox("ada", ADA)
        assert not left.messages, f"{len(left.messages)} messages were never read"
        assert not left.problems, left.problems


def forked(do: Callable[[Killer], Any], at: int | None = None, *, full: bool = False) -> tuple[int, int]:
    """Do it in a separate process. Its exit code and the writes that were counted."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            killer = Killer(at, full=full)
            asyncio.run(asyncio.wait_for(do(killer), MOST_SECONDS))
            os.write(writing, str(killer.count).encode())
            code = 0
        except BaseException as error:
            print("trial", at, repr(error), flush=True)
        finally:
            os._exit(code)
    os.close(writing)
    _, status = os.waitpid(pid, 0)
    counted = os.read(reading, 100)
    os.close(reading)
    return os.waitstatus_to_exitcode(status), int(counted or b"0")


def wrong(place: Place) -> list[str]:
    """What does not fit together when all is over: each heartbeat that succeeded has each effect once, no other has."""
    with sqlite3.connect(place.root / ".cabinet/cabinet.db") as connection:
        runs = [json.loads(row[0]) for row in connection.execute("SELECT body FROM runs")]
        effects = [json.loads(row[0]) for row in connection.execute("SELECT body FROM effects")]
        left = connection.execute("SELECT count(*) FROM outbox").fetchone()[0]
    found = [f"{left} effects were not done"] if left else []
    found += [f"a run stays {run['state']}" for run in runs if run["state"] not in FINAL]
    done = [run["id"] for run in runs if run["state"] == "succeeded"]
    agents = place.root / ".agents"
    found += _each_once("decision", _keys(agents / "ada/memory/decisions.md", agents), done)
    found += _each_once("message", [p.stem.rpartition("_")[2][:26] for p in _files(agents / ".messages/ben")], done)
    found += _each_once("task", [path.stem[:26] for path in _files(agents / "ben/tasks")], done)
    lines = [json.loads(line) for line in (agents / ".slack/ops.jsonl").read_text().splitlines()]
    found += _each_once("post", [line["id"][:26] for line in lines], done)
    (goal,) = json.loads((agents / "ada/memory/goals.json").read_text())["goals"].values()
    if goal["current"] != len(done):
        found.append(f"{len(done)} heartbeats have counted {goal['current']} pages")
    reported = Counter(effect["run_id"] for effect in effects if effect["state"] == "applied")
    found += [f"run {id} has {reported[id]} effects on record" for id in done if reported[id] != EFFECTS]
    found += [f"an effect stays {each['state']}" for each in effects if each["state"] != "applied"]
    history = [json.loads(line)["runId"] for line in (agents / ".history/ada.jsonl").read_text().splitlines()]
    found += _each_once("line of history", history, [run["id"] for run in runs])
    sent = [path.name for path in _files(agents / ".messages/ada")]
    found += [] if len(sent) == len(set(sent)) else ["a message is there twice"]
    return found


def _keys(path: Path, agents: Path) -> list[str]:
    texts = [path.read_text(), *(p.read_text() for p in (agents / "ada/memory").glob("archive/decisions*"))]
    return [line.split("<!-- ")[1][:26] for text in texts for line in text.splitlines() if line.startswith("## ")]


def _files(folder: Path) -> list[Path]:
    """Without what a kill in the middle of a write has left: it has another name, and nobody reads it."""
    return [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]


def _each_once(what: str, of_runs: list[str], done: list[str]) -> list[str]:
    counts = Counter(of_runs)
    return [f"run {id} has {counts[id]} times its {what}" for id in {*done, *counts} if counts[id] != (id in done)]


def trial(folder: Path, at: int, *, full: bool = False) -> list[str]:
    folder.mkdir()
    place = Place(folder)
    code, _ = forked(lambda killer: work(place, killer), at, full=full)
    return _after(place) if code in (0, KILLED) else [f"the work ended with {code}"]


def random_trial(folder: Path, seconds: float) -> list[str]:
    folder.mkdir()
    place = Place(folder)
    pid = os.fork()
    if pid == 0:
        asyncio.run(work_on(place))
        os._exit(0)
    until = time.monotonic() + MOST_SECONDS
    while not (folder / "ready").exists() and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return _after(place)


def _after(place: Place) -> list[str]:
    code, _ = forked(lambda killer: go_on(place))
    return wrong(place) if code == 0 else [f"the next server ended with {code}"]


def main(folder: Path, most: int, *, seed: int | None = None, full: bool = False) -> None:
    folder.mkdir(exist_ok=True)
    if seed is not None:
        moments = random.Random(seed)
        for number in range(most):
            for problem in random_trial(folder / str(number), seconds := moments.uniform(0, 2.0)):
                print(f"killed after {seconds:.3f} s: {problem}", flush=True)
        return
    whole = folder / "whole"
    whole.mkdir()
    code, writes = forked(lambda killer: work(Place(whole), killer))
    print(f"{writes} writes, exit {code}", flush=True)
    points = range(1, writes + 1)
    chosen = points[:: max(1, writes // most)] if most else points
    for at in chosen:
        for problem in trial(folder / str(at), at, full=full):
            print(f"{'disk full at' if full else 'killed before'} write {at}: {problem}", flush=True)


if __name__ == "__main__":
    options = sys.argv[3:]
    main(
        Path(sys.argv[1]),
        int(sys.argv[2]),
        seed=int(options[1]) if options[:1] == ["--random"] else None,
        full="--full" in options,
    )

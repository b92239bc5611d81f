"""Which run continues a session: one that resumes it, or one with a summary."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runs.model import RunFilter
from jupyter_cabinet.runtimes.port import Capabilities
from jupyter_cabinet.runtimes.session_entries import Entry
from jupyter_cabinet.transcripts.continuation import Continuation
from jupyter_cabinet.transcripts.model import CliSession, ContinueSession

PRINCIPAL: Any = None


class Recorder:
    """Stands for the rooms that the continuation calls, and records what it submits."""

    def __init__(self, can: Capabilities | None, *, is_gone: bool = False) -> None:
        self.submitted: list[Any] = []
        self.adopted: list[str] = []
        self.adopted_ours: list[bool] = []
        self.continues: dict[str, str] = {}  # by session
        self.recorded = False
        self.runs: list[tuple[int, str, str]] = []  # number, runtime and session
        self.missing: tuple[str, ...] = ()
        self._can = can
        self._session = CliSession(
            id="s", runtime="mine", native_id="n", title="", cwd="/here", path=".", is_gone=is_gone
        )

    async def get(self, _id: str, _principal: object = None) -> CliSession:
        return self._session

    async def entries(self, _id: str, _principal: object) -> tuple[CliSession, list[Entry]]:
        return self._session, [Entry(id="1", kind="user", text="Count the walruses")]

    async def adopt(
        self, _principal: object, runtime: str, native_id: str, *, title: str, is_ours: bool
    ) -> SimpleNamespace:
        self.adopted.append(runtime)
        self.adopted_ours.append(is_ours)
        return SimpleNamespace(id="adopted")

    async def submit(self, request: Any, _principal: object) -> None:
        self.submitted.append(request)

    def is_recorded(self, _runtime: str) -> bool:
        return self.recorded

    def capabilities(self, name: str) -> Capabilities | None:
        return None if name in self.missing else self._can

    def sessions_of(self, name: str) -> str:
        return name.removeprefix("acp-")

    def working_in_sessions_of(self, name: str) -> tuple[str, ...]:
        return (name, f"acp-{name}")

    async def row(self, _id: str, _principal: object) -> CliSession:
        return self._session

    async def with_native_id(self, runtime: str, native_id: str, _principal: object) -> list[SimpleNamespace]:
        return [SimpleNamespace(id=f"{runtime}/{native_id}")]

    async def continuing(self, session_id: str, _principal: object) -> list[SimpleNamespace]:
        return [SimpleNamespace(id=id) for id, continued in self.continues.items() if continued == session_id]

    async def find(self, wanted: RunFilter, _principal: object) -> list[SimpleNamespace]:
        runs = [SimpleNamespace(number=number, runtime=name, session_id=id) for number, name, id in self.runs]
        return [run for run in runs if (run.session_id, run.runtime) == (wanted.session_id, wanted.runtime)]

    def runtime(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(about=SimpleNamespace(title=name))


async def submitted(rooms: Recorder, runtime: str | None = None) -> Any:
    await continuation(rooms).submit("s", ContinueSession(instruction="Go on", runtime=runtime), PRINCIPAL)
    return rooms.submitted[0]


def continuation(rooms: Recorder) -> Continuation:
    names = ("capabilities", "sessions_of", "working_in_sessions_of")
    runtimes: Any = SimpleNamespace(get=rooms.runtime, **{name: getattr(rooms, name) for name in names})
    all_rooms: Any = rooms
    return Continuation(cli_sessions=all_rooms, sessions=all_rooms, runs=all_rooms, runtimes=runtimes)


@pytest.mark.parametrize("can", [Capabilities(resume=True), None])
async def test_a_cli_resumes_its_session(can):
    request = await submitted(Recorder(can))
    assert (request.session_id, request.instruction) == ("adopted", "Go on")


async def test_a_cli_that_cannot_resume_receives_a_summary():
    request = await submitted(Recorder(Capabilities()))
    assert request.session_id is None and request.runtime == "mine"
    assert "Count the walruses" in request.instruction and request.instruction.endswith("Go on")


async def test_another_cli_receives_a_summary():
    request = await submitted(Recorder(Capabilities(resume=True)), runtime="other")
    assert request.runtime == "other" and "Count the walruses" in request.instruction


@pytest.mark.parametrize("can", [Capabilities(resume=True), Capabilities()])
async def test_a_session_whose_transcript_is_gone_is_not_continued(can):
    with pytest.raises(Invalid):
        await submitted(Recorder(can, is_gone=True))


async def test_a_session_has_the_runs_of_all_runtimes_that_work_in_it_newest_first():
    rooms = Recorder(Capabilities(resume=True))
    rooms.runs = [(1, "mine", "n"), (2, "acp-mine", "acp-mine/n"), (3, "mine", "mine/n"), (4, "mine", "other")]
    assert [run.number for run in await continuation(rooms).runs("s", PRINCIPAL)] == [3, 2, 1]


async def test_a_recorded_session_has_the_runs_of_the_sessions_that_continue_it():
    rooms = Recorder(Capabilities(resume=True))
    rooms.continues = {"more": "n", "other": "m"}
    rooms.runs = [(1, "mine", "n"), (2, "mine", "more"), (3, "mine", "other")]
    assert [run.number for run in await continuation(rooms).runs("s", PRINCIPAL)] == [2, 1]


@pytest.mark.parametrize("recorded", [False, True])
async def test_a_recorded_session_is_adopted_by_our_id(recorded):
    rooms = Recorder(Capabilities(resume=True))
    rooms.recorded = recorded
    await submitted(rooms)
    assert rooms.adopted_ours == [recorded]


@pytest.mark.parametrize(("missing", "expected"), [((), "acp-mine"), (("acp-mine",), "mine")])
async def test_a_session_is_continued_through_the_runtime_of_its_last_run_where_that_is_found(missing, expected):
    rooms = Recorder(Capabilities(resume=True))
    rooms.runs, rooms.missing = [(1, "mine", "mine/n"), (2, "acp-mine", "acp-mine/n")], missing
    request = await submitted(rooms)
    assert (request.session_id, rooms.adopted) == ("adopted", [expected])


async def test_another_runtime_that_works_in_the_session_needs_no_summary():
    rooms = Recorder(Capabilities(resume=True))
    request = await submitted(rooms, runtime="acp-mine")
    assert (request.instruction, rooms.adopted) == ("Go on", ["acp-mine"])

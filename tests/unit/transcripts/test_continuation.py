"""Which run continues a session: one that resumes it, or one with a summary."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.port import Capabilities
from jupyter_cabinet.runtimes.session_entries import Entry
from jupyter_cabinet.transcripts.continuation import Continuation
from jupyter_cabinet.transcripts.model import CliSession, ContinueSession


class Recorder:
    """Stands for the rooms that the continuation calls, and records what it submits."""

    def __init__(self, can: Capabilities | None, *, is_gone: bool = False) -> None:
        self.submitted: list[Any] = []
        self._can = can
        self._session = CliSession(
            id="s", runtime="mine", native_id="n", title="", cwd="/here", path=".", is_gone=is_gone
        )

    async def get(self, _id: str, _principal: object = None) -> CliSession:
        return self._session

    async def entries(self, _id: str, _principal: object) -> tuple[CliSession, list[Entry]]:
        return self._session, [Entry(id="1", kind="user", text="Count the walruses")]

    async def adopt(self, *_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(id="adopted")

    async def submit(self, request: Any, _principal: object) -> None:
        self.submitted.append(request)

    def capabilities(self, _name: str) -> Capabilities | None:
        return self._can

    def runtime(self, name: str) -> SimpleNamespace:
        return SimpleNamespace(about=SimpleNamespace(title=name))


async def submitted(rooms: Recorder, runtime: str | None = None) -> Any:
    runtimes = SimpleNamespace(capabilities=rooms.capabilities, get=rooms.runtime)
    rooms_as: Any = rooms
    continuation = Continuation(cli_sessions=rooms_as, sessions=rooms_as, runs=rooms_as, runtimes=runtimes)  # type: ignore[arg-type]
    await continuation.submit("s", ContinueSession(instruction="Go on", runtime=runtime), rooms_as)
    return rooms.submitted[0]


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

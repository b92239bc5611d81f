"""A shared document that saves itself does not wipe out what an agent has just written. Real contents manager."""

import os
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from harness.values import example_run
from jupyter_server.base.call_context import CallContext
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

from jupyter_cabinet.core.events import EventBus, Scope
from jupyter_cabinet.documents import save_guard
from jupyter_cabinet.documents.save_guard import SaveGuard
from jupyter_cabinet.runs.model import Run, RunFinished, RunStarted
from jupyter_cabinet.testing.manual_clock import ManualClock

SCOPE = Scope(owner="ada", visibility="server")


class NothingShared:
    """In place of the rooms of `jupyter-server-ydoc`, of which `test_shared_rooms.py` has real ones."""

    def find(self, path: str) -> None:
        """Nobody has a document open."""


class Heard:
    """Replaces `changes/`: records what it is notified about for one document."""

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.saves: list[tuple[str, bytes | None, bytes]] = []

    def follows(self, path: str) -> bool:
        return path == self.path

    def hear_writes(self, hearer: object) -> None:
        """No decisions are made here."""

    def saved(self, path: str, old: bytes | None, new: bytes) -> None:
        self.saves.append((path, old, new))


@pytest.fixture
def a_run() -> Run:
    return example_run(path="a.md", state="running")


@pytest.fixture
def contents(tmp_path: Path) -> AsyncLargeFileManager:
    (tmp_path / "a.md").write_text("before\n")
    return AsyncLargeFileManager(root_dir=str(tmp_path))


def text(content: str) -> dict[str, str]:
    return {"type": "file", "format": "text", "content": content}


async def test_a_save_that_has_not_seen_the_agents_version_is_refused(contents, tmp_path, a_run) -> None:  # type: ignore[no-untyped-def]
    bus = EventBus()
    SaveGuard(contents, tmp_path, ManualClock(), NothingShared()).watch(bus, Heard())  # type: ignore[arg-type]
    await contents.save(text("before\n"), "a.md")
    bus.publish(RunStarted(run=a_run), SCOPE)
    await contents.save(text("typed by a person\n"), "a.md")  # the room knows this version
    (tmp_path / "a.md").write_text("from the agent\n")
    with pytest.raises(HTTPError) as refused:
        await contents.save(text("typed by a person\n"), "a.md")
    assert refused.value.status_code == 409
    assert (tmp_path / "a.md").read_text() == "from the agent\n"
    await contents.get("a.md", content=True, type="file", format="text")  # it takes the file in
    await contents.save(text("from the agent\nand more\n"), "a.md")
    assert (tmp_path / "a.md").read_text() == "from the agent\nand more\n"


async def test_a_further_run_does_not_make_the_first_ones_change_known(contents, tmp_path, a_run) -> None:  # type: ignore[no-untyped-def]
    bus = EventBus()
    SaveGuard(contents, tmp_path, ManualClock(), NothingShared()).watch(bus, Heard())  # type: ignore[arg-type]
    bus.publish(RunStarted(run=a_run), SCOPE)
    (tmp_path / "a.md").write_text("from the first agent\n")
    bus.publish(RunStarted(run=msgspec.structs.replace(a_run, id="another")), SCOPE)
    with pytest.raises(HTTPError):
        await contents.save(text("before\n"), "a.md")


async def test_a_person_who_decides_may_overwrite(contents, tmp_path, a_run) -> None:  # type: ignore[no-untyped-def]
    bus = EventBus()
    SaveGuard(contents, tmp_path, ManualClock(), NothingShared()).watch(bus, Heard())  # type: ignore[arg-type]
    bus.publish(RunStarted(run=a_run), SCOPE)
    (tmp_path / "a.md").write_text("from the agent\n")
    by_request("PUT")
    await contents.save(text("mine\n"), "a.md")
    assert (tmp_path / "a.md").read_text() == "mine\n"


async def test_what_is_written_between_the_two_steps_of_a_persons_save_is_not_overwritten(
    contents, tmp_path, a_run
) -> None:  # type: ignore[no-untyped-def]
    bus, clock = EventBus(), ManualClock()
    SaveGuard(contents, tmp_path, clock, NothingShared()).watch(bus, Heard())  # type: ignore[arg-type]
    bus.publish(RunStarted(run=a_run), SCOPE)
    by_request("GET")
    await contents.get("a.md", content=False)
    (tmp_path / "a.md").write_text("from the agent\n")
    by_request("PUT")
    with pytest.raises(HTTPError) as refused:
        await contents.save(text("mine\n"), "a.md")
    assert refused.value.status_code == 409
    assert (tmp_path / "a.md").read_text() == "from the agent\n"
    by_request("GET")
    await contents.get("a.md", content=False)
    by_request("PUT")
    await contents.save(text("mine\n"), "a.md")
    await contents.save(text("mine, once more\n"), "a.md")  # what one has written oneself is known
    (tmp_path / "a.md").write_text("from the agent again\n")
    await clock.advance(save_guard.SAVE_SECONDS + 1)  # JupyterLab has asked, and the person has decided
    await contents.save(text("mine\n"), "a.md")


def by_request(method: str) -> None:
    request = SimpleNamespace(method=method, path="/api/contents/a.md")
    user = SimpleNamespace(username="ada")
    CallContext.set(CallContext.JUPYTER_HANDLER, SimpleNamespace(request=request, current_user=user))


async def test_without_a_run_and_some_time_after_it_nothing_is_guarded(contents, tmp_path, a_run) -> None:  # type: ignore[no-untyped-def]
    bus, clock = EventBus(), ManualClock()
    SaveGuard(contents, tmp_path, clock, NothingShared()).watch(bus, Heard())  # type: ignore[arg-type]
    bus.publish(RunStarted(run=a_run), SCOPE)
    bus.publish(RunFinished(run=msgspec.structs.replace(a_run, started_at=a_run.queued_at)), SCOPE)
    await contents.save(text("x\n"), "a.md")
    (tmp_path / "a.md").write_text("somebody else\n")
    await clock.advance(save_guard.GUARDED_AFTERWARDS_SECONDS - 1)
    with pytest.raises(HTTPError):
        await contents.save(text("y\n"), "a.md")
    await clock.advance(1)
    await contents.save(text("y\n"), "a.md")


@pytest.mark.timeout(10)
async def test_what_takes_a_documents_place_while_an_agent_works_does_not_hang_the_server(
    contents, tmp_path, a_run
) -> None:  # type: ignore[no-untyped-def]
    bus = EventBus()
    (tmp_path / "a.md").unlink()
    os.mkfifo(tmp_path / "a.md")
    SaveGuard(contents, tmp_path, ManualClock(), NothingShared()).watch(bus, Heard())  # type: ignore[arg-type]
    bus.publish(RunStarted(run=a_run), SCOPE)
    (tmp_path / "a.md").unlink()
    (tmp_path / "a.md").write_text("from the agent\n")
    with pytest.raises(HTTPError):
        await contents.save(text("before\n"), "a.md")
    await contents.get("a.md", content=True, type="file", format="text")
    await contents.save(text("from the agent\nand more\n"), "a.md")


@pytest.mark.parametrize("by_person", [False, True])
async def test_a_save_ends_well_if_the_document_is_renamed_while_it_is_written(
    contents, tmp_path, a_run, by_person
) -> None:  # type: ignore[no-untyped-def]
    bus = EventBus()
    guard = SaveGuard(contents, tmp_path, ManualClock(), NothingShared())  # type: ignore[arg-type]
    guard.watch(bus, Heard())  # type: ignore[arg-type]
    bus.publish(RunStarted(run=a_run), SCOPE)
    if by_person:
        by_request("PUT")
    guard.before_save(model=text("mine\n"), path="a.md", contents_manager=contents)
    with contents.atomic_writing(str(tmp_path / "a.md"), text=False) as file:
        bus.publish(RunStarted(run=msgspec.structs.replace(a_run, path="b.md")), SCOPE)
        file.write(b"mine\n")
    assert (tmp_path / "a.md").read_text() == "mine\n"
    (tmp_path / "a.md").write_text("somebody else\n")
    await contents.save(text("mine again\n"), "a.md")  # it is no longer guarded
    assert (tmp_path / "a.md").read_text() == "mine again\n"


async def test_a_change_at_the_end_of_a_very_large_document_is_a_change(contents, tmp_path, a_run) -> None:  # type: ignore[no-untyped-def]
    bus = EventBus()
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(save_guard.HASHED_BYTES + 10)
    SaveGuard(contents, tmp_path, ManualClock(), NothingShared()).watch(bus, Heard())  # type: ignore[arg-type]
    bus.publish(RunStarted(run=a_run), SCOPE)
    with (tmp_path / "a.md").open("ab") as file:
        file.write(b"from the agent")
    with pytest.raises(HTTPError):
        await contents.save(text("before\n"), "a.md")


async def test_what_people_save_is_told(contents, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    heard = Heard("new.md")
    SaveGuard(contents, tmp_path, ManualClock(), NothingShared()).watch(EventBus(), heard)  # type: ignore[arg-type]
    await contents.save(text("a\n"), "a.md")
    await contents.save(text("one\n"), "new.md")
    await contents.save(text("two\n"), "/new.md")
    monkeypatch.setattr(save_guard, "LARGEST_FILE", 3)
    await contents.save(text("three\n"), "new.md")
    assert heard.saves == [("new.md", None, b"one\n"), ("new.md", b"one\n", b"two\n")]

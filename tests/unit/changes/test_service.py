"""What runs change: compared, reverted, restored; people's edits stay, and a crash leaves nothing half done."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from pathlib import Path

import msgspec
import pytest
from harness.backend import ADA, BOUND_SECONDS, Place, ended, submit, waiting_are
from harness.examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.approvals.model import ApprovalFilter, NewAnswer
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.changes import run_comparison, store
from jupyter_cabinet.changes import service as module
from jupyter_cabinet.changes.decisions import restore
from jupyter_cabinet.changes.model import ChangeCounts, Changes, Decide
from jupyter_cabinet.changes.service import ChangedRun, ReportedCall, RunChanges
from jupyter_cabinet.changes.snapshots import scan
from jupyter_cabinet.core.errors import Conflict, Invalid, NotFound
from jupyter_cabinet.core.events import Scope
from jupyter_cabinet.testing.manual_clock import ManualClock

SCOPE = Scope(owner="ada", visibility="private")
REVERT, ACCEPT, UNDO = (Decide(decision=name) for name in ("revert", "accept", "undo"))  # type: ignore[arg-type]


async def decide(backend: Backend, run: str, wanted: Decide) -> Changes:
    return await backend.changes.decide(run, wanted, ADA, SCOPE)


def kinds(changes: Changes) -> dict[str, str]:
    return {file.path: file.kind for file in changes.files}


async def test_one_run_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "old").write_text("x\n")
    async with place.backend() as backend:
        changes = backend.changes
        await changes.begin(ChangedRun("r1", "."))
        place.document.write_text("# A\none\n")
        (place.root / "new").mkdir()
        (place.root / "new" / "b").write_text("b\n")
        (place.root / "old").unlink()
        assert (await changes.of("r1")).state == "working"
        with pytest.raises(Conflict, match="still working"):
            await decide(backend, "r1", REVERT)
        assert await changes.end("r1") == ChangeCounts(files=3, added=2, removed=1)
        found = await changes.of("r1")
        assert kinds(found) == {"a.md": "changed", "new/b": "added", "old": "deleted"} and found.state == "ready"
        assert [line.text for part in (await changes.file("r1", "a.md")).parts for line in part.lines] == ["# A", "one"]
        assert (await changes.file("r1", "old")).kind == "deleted"

        taken = await decide(backend, "r1", REVERT)
        assert {file.decision.decision for file in taken.files if file.decision} == {"reverted"}
        assert {path.name for path in place.root.iterdir() if path.name != ".cabinet"} == {"a.md", "old"}
        assert place.document.read_text() == "# A\n" and (place.root / "old").read_text() == "x\n"

        await decide(backend, "r1", Decide(decision="undo", paths=("new/b",)))
        assert (place.root / "new" / "b").read_text() == "b\n" and place.document.read_text() == "# A\n"
        again = await decide(backend, "r1", UNDO)
        assert not any(file.decision for file in again.files)
        assert place.document.read_text() == "# A\none\n" and not (place.root / "old").exists()


async def test_empty_folders_are_made_and_removed_too(tmp_path: Path) -> None:
    place = Place(tmp_path)
    root = place.root
    (root / "gone" / "inner").mkdir(parents=True)
    (root / "filled").mkdir()
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        (root / "gone" / "inner").rmdir()
        (root / "gone").rmdir()
        (root / "new" / "inner").mkdir(parents=True)
        (root / "taken").mkdir()
        (root / "filled" / "x").write_text("x\n")
        assert await backend.changes.end("r1") == ChangeCounts(files=4, added=1)
        found = await backend.changes.of("r1")
        assert kinds(found) == {"filled/x": "added", "gone/inner": "deleted", "new/inner": "added", "taken": "added"}
        assert [file.folder for file in found.files] == [False, True, True, True]
        assert (await backend.changes.file("r1", "taken")).note == "This is an empty folder."
        (root / "taken" / "mine").write_text("mine\n")
        await decide(backend, "r1", REVERT)
        assert folders(root) == {"gone", "gone/inner", "filled", "taken"}
        assert (root / "taken" / "mine").read_text() == "mine\n", "what somebody put into it stays, and so does it"
        await decide(backend, "r1", UNDO)
        assert folders(root) == {"new", "new/inner", "filled", "taken"}
        (root / "new" / "inner").rmdir()
        (root / "new" / "inner").write_text("mine\n")
        with pytest.raises(Conflict):
            await decide(backend, "r1", REVERT)
        await decide(backend, "r1", Decide(decision="revert", anyway=True))
        assert folders(root) == {"gone", "gone/inner", "filled", "taken"}


def folders(root: Path) -> set[str]:
    return {
        path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_dir() and ".cabinet" not in path.parts
    }


async def test_parts_of_a_text_are_taken_back_one_by_one(tmp_path: Path) -> None:
    place = Place(tmp_path)
    lines = [f"{number}\n" for number in range(30)]
    place.document.write_text("".join(lines))
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        after = [*lines[:2], "agent one\n", *lines[3:25], "agent two\n", *lines[26:]]
        place.document.write_text("".join(after))
        await backend.changes.end("r1")
        first = Decide(decision="revert", paths=("a.md",), part="0")
        assert (await decide(backend, "r1", first)).files[0].parts_decided == 1
        assert place.document.read_text() == "".join([*lines[:25], "agent two\n", *lines[26:]])
        parts = (await backend.changes.file("r1", "a.md")).parts
        assert [part.decision and part.decision.decision for part in parts] == ["reverted", None]
        place.document.write_text("mine\n" + place.document.read_text())
        await decide(backend, "r1", Decide(decision="undo", paths=("a.md",), part="0"))
        assert place.document.read_text() == "".join(["mine\n", *after])
        await decide(backend, "r1", Decide(decision="accept", paths=("a.md",), part="1"))
        with pytest.raises(Invalid):
            await decide(backend, "r1", Decide(decision="revert", paths=("a.md",), part="2"))
        with pytest.raises(Invalid):
            await decide(backend, "r1", Decide(decision="revert", part="0"))
        whole = await decide(backend, "r1", REVERT)
        assert whole.files[0].parts_decided == 0 and place.document.read_text() == "".join(["mine\n", *lines])
        with pytest.raises(Conflict, match="Undo that first"):
            await decide(backend, "r1", first)


async def test_cells_are_taken_back_one_by_one(tmp_path: Path) -> None:
    place = Place(tmp_path)
    book = place.root / "n.ipynb"

    def write(**cells: str) -> None:
        found = [{"id": id, "cell_type": "code", "source": text, "outputs": []} for id, text in cells.items()]
        book.write_text(json.dumps({"cells": found, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))

    def sources() -> dict[str, str]:
        return {cell["id"]: "".join(cell["source"]) for cell in json.loads(book.read_text())["cells"]}

    write(a="1", b="2", c="3")
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        write(a="agent", new="n", c="3")
        await backend.changes.end("r1")
        for part, found in (
            ("b", {"a": "agent", "b": "2", "new": "n", "c": "3"}),
            ("new", {"a": "agent", "b": "2", "c": "3"}),
            ("a", {"a": "1", "b": "2", "c": "3"}),
        ):
            await decide(backend, "r1", Decide(decision="revert", paths=("n.ipynb",), part=part))
            assert sources() == found
        for part in ("new", "b", "a"):
            await decide(backend, "r1", Decide(decision="undo", paths=("n.ipynb",), part=part))
        assert sources() == {"a": "agent", "new": "n", "c": "3"}
        with pytest.raises(Invalid):
            await decide(backend, "r1", Decide(decision="revert", paths=("n.ipynb",), part="x"))


async def test_a_new_file_has_no_parts_to_decide_about(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        (place.root / "new.md").write_text("agent\n")
        await backend.changes.end("r1")
        assert [part.id for part in (await backend.changes.file("r1", "new.md")).parts] == [""]
        with pytest.raises(Invalid):
            await decide(backend, "r1", Decide(decision="revert", paths=("new.md",), part="0"))


async def test_accepting_writes_nothing_and_puts_again_what_was_taken_back(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", ""))
        place.document.write_text("agent\n")
        await backend.changes.end("r1")
        before = place.document.stat()
        accepted = await decide(backend, "r1", ACCEPT)
        assert accepted.files[0].decision is not None and accepted.files[0].decision.by == "Ada"
        assert place.document.stat() == before
        assert await decide(backend, "r1", ACCEPT) == accepted, "once is enough"
        await decide(backend, "r1", REVERT)
        assert place.document.read_text() == "# A\n"
        await decide(backend, "r1", ACCEPT)
        assert place.document.read_text() == "agent\n"
        await decide(backend, "r1", UNDO)
        assert (await backend.changes.of("r1")).files[0].decision is None


async def test_an_edit_after_the_run_stays_or_is_in_the_way(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.document.write_text("1\n2\n3\n4\n5\n")
    other = place.root / "b.md"
    other.write_text("b\n")
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        place.document.write_text("agent\n2\n3\n4\n5\n")
        other.write_text("agent\n")
        await backend.changes.end("r1")
        place.document.write_text("agent\n2\n3\n4\nmine\n")
        other.write_text("mine\n")
        with pytest.raises(Conflict) as refused:
            await decide(backend, "r1", REVERT)
        assert refused.value.detail == {"paths": ["b.md"]}
        assert place.document.read_text().startswith("agent"), "nothing is written where one cannot be"
        await decide(backend, "r1", Decide(decision="revert", paths=("a.md",)))
        assert place.document.read_text() == "1\n2\n3\n4\nmine\n"
        await decide(backend, "r1", Decide(decision="undo", paths=("a.md",)))
        assert place.document.read_text() == "agent\n2\n3\n4\nmine\n"
        await decide(backend, "r1", Decide(decision="revert", paths=("b.md",), anyway=True))
        assert other.read_text() == "b\n"
        await decide(backend, "r1", Decide(decision="undo", paths=("b.md",)))
        assert other.read_text() == "mine\n", "also what was overwritten comes back"


async def test_a_file_that_is_gone_is_not_said_to_be_edited(tmp_path: Path) -> None:
    place = Place(tmp_path)
    other = place.root / "b.md"
    place.document.write_text("a\n")
    other.write_text("b\n")
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        place.document.write_text("agent\n")
        other.write_text("agent\n")
        await backend.changes.end("r1")
        place.document.rename(place.root / "renamed.md")
        with pytest.raises(Conflict, match=r"^a\.md: no longer there, because somebody renamed, moved or deleted it"):
            await decide(backend, "r1", REVERT)
        other.write_text("mine\n")
        with pytest.raises(Conflict, match=r"^b\.md: the same lines were edited .* a\.md: no longer there"):
            await decide(backend, "r1", REVERT)
        before = (place.root / "renamed.md").read_text()
        await decide(backend, "r1", Decide(decision="revert", paths=("a.md",), anyway=True))
        assert place.document.read_text() == "a\n" and (place.root / "renamed.md").read_text() == before


async def test_what_people_save_meanwhile_is_no_change_of_the_agents(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.document.write_text("1\n2\n3\n4\n5\n")
    mine = place.root / "mine.md"
    async with place.backend() as backend:
        changes = backend.changes
        await changes.begin(ChangedRun("r1", "."))
        await save(changes, place, "mine.md", "only mine\n")
        place.document.write_text("agent\n2\n3\n4\n5\n")
        await save(changes, place, "a.md", "agent\n2\n3\n4\nmine\n")
        assert await changes.end("r1") == ChangeCounts(files=1, added=1, removed=1)
        await decide(backend, "r1", REVERT)
        assert place.document.read_text() == "1\n2\n3\n4\nmine\n" and mine.read_text() == "only mine\n"


async def test_what_people_rename_meanwhile_is_no_change_of_the_agents(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.document.write_text("1\n2\n")
    (place.root / "d" / "e").mkdir(parents=True)
    (place.root / "d" / "e" / "tool.sh").write_text("tool\n")
    (place.root / "d" / "e" / "tool.sh").chmod(0o755)
    async with place.backend() as backend:
        changes = backend.changes
        await changes.begin(ChangedRun("r1", "."))
        for old, new in (("a.md", "b.md"), ("d", "f")):
            (place.root / old).rename(place.root / new)
            await changes.moved(old, new)
        (place.root / "b.md").write_text("agent\n2\n")
        assert await changes.end("r1") == ChangeCounts(files=1, added=1, removed=1)
        await decide(backend, "r1", REVERT)
        assert (place.root / "b.md").read_text() == "1\n2\n" and not place.document.exists()
        assert (place.root / "f" / "e" / "tool.sh").exists() and not (place.root / "d").exists()


async def rename(changes: RunChanges, place: Place, old: str, new: str) -> None:
    (place.root / old).rename(place.root / new)
    await changes.moved(old, new)


async def test_text_at_the_former_path_of_a_renamed_document_becomes_a_change_of_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.document.write_text("1\n2\n")
    (place.root / "d").mkdir()
    async with place.backend() as backend:
        changes = backend.changes
        await changes.begin(ChangedRun("r1", ".", path="a.md"))
        place.document.write_text("agent\n1\n2\n")  # before it is renamed, twice
        await rename(changes, place, "a.md", "d/a.md")
        await rename(changes, place, "d", "e")
        assert await changes.bring_from_former_path("r1", "a.md", "e/a.md") == "unwritten"
        place.document.write_text("agent\n1\n2\nagent again\n")
        assert await changes.bring_from_former_path("r1", "a.md", "e/a.md") == "brought"
        assert not place.document.exists()
        assert await changes.end("r1") == ChangeCounts(files=1, added=2)
        assert kinds(await changes.of("r1")) == {"e/a.md": "changed"}
        await decide(backend, "r1", REVERT)
        assert (place.root / "e" / "a.md").read_text() == "1\n2\n"


async def test_an_instruction_typed_after_the_renaming_counts_too(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.document.rename(place.root / "b.md")
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", ".", path="b.md"))
        place.document.write_text("# A\nagent\n")
        assert await backend.changes.bring_from_former_path("r1", "a.md", "b.md") == "brought"
        assert (place.root / "b.md").read_text() == "# A\nagent\n" and not place.document.exists()


@pytest.mark.parametrize("meanwhile", ["saved", "written", "deleted", "new file", "link", "alike in part"])
async def test_both_files_stay_if_bringing_the_text_could_lose_something(tmp_path: Path, meanwhile: str) -> None:
    place = Place(tmp_path)
    place.document.write_text("1\n2\n3\n")
    new, text = place.root / "b.md", "1\n2\n3\nagent\n"
    async with place.backend() as backend:
        changes = backend.changes
        await changes.begin(ChangedRun("r1", ".", path="a.md"))
        await rename(changes, place, "a.md", "b.md")
        match meanwhile:
            case "saved":
                await save(changes, place, "b.md", "1\n2\n3\nmine\n")
            case "written":  # by another program
                assert await changes.bring_from_former_path("r1", "a.md", "b.md") == "unwritten"
                new.write_text("other\n")
            case "deleted":
                new.unlink()
            case "new file":
                await save(changes, place, "a.md", "1\n")
            case "alike in part":
                text = "1\nagent\n"
        place.document.unlink(missing_ok=True)
        if meanwhile == "link":
            place.document.symlink_to("b.md")
        else:
            place.document.write_text(text)
        found = new.read_text() if new.exists() else None
        assert await changes.bring_from_former_path("r1", "a.md", "b.md") == "kept"
        assert place.document.is_symlink() or place.document.read_text() == text
        assert (new.read_text() if new.exists() else None) == found


async def test_text_at_a_former_path_stays_there_if_the_changes_of_the_run_are_not_kept(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        (place.root / "b.md").write_text("# A\n")
        assert await backend.changes.bring_from_former_path("unknown", "a.md", "b.md") == "kept"


async def save(changes: RunChanges, place: Place, path: str, text: str) -> None:
    file = place.root / path
    old = file.read_bytes() if file.exists() else None
    file.write_text(text)
    changes.saved(path, old, text.encode())


async def test_lines_that_both_have_written_are_not_taken_back_without_a_word(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        changes = backend.changes
        await changes.begin(ChangedRun("r1", "."))
        place.document.write_text("agent\n")
        (place.root / "new.md").write_text("agent\n")
        await save(changes, place, "a.md", "agent and me\n")
        await save(changes, place, "new.md", "agent and me\n")
        await changes.end("r1")
        assert [file.mixed for file in (await changes.of("r1")).files] == [True, True]
        with pytest.raises(Conflict):
            await decide(backend, "r1", REVERT)
        await decide(backend, "r1", Decide(decision="revert", anyway=True))
        assert place.document.read_text() == "# A\n"


async def test_an_instruction_that_was_typed_begins_where_the_turn_before_ended(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        changes = backend.changes
        await changes.begin(ChangedRun("r1", "."))
        await changes.end("r1")
        await save(changes, place, "mine.md", "mine\n")
        place.document.write_text("agent\n")  # it works already when we hear of it
        await changes.begin(ChangedRun("r2", ".", typed=True))
        await changes.end("r2")
        assert kinds(await changes.of("r2")) == {"a.md": "changed"}
        assert kinds(await changes.of("r1")) == {}


async def test_two_runs_in_one_folder_know_of_each_other(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "sub").mkdir()
    (place.root / "apart").mkdir()
    async with place.backend() as backend:
        for run, folder in (("r1", "."), ("r2", "sub"), ("r3", "apart")):
            await backend.changes.begin(ChangedRun(run, folder))
        (place.root / "sub" / "x").write_text("x")
        for run in ("r1", "r2", "r3"):
            await backend.changes.end(run)
        found = [await backend.changes.of(run) for run in ("r1", "r2", "r3")]
        assert [each.beside for each in found] == [("r2", "r3"), ("r1",), ("r1",)]
        assert [kinds(each) for each in found] == [{"sub/x": "added"}, {"sub/x": "added"}, {}]


def ran(call_id: str, *edits: str, command: bool = False) -> ReportedCall:
    return ReportedCall(call_id, edits, anything=command)


async def test_two_runs_in_one_folder_do_not_claim_each_others_changes(tmp_path: Path) -> None:
    """One whose command was denied lists nothing; what either of two may have done is undone with neither."""
    place = Place(tmp_path)
    (place.root / "link").symlink_to(".")
    async with place.backend() as backend:
        changes = backend.changes
        for run in ("denied", "edits", "command"):
            await changes.begin(ChangedRun(run, "."))
        changes.reported("denied", ran("c1", command=True))
        changes.refused("denied", "c1")
        changes.reported("edits", ran("c1", "link/a.md"))
        for name in ("a.md", "new"):
            (place.root / name).write_text("agent\n")
        await changes.end("denied")  # nobody has run a command until now
        assert kinds(await changes.of("denied")) == {"new": "added"}
        changes.reported("command", ran("c1", command=True))
        await changes.end("edits")  # what it reported counts until the other has ended
        await changes.end("command")
        found = {run: await changes.of(run) for run in ("edits", "command")}
        assert {run: kinds(each) for run, each in found.items()} == {
            "edits": {"a.md": "changed"},
            "command": {"a.md": "changed", "new": "added"},
        }
        assert [[file.uncertain for file in each.files] for each in found.values()] == [[True], [True, False]]
        with pytest.raises(Conflict, match="Another run worked here"):
            await decide(backend, "edits", REVERT)
        await decide(backend, "command", REVERT)
        assert place.document.read_text() == "agent\n" and not (place.root / "new").exists()
        await decide(backend, "edits", Decide(decision="revert", paths=("a.md",)))  # a person has named it
        assert place.document.read_text() == "# A\n"


async def test_a_call_that_was_denied_once_and_allowed_the_next_time_counts(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        changes = backend.changes
        for run in ("r1", "r2"):
            await changes.begin(ChangedRun(run, "."))
        for _ in range(2):
            changes.reported("r1", ran("c1", command=True))  # some CLIs use an id twice
        changes.refused("r1", "c1")
        place.document.write_text("agent\n")
        for run in ("r1", "r2"):
            await changes.end(run)
        assert [kinds(await changes.of(run)) for run in ("r1", "r2")] == [{"a.md": "changed"}, {}]


@pytest.mark.slow(reason="starts two real agents")
async def test_a_denied_run_lists_nothing_of_the_run_beside_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "b.md").write_text("# B\n")
    async with place.backend() as backend:
        denied = await submit(backend, "append: one", mode="headless", permission_mode="ask", path="a.md")
        await waiting_are(backend, 1)
        beside = await submit(backend, "append: two", mode="headless", permission_mode="edit", path="b.md")
        beside = await ended(backend, beside)
        (approval,) = await backend.approvals.find(ApprovalFilter(waiting=True), ADA)
        await backend.approvals.answer(approval.id, NewAnswer(option="deny"), ADA)
        denied = await ended(backend, denied)
        assert kinds(await backend.changes.of(denied.id)) == {}
        found = await backend.changes.of(beside.id)
        assert kinds(found) == {"b.md": "changed"} and not found.files[0].uncertain


@pytest.mark.slow(reason="starts two real agents")
async def test_a_run_that_is_stopped_at_a_question_about_a_command_claims_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "b.md").write_text("# B\n")
    async with place.backend() as backend:
        asking = await submit(backend, "run touch x.txt", mode="headless", permission_mode="ask", path="a.md")
        await waiting_are(backend, 1)
        instruction = "append: two\nwait for the file go-on"
        beside = await submit(backend, instruction, mode="headless", permission_mode="edit", path="b.md")
        async with asyncio.timeout(30):
            while "two" not in (place.root / "b.md").read_text():
                await asyncio.sleep(0.05)
        await backend.runs.cancel(asking.id, ADA)
        await ended(backend, asking)
        (place.root / "go-on").touch()
        await ended(backend, beside)
        assert kinds(await backend.changes.of(asking.id)) == {}
        found = await backend.changes.of(beside.id)
        assert {file.path: file.uncertain for file in found.files}["b.md"] is False


def broken(*_: object, **__: object) -> int:
    raise RuntimeError


async def test_what_cannot_be_compared_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path)
    (place.root / "outside").symlink_to(tmp_path)
    async with place.backend() as backend:
        changes = backend.changes
        with pytest.raises(NotFound):
            await changes.of("unknown")
        assert await changes.end("unknown") is None
        for folder in ("no such folder", "/", "..", "outside", ".cabinet"):
            await changes.begin(ChangedRun("r1", folder))
            assert await changes.end("r1") is None
            with pytest.raises(NotFound):
                await changes.of("r1")
        monkeypatch.setattr(scan, "open_regular", broken)
        await changes.begin(ChangedRun("r1", "."))
        assert await changes.end("r1") is None
        assert (await changes.of("r1")).state == "failed"
        monkeypatch.setattr(scan, "open_regular", restore.open_regular)


async def test_what_is_asked_for_must_be_there(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        place.document.write_text("agent\n")
        await backend.changes.end("r1")
        with pytest.raises(Invalid):
            await decide(backend, "r1", Decide(decision="revert", paths=("b.md",)))
        with pytest.raises(NotFound):
            await backend.changes.file("r1", "b.md")
        place.document.unlink()
        place.document.mkdir()
        with pytest.raises(Conflict, match="were edited"):
            await decide(backend, "r1", REVERT)
        (place.document / "mine").touch()
        with pytest.raises(Conflict, match="could not be read"):
            await decide(backend, "r1", REVERT)


async def test_a_run_whose_server_died_is_compared_when_somebody_looks(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
    place.document.write_text("agent\n")
    async with place.backend() as backend:
        found = await backend.changes.of("r1")
        assert (found.state, found.late, kinds(found)) == ("ready", True, {"a.md": "changed"})
        await decide(backend, "r1", REVERT)
        assert place.document.read_text() == "# A\n"


@pytest.mark.parametrize("kind", ["changed", "added", "deleted"])
async def test_an_undo_is_no_change_of_a_run_that_works_meanwhile(tmp_path: Path, kind: str) -> None:
    place = Place(tmp_path)
    file = place.root / "b.md"
    if kind != "added":
        file.write_text("before\n")
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        file.unlink() if kind == "deleted" else file.write_text("agent\n")
        await backend.changes.end("r1")
        await backend.changes.begin(ChangedRun("r2", "."))
        await decide(backend, "r1", REVERT)
        place.document.write_text("other agent\n")
        await backend.changes.end("r2")
        assert kinds(await backend.changes.of("r2")) == {"a.md": "changed"}
        await decide(backend, "r2", REVERT)
        assert file.exists() == (kind != "added")


async def test_what_comes_after_the_restart_is_no_change_of_a_run_whose_server_died(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
    place.document.write_text("agent\n")
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r2", "."))
        (place.root / "next").write_text("agent\n")
        await backend.changes.end("r2")
        assert kinds(await backend.changes.of("r1")) == {"a.md": "changed"}
        assert kinds(await backend.changes.of("r2")) == {"next": "added"}


async def test_the_folder_of_contents_may_be_removed_while_the_server_runs(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        for run in ("r1", "r2"):
            await backend.changes.begin(ChangedRun(run, "."))
            place.document.write_text(f"{run}\n")
            await backend.changes.end(run)
            shutil.rmtree(place.root / ".cabinet" / "changes") if run == "r1" else None
        with pytest.raises(Conflict):
            await decide(backend, "r1", REVERT)
        await decide(backend, "r2", REVERT)
        assert place.document.read_text() == "r1\n"


async def test_nothing_is_decided_about_changes_that_are_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        monkeypatch.setattr(scan, "open_regular", broken)
        place.document.write_text("agent\n")
        await backend.changes.end("r1")
        monkeypatch.setattr(scan, "open_regular", restore.open_regular)
        with pytest.raises(Conflict, match="could not be compared"):
            await decide(backend, "r1", REVERT)


async def test_runs_that_worked_side_by_side_are_known_as_such_after_their_server_died(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        for run in ("r1", "r2"):
            await backend.changes.begin(ChangedRun(run, "."))
    place.document.write_text("agent\n")
    async with place.backend() as backend:
        found = [await backend.changes.of(run) for run in ("r1", "r2")]
        assert [each.beside for each in found] == [("r2",), ("r1",)]
        assert [[file.uncertain for file in each.files] for each in found] == [[True], [True]]


class Killed(BaseException):
    """As if the process were gone."""


@pytest.mark.parametrize("survivors", range(4))
@pytest.mark.parametrize("after", [False, True], ids=["before the file", "after the file"])
async def test_a_crash_in_the_middle_is_finished_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survivors: int, after: bool
) -> None:
    place = Place(tmp_path)
    names = [f"{number}.txt" for number in range(3)]
    for name in names:
        (place.root / name).write_text("old\n")
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        for name in names:
            (place.root / name).write_text("agent\n")
        await backend.changes.end("r1")
        take, calls = restore.take, []

        def dying(root: Path, step: restore.FileRestore, *more: object) -> bool:
            calls.append(step.path)
            if len(calls) > survivors and not after:
                raise Killed
            done = take(root, step, *more)  # type: ignore[arg-type]
            if len(calls) > survivors:
                raise Killed
            return done

        monkeypatch.setattr(restore, "take", dying)
        if survivors < len(names):
            with pytest.raises(Killed):
                await decide(backend, "r1", REVERT)
        else:
            await decide(backend, "r1", REVERT)
        monkeypatch.setattr(restore, "take", take)
    async with place.backend() as backend:
        assert [(place.root / name).read_text() for name in names] == ["old\n"] * 3
        found = await backend.changes.of("r1")
        assert [file.decision.decision for file in found.files if file.decision] == ["reverted"] * 3
        await decide(backend, "r1", UNDO)
        assert [(place.root / name).read_text() for name in names] == ["agent\n"] * 3


async def test_what_a_stranger_left_to_be_written_is_not_written(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        place.document.write_text("agent\n")
        await backend.changes.end("r1")
        record = await backend.database.read(lambda c: store.load(c, "r1"))
        assert record is not None
        pending = backend.changes._deciding.planned(record, REVERT, ["a.md"], "Eve")
        await backend.changes._put(msgspec.structs.replace(record, pending=pending))
        await backend.changes.start(foreign=True)
        assert place.document.read_text() == "agent\n"
        await backend.changes.start(foreign=False)
        assert place.document.read_text() == "agent\n", "and is forgotten"


async def test_somebody_writes_in_the_moment_in_which_it_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        place.document.write_text("agent\n")
        await backend.changes.end("r1")
        put = backend.changes._deciding._put

        async def slow(record: object) -> None:
            await put(record)  # type: ignore[arg-type]
            place.document.write_text("mine\n")

        monkeypatch.setattr(backend.changes._deciding, "_put", slow)
        with pytest.raises(Conflict, match="just changed these files"):
            await decide(backend, "r1", REVERT)
        assert place.document.read_text() == "mine\n"
        assert (await backend.changes.of("r1")).files[0].decision is None


NAMES = ["a", "b", "d/c", "d/e/f"]
CONTENTS = st.sampled_from([None, b"", b"1\n", b"1\n2\n3\n", b"x\n2\n3\n", b"\0\xff", b"1\n2\ny\n"])
WORKSPACES = st.fixed_dictionaries({name: st.tuples(CONTENTS, st.booleans()) for name in NAMES})
Workspace = dict[str, tuple[bytes | None, bool]]


def make(root: Path, workspace: Workspace) -> None:
    for name, (content, executable) in workspace.items():
        file = root / name
        if content is None:
            file.unlink(missing_ok=True)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(0o755 if executable else 0o644)


def read(root: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in root.rglob("*") if path.is_file() and ".cabinet" not in path.parts]
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mode) for path in files}


@pytest.mark.slow(reason="many workspaces")
@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(WORKSPACES, WORKSPACES)
def test_any_change_is_taken_back_exactly_and_put_again(
    tmp_path_factory: pytest.TempPathFactory, before: Workspace, after: Workspace
) -> None:
    async def run() -> None:
        place = Place(tmp_path_factory.mktemp("any"))
        make(place.root, before)
        async with place.backend() as backend:
            was = read(place.root)
            await backend.changes.begin(ChangedRun("r1", "."))
            make(place.root, after)
            now = read(place.root)
            await backend.changes.end("r1")
            await decide(backend, "r1", ACCEPT)
            assert read(place.root) == now
            await decide(backend, "r1", REVERT)
            assert read(place.root) == was
            await decide(backend, "r1", UNDO)
            assert read(place.root) == now

    asyncio.run(run())


@pytest.mark.slow(reason="starts a real agent")
@pytest.mark.parametrize("mode", ["headless", "terminal"])
async def test_a_run_of_the_demo_agent(tmp_path: Path, mode: str) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await ended(backend, await submit(backend, "append: one", mode=mode, permission_mode="edit"))
        assert (run.state, run.changed) == ("succeeded", ChangeCounts(files=1, added=2))
        assert kinds(await backend.changes.of(run.id)) == {"a.md": "changed"}
        await decide(backend, run.id, REVERT)
        assert place.document.read_text() == "# A\n"
        assert json.loads((place.folder / "root/.agents/.history/editor-sessions.jsonl").read_text().splitlines()[0])
        second = await ended(backend, await submit(backend, "append: two", mode=mode, permission_mode="edit"))
        assert second.changed == ChangeCounts(files=1, added=2)
        await backend.runs.delete(run.id, ADA)
        with pytest.raises(NotFound):
            await backend.changes.of(run.id)


class HeldLook:
    """A look that stands still at its third file until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._open, self._loop = scan.open_regular, asyncio.get_running_loop()
        self.reached, self._go, self.read = asyncio.Event(), threading.Event(), 0
        monkeypatch.setattr(scan, "open_regular", self)

    def __call__(self, path: str, *, dir_fd: int) -> int:
        self.read += 1
        if self.read == 3:
            self._loop.call_soon_threadsafe(self.reached.set)
            assert self._go.wait(BOUND_SECONDS)
        return self._open(path, dir_fd=dir_fd)

    def __enter__(self) -> HeldLook:
        return self

    def __exit__(self, *_: object) -> None:
        self._go.set()


def many_files(place: Place) -> None:
    (place.root / "many").mkdir()
    for number in range(2000):
        (place.root / "many" / str(number)).touch()


async def test_a_run_that_is_stopped_does_not_wait_for_the_look_at_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path)
    many_files(place)
    async with place.backend() as backend:
        with HeldLook(monkeypatch) as look:
            run = await submit(backend, "append: one", mode="headless", permission_mode="edit")
            await look.reached.wait()
            stopped = await backend.runs.cancel(run.id, ADA)
            assert (stopped.state, stopped.changed, look.read) == ("cancelled", None, 3)
        with pytest.raises(NotFound):
            await backend.changes.of(run.id)
        await backend.changes.begin(ChangedRun("r2", "."))
        assert await backend.changes.end("r2") == ChangeCounts()


@pytest.mark.parametrize("ending", [False, True], ids=["before the run", "after it"])
async def test_the_end_of_the_server_does_not_wait_for_a_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: bool
) -> None:
    place, clock = Place(tmp_path), ManualClock()
    many_files(place)
    async with place.backend(clock=clock) as backend:
        changes = backend.changes
        if ending:
            await changes.begin(ChangedRun("r1", "."))
            place.document.write_text("agent\n")
            (place.root / "many" / "0").write_text("agent\n")
            monkeypatch.setattr(scan, "SETTLED_NS", 10**18)
        with HeldLook(monkeypatch) as look:
            work = asyncio.create_task(changes.end("r1") if ending else changes.begin(ChangedRun("r1", ".")))
            await look.reached.wait()
            changes.close_soon()
            await clock.advance(module.CLOSING_SECONDS)
        assert await work is None and look.read == 3
        if not ending:
            assert (await changes.of("r1")).reason == run_comparison.CLOSED
        assert await changes.end("unknown") is None
    if ending:
        async with place.backend() as backend:
            found = await backend.changes.of("r1")
            assert (found.late, kinds(found)) == (True, {"a.md": "changed", "many/0": "changed"})


TEN_LINES = [f"{number}\n" for number in range(10)]


async def rename_of(backend: Backend, place: Place, *, edited: bool = True) -> None:
    """The run `r1`: the agent renames `old.md` to `d/new.md`, and writes its second line."""
    (place.root / "old.md").write_text("".join(TEN_LINES))
    await backend.changes.begin(ChangedRun("r1", "."))
    (place.root / "d").mkdir()
    (place.root / "old.md").rename(place.root / "d" / "new.md")
    if edited:
        (place.root / "d" / "new.md").write_text("".join(["0\n", "agent\n", *TEN_LINES[2:]]))
    await backend.changes.end("r1")


async def test_a_renamed_file_is_one_change_which_is_taken_back_and_put_again(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await rename_of(backend, place)
        was = read(place.root)
        (file,) = (await backend.changes.of("r1")).files
        assert (file.path, file.old_path, file.kind) == ("d/new.md", "old.md", "renamed")
        assert file.counts == ChangeCounts(files=1, added=1, removed=1)
        diff = await backend.changes.file("r1", "d/new.md")
        assert diff.old_path == "old.md"
        assert [line.sign + line.text for line in diff.parts[0].lines if line.sign != " "] == ["-1", "+agent"]
        with pytest.raises(Invalid):
            await decide(backend, "r1", Decide(decision="revert", paths=("old.md",)))
        await decide(backend, "r1", REVERT)
        assert read(place.root).keys() == {"a.md", "old.md"}
        assert (place.root / "old.md").read_text() == "".join(TEN_LINES) and not (place.root / "d").exists()
        await decide(backend, "r1", UNDO)
        assert read(place.root) == was
        await decide(backend, "r1", REVERT)
        await decide(backend, "r1", ACCEPT)
        assert read(place.root) == was
        await decide(backend, "r1", UNDO)
        await decide(backend, "r1", Decide(decision="revert", paths=("d/new.md",), part="0"))
        assert (place.root / "d" / "new.md").read_text() == "".join(TEN_LINES), "its name stays"
        await decide(backend, "r1", REVERT)
        assert (place.root / "old.md").read_text() == "".join(TEN_LINES)


async def test_only_the_name_of_a_file_has_changed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await rename_of(backend, place, edited=False)
        diff = await backend.changes.file("r1", "d/new.md")
        assert (diff.kind, diff.parts, diff.note) == ("renamed", (), "Only the name of this file has changed.")
        (place.root / "d" / "new.md").rename(place.root / "old.md")
        await decide(backend, "r1", REVERT)
        assert (place.root / "old.md").read_text() == "".join(TEN_LINES), "somebody has taken it back already"


async def test_an_edit_of_a_renamed_file_goes_with_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    old, new = place.root / "old.md", place.root / "d" / "new.md"
    async with place.backend() as backend:
        await rename_of(backend, place)
        new.write_text(new.read_text().replace("8\n", "mine\n"))
        await decide(backend, "r1", REVERT)
        assert old.read_text() == "".join([*TEN_LINES[:8], "mine\n", "9\n"]) and not new.exists()
        old.write_text(old.read_text().replace("5\n", "mine too\n"))
        await decide(backend, "r1", UNDO)
        assert new.read_text() == "".join(["0\n", "agent\n", *TEN_LINES[2:5], "mine too\n", "6\n7\nmine\n9\n"])
        assert not old.exists()


@pytest.mark.parametrize("edit", ["the same line", "another file at the old path", "removed"])
async def test_what_people_made_of_a_renamed_file_is_in_the_way(tmp_path: Path, edit: str) -> None:
    place = Place(tmp_path)
    old, new = place.root / "old.md", place.root / "d" / "new.md"
    async with place.backend() as backend:
        await rename_of(backend, place)
        if edit == "removed":
            new.unlink()
        elif edit == "the same line":
            new.write_text(new.read_text().replace("agent", "mine"))
        else:
            old.write_text("mine\n")
        now = read(place.root)
        with pytest.raises(Conflict) as refused:
            await decide(backend, "r1", REVERT)
        assert refused.value.detail == {"paths": ["d/new.md"]} and read(place.root) == now
        await decide(backend, "r1", Decide(decision="revert", anyway=True))
        assert old.read_text() == "".join(TEN_LINES) and not new.exists()
        await decide(backend, "r1", UNDO)
        assert read(place.root) == now, "also what was overwritten comes back"


async def test_what_came_to_the_new_path_meanwhile_is_in_the_way_of_undoing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await rename_of(backend, place)
        await decide(backend, "r1", REVERT)
        (place.root / "d").mkdir()
        (place.root / "d" / "new.md").write_text("mine\n")
        with pytest.raises(Conflict):
            await decide(backend, "r1", UNDO)
        assert (place.root / "d" / "new.md").read_text() == "mine\n"


async def test_a_renamed_file_is_not_removed_where_it_could_not_be_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await rename_of(backend, place)
        was, take = read(place.root), restore.take

        def failing(root: Path, step: restore.FileRestore, *more: object) -> bool:
            if step.path == "old.md":
                raise OSError
            return take(root, step, *more)  # type: ignore[arg-type]

        monkeypatch.setattr(restore, "take", failing)
        with pytest.raises(Conflict):
            await decide(backend, "r1", REVERT)
        assert read(place.root) == was
        monkeypatch.setattr(restore, "take", take)
        await decide(backend, "r1", REVERT)
        assert (place.root / "old.md").exists()


async def test_after_a_restart_only_what_has_changed_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, read_files, open_regular = Place(tmp_path), [], scan.open_regular
    monkeypatch.setattr(scan, "SETTLED_NS", -(10**18))  # all files are settled
    for number in range(20):
        (place.root / str(number)).touch()
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        await backend.changes.end("r1")

    def noted(path: str, *, dir_fd: int) -> int:
        read_files.append(path)
        return open_regular(path, dir_fd=dir_fd)

    place.document.write_text("mine\n")
    monkeypatch.setattr(scan, "open_regular", noted)
    async with place.backend() as backend:
        await backend.changes.collect()
        await backend.changes.begin(ChangedRun("r2", "."))
        assert read_files == ["a.md"]
        place.document.write_text("agent\n")
        await backend.changes.end("r2")
        await decide(backend, "r2", REVERT)
        assert place.document.read_text() == "mine\n"
        await backend.changes.start(foreign=True)
        assert not list((place.root / ".cabinet" / "changes" / "known").iterdir())

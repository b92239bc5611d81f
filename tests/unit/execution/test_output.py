"""The journal of a run's output: complete from any place, for any number of readers, secrets taken out."""

import asyncio
import os
from pathlib import Path

import msgspec
import pytest

from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.execution.output import OutputJournal, follow_finished
from jupyter_cabinet.runtimes.model import TextBlock, TextDelta


async def collect(journal: OutputJournal, since: int = 0) -> list[tuple[int, str]]:
    found = []
    async for line in journal.follow(since):
        record = msgspec.json.decode(line)
        found.append((record["index"], record["event"]["text"]))
    return found


async def test_readers_from_any_place_see_the_same(tmp_path: Path) -> None:
    journal = OutputJournal(tmp_path / "o.jsonl", Redactor([]))
    readers = [asyncio.create_task(collect(journal, since)) for since in (0, 3, 50)]
    for number in range(100):
        journal.append(TextBlock(text=str(number)), at=number)
        if number % 7 == 0:
            await asyncio.sleep(0)
    journal.end()
    everything = [(n, str(n)) for n in range(100)]
    assert await asyncio.gather(*readers) == [everything, everything[3:], everything[50:]]
    assert len([line async for line in follow_finished(tmp_path / "o.jsonl", 90, beneath=tmp_path)]) == 10


async def test_pieces_of_text_are_told_at_once_and_not_kept(tmp_path: Path) -> None:
    journal = OutputJournal(tmp_path / "o.jsonl", Redactor([]))
    reader = asyncio.create_task(collect(journal))
    for piece in ("a", "b"):
        journal.append(TextDelta(text=piece), at=0)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    journal.append(TextBlock(text="ab"), at=0)
    journal.end()
    found = await reader
    assert [text for _, text in found] == ["a", "b", "ab"] and {index for index, _ in found} == {0}
    assert (tmp_path / "o.jsonl").read_text().count("\n") == 1


async def test_pieces_are_told_after_a_whole_text_too(tmp_path: Path) -> None:
    journal = OutputJournal(tmp_path / "o.jsonl", Redactor([]))
    reader = asyncio.create_task(collect(journal))
    for event in (TextDelta(text="a"), TextBlock(text="ab"), TextDelta(text="c"), TextBlock(text="cd")):
        journal.append(event, at=0)
        for _ in range(3):
            await asyncio.sleep(0)
    journal.end()
    assert await reader == [(0, "a"), (0, "ab"), (1, "c"), (1, "cd")]


async def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "o.jsonl").write_bytes(b'{"a":1}\n{"b"')
    assert [line async for line in follow_finished(tmp_path / "o.jsonl", 0, beneath=tmp_path)] == [b'{"a":1}']


async def test_secrets_are_taken_out(tmp_path: Path) -> None:
    journal = OutputJournal(tmp_path / "o.jsonl", Redactor(["secret-12345678"]))
    journal.append(TextBlock(text="it is secret-12345678"), at=0)
    journal.end()
    assert "secret-1" not in (tmp_path / "o.jsonl").read_text()


async def test_a_secret_in_pieces_reaches_no_reader(tmp_path: Path) -> None:
    journal = OutputJournal(tmp_path / "o.jsonl", Redactor(["s3cret-s3cret"]))
    reader = asyncio.create_task(collect(journal))
    await asyncio.sleep(0)
    for piece in ("is s3cr", "et-s3cret, ", "s3cret-s3c"):
        journal.append(TextDelta(text=piece), at=0)
    await asyncio.sleep(0)
    journal.end()
    assert "".join(text for _, text in await reader) == "is [redacted], "


async def test_what_a_full_disk_did_not_take_is_written_later(tmp_path: Path) -> None:
    journal = OutputJournal(tmp_path / "o.jsonl", Redactor([]))
    real = journal._file
    with Path("/dev/full").open("ab", buffering=0) as full:
        journal._file = full
        journal.append(TextBlock(text="one"), at=0)
    journal._file = real
    journal.append(TextBlock(text="two"), at=0)
    journal.end()
    assert await collect(journal) == [(0, "one"), (1, "two")]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("plant", ["pipe", "link", "endless line"])
async def test_what_somebody_put_in_the_place_of_a_journal_is_no_record_and_hangs_nobody(
    tmp_path: Path, plant: str
) -> None:
    path = tmp_path / "state" / "o.jsonl"
    path.parent.mkdir()
    (tmp_path / "mine").write_bytes(b"mine\n")
    if plant == "pipe":
        os.mkfifo(path)
    elif plant == "link":
        path.symlink_to(tmp_path / "mine")
    else:
        with path.open("wb") as file:
            file.truncate(3 << 30)
    assert [line async for line in follow_finished(path, 0, beneath=tmp_path / "state")] == []


async def test_a_long_journal_is_followed_from_any_place(tmp_path: Path) -> None:
    lines = [b"%d" % number + b"x" * 1000 for number in range(2_000)]
    (tmp_path / "o.jsonl").write_bytes(b"\n".join(lines) + b"\ntorn")
    for since in (0, 7, 600, 1_999, 2_000, 9_999):
        assert [line async for line in follow_finished(tmp_path / "o.jsonl", since, beneath=tmp_path)] == lines[since:]

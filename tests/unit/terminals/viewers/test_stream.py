"""Viewers of unlike speed on real PTYs: who slows the program, who is resynchronised, what nobody pays for."""

from __future__ import annotations

import asyncio
import hashlib
import os
from contextlib import asynccontextmanager

import psutil
import pytest
from harness.waiting import holds

from jupyter_cabinet.testing.manual_clock import ManualClock

# Says "up", then for each line it reads sends as many blocks of 16 KiB as the line says, and how long that took.
FLOOD = """
import os, sys, time, tty
tty.setraw(0)
os.write(1, b"up\\n")
while True:
    count, start = int(os.read(0, 100)), time.monotonic()
    for block in range(count):
        data = b"".join(b"%07d\\n" % number for number in range(block * 2048, (block + 1) * 2048))
        while data:
            data = data[os.write(1, data):]
    os.write(1, b"sent in %.2f s\\n" % (time.monotonic() - start))
"""
BLOCK = 16 << 10
SLOW_BYTES_PER_SECOND = 6_000_000  # a browser at work
STEP_SECONDS = 0.01


def flood(blocks: int) -> bytes:
    return b"".join(b"%07d\n" % number for number in range(2048 * blocks))


class Drawing:
    """A client that draws what it was sent at its own speed, and says so."""

    def __init__(self, client, per_second):
        self.client, self.per_second, self.drawn = client, per_second, 0
        client.draw = None

    async def run(self):
        acked = self.client.connection.stream.acked
        replays = 0
        while True:
            await asyncio.sleep(STEP_SECONDS)
            if self.client.count("replay") != replays:
                replays = self.client.count("replay")
                self.drawn = self.client.last("replay")["from"]
            self.drawn = min(self.client.offset, self.drawn + int(self.per_second * STEP_SECONDS))
            acked(self.drawn)


@asynccontextmanager
async def drawing(client, per_second=SLOW_BYTES_PER_SECOND):
    task = asyncio.create_task(Drawing(client, per_second).run())
    try:
        yield
    finally:
        task.cancel()


async def shows(client, text, seconds=30):
    async with asyncio.timeout(seconds):
        while text.encode() not in client.tail[-100:]:
            await asyncio.sleep(0.01)


def seconds_taken(client):
    return float(client.tail.rsplit(b"sent in ", 1)[1].split()[0])


@pytest.mark.slow(reason="16 MiB at 6 MB/s are three seconds")
async def test_a_slow_primary_gets_every_byte_and_so_does_everybody_else(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ben = await it.join(terminal, "ben")
        ada = await it.join(terminal)
        await ada.shows("up")
        async with drawing(ada):
            await agent.type(b"1024", submit=False)
            await shows(ada, "sent in")
            await shows(ben, "sent in")
        assert seconds_taken(ada) > 1.5
        end = ada.tail.rsplit(b"\n", 2)[1] + b"\n"
        expected = hashlib.sha256(b"up\n" + flood(1024) + end).digest()
        assert [client.digest.digest() for client in (ada, ben)] == [expected] * 2
        assert ada.count("replay") == ben.count("replay") == 1


async def test_a_slow_viewer_who_is_not_primary_slows_nobody_and_ends_with_the_right_screen(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        for client in (ada, ben):
            await client.shows("up")
        async with drawing(ben, 2_000_000):
            await agent.type(b"512", submit=False)
            await shows(ada, "sent in")
            await shows(ben, "sent in")
        assert ada.count("replay") == 1
        assert ben.count("replay") > 1 and ben.last("replay")["reset"]
        assert ben.offset == ada.offset
        assert (flood(512) + ada.tail[-60:].rsplit(b"\n", 2)[1] + b"\n").endswith(ben.tail)


async def test_a_primary_that_says_nothing_more_slows_the_program_no_longer_than_the_limit(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ben.shows("up")
        ada.draw = None
        await agent.type(b"128", submit=False)
        await holds(lambda: not terminal.display.shown.is_read)
        await clock.advance(1.4)
        assert not terminal.display.shown.is_read
        await clock.advance(0.1)
        await shows(ben, "sent in")
        sent = ada.offset
        assert sent < 1 << 20
        await agent.type(b"128", submit=False)
        await holds(lambda: ben.tail.count(b"sent in") == 1 and ben.offset > 4 << 20)
        assert ada.offset == sent  # nothing more before it speaks
        ada.connection.stream.acked(sent)
        ada.draw = ada.connection.stream.acked
        await shows(ada, "sent in")
        assert ada.count("replay") == 2 and ada.last("replay")["reset"]


async def test_who_was_silent_for_a_while_but_misses_little_goes_on_where_it_was(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ben.shows("up")
        ben.draw = None
        await agent.type(b"1", submit=False)
        await shows(ada, "sent in")
        await clock.advance(1.5)  # this is the silence
        await agent.type(b"2", submit=False)
        await holds(lambda: ada.offset > 3 * BLOCK)
        await shows(ada, "sent in")
        assert ben.offset < ada.offset
        ben.draw = ben.connection.stream.acked
        ben.draw(ben.offset)
        await holds(lambda: ben.offset == ada.offset)
        assert ben.digest.digest() == ada.digest.digest() and ben.count("replay") == 1


async def test_who_does_not_take_the_last_words_of_a_terminal_in_time_is_closed_without(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        terminal = await it.open()
        ada = await it.join(terminal)
        ada.gate.clear()
        ben = await it.join(terminal, "ben")  # she is sent a frame about it, and does not read it
        await it.terminals.close(terminal.id, "Closed by Ben.")
        await holds(lambda: ben.closed == (1000, "Closed by Ben."))
        await clock.advance(4.9)
        assert ada.closed is None
        await clock.advance(0.1)
        assert ada.closed == (1000, "Closed by Ben.")


async def test_without_a_primary_the_program_runs_freely(room):
    async with room(stall_seconds=30) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ben = await it.join(terminal, "ben")
        await ben.shows("up")
        ben.draw = None
        await agent.type(b"256", submit=False)
        await holds(lambda: terminal.display.shown.ring.end > 4 << 20)
        ada = await it.join(terminal)
        await shows(ada, "sent in")
        assert seconds_taken(ada) < 20


async def test_a_primary_that_leaves_while_the_program_waits_for_it_sets_it_free(room):
    async with room(stall_seconds=30) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ben.shows("up")
        ada.draw = None
        await agent.type(b"256", submit=False)
        await holds(lambda: not terminal.display.shown.is_read)
        ada.connection.drop()
        await shows(ben, "sent in", 20)


@pytest.mark.long(reason="ten viewers; the quick tier tries one")
async def test_ten_viewers_that_never_read_cost_a_frame_each(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ada = await it.join(terminal)
        await ada.shows("up")
        idle = [await it.join(terminal, f"idle{number}") for number in range(10)]
        for client in idle:
            client.gate.clear()
        process = psutil.Process(os.getpid())
        await agent.type(b"64", submit=False)  # the ring fills
        await shows(ada, "sent in")
        before = process.memory_info().rss
        await agent.type(b"1024", submit=False)
        await holds(lambda: ada.offset > 17 << 20)
        await shows(ada, "sent in")
        assert process.memory_info().rss - before < 8 << 20
        assert ada.count("replay") == 1


FULL_SCREEN = r"""
import os, signal, sys, tty
tty.setraw(0)
def draw(*_):
    size = os.get_terminal_size()
    os.write(1, b"\x1b[2J\x1b[Hdrawn %d x %d\r\n" % (size.columns, size.lines))
signal.signal(signal.SIGWINCH, draw)
os.write(1, b"shell text\r\n\x1b[?1049h\x1b[?2004h\x1b[?1h\x1b[?1002;1006h")
draw()
while True:
    key = os.read(0, 1)
    if key == b"q":
        os.write(1, b"\x1b[?1002;1006l\x1b[?1l\x1b[?2004l\x1b[?1049lback\r\n")
    elif key == b"x":
        os.write(1, b"\x1b[5;5Hpicture\x1b[K" * 1000 + b"done")
"""


async def test_who_begins_within_a_full_screen_program_has_its_modes_and_a_new_picture(room):
    async with room(ring_bytes=8 << 10) as it:
        terminal = await it.open(cols=90, rows=20)
        agent = await it.agent(terminal, FULL_SCREEN)
        await holds(lambda: b"drawn" in terminal.display.shown.picture(1000))
        await agent.type(b"x", submit=False)
        await holds(lambda: b"done" in terminal.display.shown.picture(1000))
        late = await it.join(terminal, "ben")
        replay = late.last("replay")
        assert "shell text" not in late.tail.decode()
        for mode in ("\x1b[?1047h", "\x1b[?1h", "\x1b[?2004h", "\x1b[?1002h", "\x1b[?1006h"):
            assert mode in replay["prelude"]
        await late.shows("drawn 90 x 19")
        await late.shows("drawn 90 x 20")
        drawn = late.tail.count(b"drawn")
        for number in range(3):  # within the same second: nobody is to be disturbed that often
            await it.join(terminal, f"again{number}")
        await agent.type(b"q", submit=False)
        await late.shows("back")
        assert late.tail.count(b"drawn") == drawn


async def test_a_replay_asks_nothing_and_what_comes_after_it_may(room):
    source = r"""
        import os, tty
        tty.setraw(0)
        os.write(1, b"one\x1b[c\x1b[6ntwo\x1b]11;?\x07three\x1b]52;c;QUJD\x07")
        while os.read(0, 1) != b"x":
            pass
        os.write(1, b"four\x1b[6n")
        os.read(0, 100)
    """
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, source)
        await holds(lambda: b"three" in terminal.display.shown.picture(1000))
        ada = await it.join(terminal)
        await ada.shows("three")
        assert ada.tail.replace(b"\0", b"") == b"onetwo\x1b]11;\x07three\x1b\\"
        await agent.type(b"x", submit=False)
        await ada.shows("four\x1b[6n")


async def test_no_part_that_is_sent_begins_or_ends_within_a_character(room):
    source = """
        import os, tty
        tty.setraw(0)
        os.write(1, b"up")
        os.read(0, 1)
        data = ("—“🌍é" * 100_000).encode()
        while data:
            data = data[os.write(1, data[:4097]):]
        os.write(1, b"end")
    """
    async with room(frame_bytes=10_000) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, source)
        ada = await it.join(terminal)
        parts = []
        send = ada.send_bytes

        async def kept(data):
            parts.append(data)
            await send(data)

        ada.send_bytes = kept
        await ada.shows("up")
        await agent.type(b"x", submit=False)
        await shows(ada, "end")
        assert "".join(part.decode() for part in parts).count("—") == 100_000


async def test_frames_wait_for_who_does_not_read_and_come_in_order_then(room):
    async with room() as it:
        terminal = await it.open()
        ada = await it.join(terminal)
        ada.gate.clear()
        for number in range(20):
            terminal.notifications.problem("refused", str(number))
        for _ in range(20):
            await asyncio.sleep(0)
        assert ada.count("error") == 1  # one is on its way
        ada.gate.set()
        await ada.saw("error", 20)
        assert [frame["message"] for frame in ada.frames if frame["type"] == "error"] == [str(n) for n in range(20)]


async def test_a_viewer_that_is_told_too_much_while_it_does_not_read_is_sent_away(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ada.shows("up")
        ben.gate.clear()
        await agent.type(b"1", submit=False)
        await shows(ada, "sent in")
        for _ in range(600):
            terminal.notifications.problem("refused", "no")
            await asyncio.sleep(0)
        assert ben.closed is not None and ben.closed[0] == 1013
        assert ada.closed is None

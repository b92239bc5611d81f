"""What viewers receive: every byte, in order, or an announced resynchronisation. Real PTYs."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys

from jupyter_cabinet.testing.manual_clock import ManualClock

# Says "up", then for each line it reads sends as many blocks as the line says.
FLOOD = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"up\\n")
line = b"%07d\\n"
while True:
    count = int(os.read(0, 100))
    for block in range(count):
        data = b"".join(line % number for number in range(block * 2048, (block + 1) * 2048))
        while data:
            data = data[os.write(1, data):]
    os.write(1, b"sent\\n")
"""
MIB_16 = b"".join(b"%07d\n" % number for number in range(2048 * 1024))


async def test_a_newcomer_is_greeted_then_shown_the_screen_then_the_bytes(room):
    async with room() as it:
        terminal = await it.open()
        await it.agent(terminal, "print('grüße'); input()")
        ada = await it.join(terminal)
        await ada.shows("grüße")
        assert ada.log[:2] == ["hello", "replay"] and "bytes" in ada.log
        replay = ada.last("replay")
        assert replay["source"] == "agent" and replay["from"] == 0 and replay["reset"]


async def test_16_mib_reach_fast_viewers_byte_for_byte_and_a_slow_one_as_a_resynchronised_tail(room, until):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        fast = [await it.join(terminal), await it.join(terminal, "ben")]
        slow = await it.join(terminal, "cleo")
        for client in (*fast, slow):
            await client.shows("up")
        slow.gate.clear()
        await agent.type(b"1024", submit=False)
        for client in fast:
            await client.shows("sent")
        slow.gate.set()
        await slow.shows("sent")
        expected = hashlib.sha256(b"up\n" + MIB_16 + b"sent\n").digest()
        assert [client.digest.digest() == expected for client in fast] == [True, True]
        assert [client.count("replay") for client in fast] == [1, 1]
        assert slow.last("replay")["reset"]
        assert slow.offset == fast[0].offset == len(MIB_16) + 8
        assert (MIB_16 + b"sent\n").endswith(slow.tail)
        assert max(client.largest for client in (*fast, slow)) <= 128 << 10


async def test_who_comes_back_with_an_offset_gets_exactly_what_is_missing(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ada = await it.join(terminal)
        await ada.shows("up")
        ada.connection.drop()
        await agent.type(b"1", submit=False)
        watcher = await it.join(terminal)
        await watcher.shows("sent")
        again = await it.join(terminal, since=ada.offset, source="agent")
        await again.shows("sent")
        assert again.last("replay") | {"until": 0} == {
            "type": "replay", "source": "agent", "from": 3, "until": 0, "reset": False, "prelude": "",
        }  # fmt: skip
        assert again.tail == MIB_16[: 2048 * 8] + b"sent\n"


async def test_an_offset_that_is_no_longer_kept_resets_the_screen_at_a_line(room):
    async with room(ring_bytes=64 << 10) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ada = await it.join(terminal)
        await ada.shows("up")
        await agent.type(b"32", submit=False)
        await ada.shows("sent")
        late = await it.join(terminal, since=5, source="agent")
        await late.shows("sent")
        replay = late.last("replay")
        assert replay["reset"] and replay["from"] > 5
        assert len(late.tail.splitlines()[0]) == 7
        assert replay["until"] - replay["from"] <= 64 << 10


async def test_an_offset_of_an_earlier_agent_never_fits_the_next_one(room):
    async with room() as it:
        terminal = await it.open()
        first = await it.agent(terminal, "print('first')")
        await first.wait()
        ada = await it.join(terminal)
        await ada.saw("exited")
        second = await it.agent(terminal, "print('second')")
        await second.wait()
        await ada.saw("exited", 2)
        back = await it.join(terminal, since=7, source="agent")
        await back.saw("exited")
        assert back.last("replay")["reset"]
        assert back.tail == ada.tail == b"second\r\n"


async def test_characters_split_over_two_writes_arrive_whole(room):
    async with room() as it:
        terminal = await it.open()
        source = """
            import os, sys
            for byte in "grüße 🌍".encode():
                os.write(1, bytes([byte]))
                sys.stdin.readline() if byte == 0xc3 else None
        """
        agent = await it.agent(terminal, source)
        ada = await it.join(terminal)
        for _ in range(2):
            await agent.type(b"", submit=True)
        await agent.wait()
        await ada.saw("exited")
        assert "grüße 🌍" in ada.tail.replace(b"\r\n", b"").decode()


async def test_the_end_comes_after_the_last_byte_and_says_how(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, "import sys; sys.stdout.write('x' * 300_000); sys.exit(3)")
        ada = await it.join(terminal)
        assert (await agent.wait()).code == 3
        ended = await ada.saw("exited")
        assert (ended["code"], ended["signal"]) == (3, None)
        assert ada.log[-1] == "exited"
        assert ada.tail == b"x" * 300_000
        assert [frame["state"] for frame in ada.frames if frame["type"] == "agent_state"][-1] == "stopped"


async def test_a_signal_that_ended_the_agent_is_told(room):
    async with room() as it:
        terminal = await it.open()
        ada = await it.join(terminal)
        await it.agent(terminal, "import os; os.kill(os.getpid(), 9)")
        ended = await ada.saw("exited")
        assert (ended["code"], ended["signal"]) == (None, 9)


async def test_an_ended_terminal_still_shows_its_screen_to_a_newcomer(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, "print('bye')")
        await agent.wait()
        ada = await it.join(terminal)
        await ada.saw("exited")
        assert ada.log == ["hello", "replay", "bytes", "exited"] or ada.log[-1] == "exited"
        assert ada.tail == b"bye\r\n"
        assert ada.last("hello")["terminal"]["exited"]


async def test_an_ended_terminal_is_forgotten_after_its_time(room, until):
    clock = ManualClock()
    async with room(clock=clock, silence_seconds=3600.0) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, "pass")
        ada = await it.join(terminal)
        await agent.wait()
        await clock.advance(1799)
        assert ada.closed is None
        await clock.advance(1)
        await until(lambda: ada.closed is not None)
        assert ada.closed[0] == 1000
        assert type(it.events[-1]).__name__ == "TerminalClosed"


async def test_a_viewer_that_never_reads_costs_the_others_nothing(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, FLOOD)
        ada = await it.join(terminal)
        await ada.shows("up")
        idle = [await it.join(terminal, f"idle{number}") for number in range(5)]
        for client in idle:
            client.gate.clear()
        await agent.type(b"256", submit=False)
        async with asyncio.timeout(20):
            await ada.shows("sent")
        assert ada.count("replay") == 1


async def test_a_change_of_the_title_is_told(room):
    async with room() as it:
        terminal = await it.open()
        ada = await it.join(terminal)
        await it.agent(terminal, r"print('\x1b]0;◐ Demo\x07', end='', flush=True); input()")
        assert (await ada.saw("title"))["text"] == "◐ Demo"


async def test_the_size_is_the_controllers(room):
    async with room() as it:
        terminal = await it.open(cols=100, rows=40)
        ada = await it.join(terminal, cols=90, rows=20)
        assert await ada.saw("resized") == {"type": "resized", "cols": 90, "rows": 20}
        source = """
            import os, signal, time
            say = lambda *_: os.write(1, str(os.get_terminal_size()).encode())
            signal.signal(signal.SIGWINCH, say)
            say()
            while True: time.sleep(600)
        """
        await it.agent(terminal, source)
        await ada.shows("columns=90, lines=20")
        await ada.say("resize", cols=70, rows=33)
        await ada.shows("columns=70, lines=33")
        ben = await it.join(terminal, "ben", cols=10, rows=10)
        await ben.say("resize", cols=11, rows=11)
        assert (await ben.saw("error"))["kind"] == "not_your_turn"
        assert terminal.view().size.cols == 70


async def test_the_program_finds_a_colour_terminal_with_utf_8(room):
    async with room() as it:
        terminal = await it.open()
        ada = await it.join(terminal)
        source = """
            import locale, os
            print(*(os.environ.get(n) for n in ("TERM", "COLORTERM", "FORCE_COLOR", "LC_ALL", "LC_CTYPE")))
            print(sorted(os.listdir("/proc/self/fd"))[:3], os.getpgrp() == os.tcgetpgrp(0))
        """
        await it.agent(terminal, source)
        await ada.shows("xterm-256color truecolor 3 None C.UTF-8")
        await ada.shows("['0', '1', '2'] True")


STRAY = """
import os, signal, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
print(os.getpid(), flush=True)
time.sleep(600)
"""

SERVER = """
import asyncio, sys
from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.events import EventBus
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.sandboxes.local import LocalSandbox
from jupyter_cabinet.terminals.service import Terminals
async def main():
    terminals = Terminals(clock=SystemClock(), bus=EventBus(), sandbox=LocalSandbox())
    terminal = await terminals.open(Principal(username="ada", display_name="Ada"), name="work", cwd="/")
    argv = [sys.executable, "-c", sys.argv[1]]
    agent = await terminal.programs.start_agent(argv, cwd="/", environment={}, title="Demo")
    print(agent.pid, flush=True)
    agent.subscribe(lambda data: print(data.decode(), end="", flush=True))
    await agent.go()
    await agent.wait()
asyncio.run(main())
"""


async def test_everything_in_a_terminal_is_gone_when_the_server_is_killed(gone):
    with subprocess.Popen([sys.executable, "-c", SERVER, STRAY], stdout=subprocess.PIPE) as process:
        pids = [int(process.stdout.readline()) for _ in range(3)]
        process.kill()
    await gone(*pids)

"""Pausing: everything of an agent stands still, a shell is there meanwhile, and nothing passes between the two."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from jupyter_cabinet.core.errors import Conflict, NotYourTurn, Unavailable
from jupyter_cabinet.core.people import Person, Principal
from jupyter_cabinet.sandboxes.process_table.processes import below, moving, table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the process table is read from /proc")

ADA = Principal(username="ada", display_name="Ada")
BEN = Principal(username="ben", display_name="Ben")
ROOT = Principal(username="root", display_name="Root", administrator=True)
ENVIRONMENT = {"PATH": os.environ["PATH"], "PS1": "$ ", "HOME": "/"}
# Counts on, and shows what it reads.
COUNTING = r"""
    import os, select, tty
    tty.setraw(0)
    os.write(1, b"up\n")
    count = 0
    while True:
        if select.select([0], [], [], 0.02)[0]:
            os.write(1, b"<%r>" % os.read(0, 1000))
        count += 1
        os.write(1, b"%d\n" % count)
"""


def source(client) -> str:
    return client.last("replay")["source"]


async def test_pausing_shows_a_shell_and_resuming_goes_on_where_the_agent_was(room):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting(program="demo")
        agent = await it.agent(terminal, COUNTING)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ada.shows("5\n")
        await terminal.pause(ADA)
        told = await ben.saw("agent_state", 2)
        assert (told["state"], told["reason"], told["by"]["username"]) == ("paused", "Paused by Ada.", "ada")
        assert source(ben) == "shell"
        stood = agent.screen.ring.end
        await ada.type("echo $((6*7))\r")
        await ben.shows("42")
        assert agent.screen.ring.end == stood and moving(agent.pid) == set()
        await terminal.pause(ADA)  # again: nothing happens
        await terminal.resume(ADA)
        told = await ben.saw("agent_state", 3)
        assert (told["state"], told["by"]["username"], source(ben)) == ("running", "ada", "agent")
        await asyncio.wait_for(_grows(agent.screen.ring, stood), 15)
        await terminal.resume(ADA)
        assert ben.count("agent_state") == 3
        await terminal.pause(ADA)
        await ada.type("echo still-$((6*7))\r")  # the same shell as before
        await ben.shows("still-42")


async def _grows(ring, end):
    while ring.end <= end:
        await asyncio.sleep(0.01)


async def test_it_comes_back_to_what_it_was_or_has_become(room):
    async with room() as it:
        terminal = await it.lasting(program="demo")
        agent = await it.agent(terminal, COUNTING)
        agent.set_state("waiting", "Which file?")
        await terminal.pause(ADA)
        await terminal.resume(ADA)
        assert (agent.state, agent.reason) == ("waiting", "Which file?")
        agent.set_state("running")
        await terminal.pause(ADA)
        agent.set_state("waiting")  # its finish signal was on the way
        assert agent.state == "paused"
        await terminal.resume(ADA)
        assert agent.state == "waiting"


async def test_the_controller_the_starters_and_administrators_may_and_nobody_else(room):
    async with room() as it:
        terminal = await it.lasting(program="demo")
        argv = [sys.executable, "-S", "-c", "input()"]
        starter = Person(username="cleo", display_name="Cleo")
        agent = await terminal.programs.start_agent(argv, cwd="/", environment=ENVIRONMENT, title="Demo", by=starter)
        await agent.go()
        for act in (terminal.pause, terminal.resume, lambda who: it.terminals.close_for(terminal.id, who)):
            with pytest.raises(NotYourTurn):
                await act(BEN)
        for who in (ADA, ROOT, Principal(username="cleo", display_name="Cleo")):
            await terminal.pause(who)
            assert terminal.programs.agent.frame().by.username == who.username
            await terminal.resume(who)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        assert (ada.last("hello")["you"]["may_manage"], ben.last("hello")["you"]["may_manage"]) == (True, False)
        await ada.say("grant_control", to="ben")
        await ben.saw("control_granted")
        await terminal.pause(BEN)


async def test_an_agent_that_has_ended_can_neither_be_paused_nor_resumed(room):
    async with room() as it:
        terminal = await it.lasting(program="demo")
        agent = await it.agent(terminal, "pass")
        await agent.wait()
        for act in (terminal.pause, terminal.resume):
            with pytest.raises(Conflict):
                await act(ADA)
        with pytest.raises(Conflict):
            await (await it.lasting()).pause(ADA)


async def test_a_paused_agent_is_stopped_with_everything_it_started(room, gone):
    async with room() as it:
        terminal = await it.lasting(program="demo")
        agent = await it.agent(terminal, COUNTING)
        ada = await it.join(terminal)
        await ada.shows("up")
        await terminal.pause(ADA)
        family = below(agent.pid, table())
        agent.stop_is_by(Person(username="ada", display_name="Ada"))
        async with asyncio.timeout(20):
            await agent.stop()
        await gone(*family)
        told = ada.last("agent_state")
        assert (told["state"], told["by"]["username"]) == ("stopped", "ada")


async def test_keys_that_wait_for_an_agent_do_not_reach_it_when_it_is_paused(room):
    async with room() as it:
        terminal = await it.lasting(program="demo")
        deaf = "import os, time, tty; tty.setraw(0); os.write(1, b'up\\n'); time.sleep(600)"
        agent = await it.agent(terminal, deaf)
        ada = await it.join(terminal)
        await ada.shows("up")
        agent.set_state("waiting")
        await ada.type("x" * 200_000)
        await terminal.pause(ADA)
        assert (await ada.saw("input_rejected"))["reason"] in ("agent_running", "busy")
        assert agent.screen.input.has_room(1)


async def test_the_server_types_into_a_paused_agent_when_it_goes_on(room):
    async with room() as it:
        terminal = await it.lasting(program="demo")
        agent = await it.agent(terminal, COUNTING)
        ada = await it.join(terminal)
        await ada.shows("up")
        await terminal.pause(ADA)
        typing = asyncio.create_task(agent.type(b"hello", submit=False))
        await asyncio.sleep(0)
        await terminal.resume(ADA)
        await typing
        await ada.shows("<b'hello'>")


@pytest.mark.long(reason="the conformance suite of sandboxes tries such children in the quick tier")
@pytest.mark.slow(reason="five busy processes have to start")
async def test_children_that_ignore_signals_or_have_sessions_of_their_own_stand_still_too(room, until):
    source = """
        import os, signal, threading, time
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
            signal.signal(number, signal.SIG_IGN)
        for setsid in (False, True, True):
            if os.fork() == 0:
                if setsid:
                    os.setsid()
                if os.fork() > 0 and setsid:
                    os._exit(0)  # the child is an orphan now
                break
        threading.Thread(target=lambda: [time.sleep(0.001) for _ in iter(int, 1)], daemon=True).start()
        os.write(1, b"pid=%d;\\n" % os.getpid())
        while True:
            sum(range(1000))
    """
    async with room() as it:
        terminal = await it.lasting(program="demo")
        agent = await it.agent(terminal, source)
        ada = await it.join(terminal)
        await until(lambda: ada.tail.count(b"pid=") >= 5)
        await terminal.pause(ADA)
        rows = table()
        family = {pid for pid in below(agent.pid, rows) if rows[pid].alive}
        assert len(family) >= 5 and {rows[pid].state for pid in family} == {"T"}
        before = _cpu_ticks(family)
        await terminal.resume(ADA)
        await until(lambda: _cpu_ticks(family) > before)


def _cpu_ticks(pids: set[int]) -> int:
    lines = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids)
    return sum(int(line[11]) for line in lines)


async def test_an_agent_that_cannot_be_held_goes_on_and_somebody_is_told(room, monkeypatch, until):
    monkeypatch.setattr("jupyter_cabinet.terminals.programs.agent.HELD_SECONDS", 0.3)
    async with room() as it:
        terminal = await it.lasting(program="demo")
        agent = await it.agent(terminal, COUNTING)
        ada = await it.join(terminal)
        await ada.shows("up")
        agent.set_state("waiting")
        outside = asyncio.create_task(_wake_again_and_again(agent.pid))  # as a debugger might
        with pytest.raises(Unavailable, match="It continues"):
            await terminal.pause(ADA)
        outside.cancel()
        assert agent.state == "waiting"
        await ada.type("z")
        await ada.shows("<b'z'>")


async def _wake_again_and_again(launcher: int) -> None:
    while True:
        for pid in below(launcher, table()):
            os.kill(pid, signal.SIGCONT)
        await asyncio.sleep(0.0005)


# It leaves processes that want to outlive it. Each reads from and types into the terminal that is named to it, by
# every way that Unix has: its own /dev/tty, the device of another, its input queue (TIOCSTI).
SURVIVOR = r"""
    import fcntl, os, signal, sys, termios, time
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTTOU, signal.SIGTTIN, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    log, target = sys.argv[1:]

    def note(text):
        with open(log, "ab") as file:
            file.write(text + b"\n")

    def attack(path):
        fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            note(b"read %r" % os.read(fd, 100))
        except OSError:
            pass
        try:
            for character in b"echo in''truded\n":
                fcntl.ioctl(fd, termios.TIOCSTI, bytes([character]))
            note(b"typed")
        except OSError:
            pass
        os.write(fd, b"scribbled")
        note(b"wrote")
        os.close(fd)

    if os.fork() == 0:
        os.setsid()
        if os.fork() > 0:
            os._exit(0)
    elif os.fork() == 0:
        os.setpgid(0, 0)
    note(b"up")
    while True:
        time.sleep(0.002)
        try:
            with open(target) as file:
                attack(file.read())
            with open("/dev/tty", "wb") as own:
                own.write(b"mine")
        except OSError:
            pass
"""


@pytest.mark.long(reason="a hundred commands, with three processes that never rest beside them")
async def test_a_survivor_of_an_agent_types_nothing_into_the_shell_and_reads_nothing_from_it(room, until, tmp_path):
    log, target = tmp_path / "log", tmp_path / "target"

    def lines(word: bytes) -> int:
        return log.read_bytes().count(word) if log.exists() else 0

    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting()
        ada = await it.join(terminal)
        shell = str(Path(f"/proc/{terminal.display.shown.pty.pid}/fd/0").readlink())
        agent = await it.agent(terminal, SURVIVOR, str(log), str(target))
        await until(lambda: lines(b"up") == 3)
        await _attacks_a_decoy(target, until, lambda: lines(b"read b'bait"))

        await terminal.pause(ADA)
        noted = log.read_bytes()
        target.write_text(shell)
        await _works_alone(ada, "paused")
        assert log.read_bytes() == noted
        target.unlink()

        family = below(agent.pid, table())
        await agent.stop()
        noted = log.read_bytes()
        target.write_text(shell)
        await _works_alone(ada, "over")
        assert log.read_bytes() == noted
        assert not any(pid in table() and table()[pid].alive for pid in family)
        assert b"truded" not in ada.tail and b"scribbled" not in ada.tail


async def _attacks_a_decoy(target: Path, until, done) -> None:
    """What is tried works, where the agent's processes run."""
    ours, theirs = os.openpty()
    os.write(ours, b"bait\n")
    target.write_text(os.ttyname(theirs))
    await until(done)
    target.unlink()
    os.close(theirs)
    os.close(ours)


async def _works_alone(client, word: str) -> None:
    """Whatever is typed into the shell arrives there whole, again and again."""
    for number in range(60):
        await client.type(f"echo {word}-$(({number}+1000))\r")
        await client.shows(f"{word}-{number + 1000}")


# Cleans up, which takes it a while, at one signal. One that knows INT alone has no time left when TERM comes with it.
CLEANS_UP = r"""
    import os, signal, sys, time
    name, path = sys.argv[1:]
    def clean_up(number, frame):
        time.sleep(0.2)
        with open(path, "w") as file:
            file.write(signal.Signals(number).name)
        os._exit(0)
    if name == "SIGTERM":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.Signals[name], clean_up)
    os.write(1, b"up\n")
    while True:
        time.sleep(0.001)
"""
DELAYS = [step / 100 for step in range(13)]  # seconds from the beginning of the pause to the stop


@pytest.mark.long(reason="26 agents are paused and stopped at many moments")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
async def test_an_agent_that_is_stopped_around_a_pause_can_clean_up(room, tmp_path, name):
    async def once(it, delay):
        path = tmp_path / f"{delay}"
        terminal = await it.lasting(program="demo")
        agent = await it.agent(terminal, CLEANS_UP, name, str(path))
        await (await it.join(terminal)).shows("up")
        pausing = asyncio.create_task(terminal.pause(ADA))
        await asyncio.sleep(delay)
        async with asyncio.timeout(20):
            ended = await agent.stop()
        assert isinstance((await asyncio.gather(pausing, return_exceptions=True))[0], Conflict | None)
        assert agent.state == "stopped"
        assert (path.read_text(), ended.code, ended.signal) == (name, 0, None)

    async with room(shell_environment=ENVIRONMENT) as it:
        await asyncio.gather(*(once(it, delay) for delay in DELAYS))


async def test_an_agent_that_cleans_up_is_not_paused_any_more(room, tmp_path):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting(program="demo")
        agent = await it.agent(terminal, CLEANS_UP, "SIGINT", str(tmp_path / "said"))
        await (await it.join(terminal)).shows("up")
        stopping = asyncio.create_task(agent.stop())
        await asyncio.sleep(0)
        with pytest.raises(Conflict):
            await terminal.pause(ADA)
        async with asyncio.timeout(20):
            assert (await stopping).code == 0

"""Who may type: the turn and the soft lock, on real PTYs."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from jupyter_cabinet.core.errors import CabinetError, Conflict, ShuttingDown
from jupyter_cabinet.terminals.model import TypedInput
from jupyter_cabinet.testing.manual_clock import ManualClock

# Shows each read of the raw terminal as it came.
ECHO = r"""
import os, tty
tty.setraw(0)
os.write(1, b"up\n")
while True:
    os.write(1, b"<%r>" % os.read(0, 65536))
"""
DEAF = """
import os, time, tty
tty.setraw(0)
os.write(1, b"up\\n")
time.sleep(600)
"""


async def test_nobody_types_while_the_agent_runs_not_even_the_controller(room):
    async with room() as it:
        terminal = await it.open()
        await it.agent(terminal, ECHO)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ada.shows("up")
        for client in (ada, ben):
            await client.type("x")
            assert await client.saw("input_rejected") == {"type": "input_rejected", "reason": "agent_running"}
        await ada.say("signal", name="INT")
        assert (await ada.saw("input_rejected", 2))["reason"] == "agent_running"


async def test_the_controller_types_while_the_agent_waits_and_others_do_not(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, ECHO)
        ada, ben, guest = (
            await it.join(terminal),
            await it.join(terminal, "ben"),
            await it.join(terminal, "guest", can_execute=False),
        )
        agent.set_state("waiting", "Which file?")
        told = await ada.saw("agent_state", 2)
        assert (told["state"], told["title"], told["reason"]) == ("waiting", "Demo", "Which file?")
        assert told["since"] and told["code"] is None
        await ada.shows("up")
        await ada.type("äb")
        await ada.shows(f"<{'äb'.encode()!r}>")
        await ben.type("c")
        assert (await ben.saw("input_rejected"))["reason"] == "not_controller"
        await guest.type("d")
        assert (await guest.saw("input_rejected"))["reason"] == "read_only"
        agent.set_state("running")
        await ada.type("e")
        assert (await ada.saw("input_rejected"))["reason"] == "agent_running"
        assert terminal.input.last_typist.username == "ada"


async def test_the_server_types_past_the_lock_and_enter_comes_by_itself(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, ECHO)
        ada = await it.join(terminal)
        await ada.shows("up")
        await agent.type(b"\x1b[200~two\nlines\x1b[201~")
        await ada.shows(r"<b'\r'>")
        assert rb"<b'\x1b[200~two\nlines\x1b[201~'><b'\r'>" in ada.tail


async def test_submitting_while_the_agent_waits_is_told_to_the_server(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, ECHO)
        submitted = []
        agent.on_submit(submitted.append)
        ada = await it.join(terminal)
        await ada.type("\r")
        agent.set_state("waiting")
        await ada.type("hello")
        await ada.type("\x1b[200~a\rb\x1b[201~")
        assert submitted == []
        await ada.type("\r")
        assert [person.username for person in submitted] == ["ada"]


async def test_keys_that_wait_when_control_moves_are_dropped_and_the_typist_is_told(room, until):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, DEAF)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ada.shows("up")
        agent.set_state("waiting")
        await ada.type("x" * 200_000)
        await ada.type("y" * 200_000)
        assert (await ada.saw("input_rejected"))["reason"] == "busy"
        await ada.say("grant_control", to="ben")
        assert (await ada.saw("input_rejected", 2))["reason"] == "not_controller"
        await ben.type("z" * 200_000)
        agent.set_state("running")
        assert (await ben.saw("input_rejected"))["reason"] == "agent_running"


async def test_keys_that_wait_when_the_right_to_execute_is_taken_are_dropped(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, DEAF)
        ada = await it.join(terminal)
        await ada.shows("up")
        agent.set_state("waiting")
        await ada.type("x" * 200_000)
        ada.connection.can_execute = False
        terminal.right_changed(ada.connection)
        assert (await ada.saw("input_rejected"))["reason"] == "read_only"


async def test_a_program_that_does_not_read_stops_no_other_terminal(room):
    async with room() as it:
        deaf, other = await it.open(), await it.open()
        (await it.agent(deaf, DEAF)).set_state("waiting")
        (await it.agent(other, ECHO)).set_state("waiting")
        ada, ben = await it.join(deaf), await it.join(other)
        await ada.shows("up")
        await ben.shows("up")
        await ada.type("x" * 300_000)
        await ben.type("hello")
        await ben.shows("hello")


async def test_a_large_paste_arrives_whole(room):
    source = """
        import hashlib, os, tty
        tty.setraw(0)
        os.write(1, b"up\\n")
        digest, left = hashlib.sha256(), 300_000
        while left:
            data = os.read(0, 65536)
            digest.update(data)
            left -= len(data)
        print(digest.hexdigest(), flush=True)
    """
    import hashlib

    async with room() as it:
        terminal = await it.open()
        (await it.agent(terminal, source)).set_state("waiting")
        ada = await it.join(terminal)
        await ada.shows("up")
        text = "".join(chr(97 + number % 26) for number in range(300_000))
        await ada.type(text)
        await ada.shows(hashlib.sha256(text.encode()).hexdigest())


async def test_a_signal_of_the_controller_reaches_the_foreground(room):
    source = """
        import time
        try:
            print("up", flush=True)
            time.sleep(600)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, source)
        ada = await it.join(terminal)
        await ada.shows("up")
        agent.set_state("waiting")
        await ada.say("signal", name="INT")
        await ada.shows("interrupted")
        assert (await agent.wait()).code == 0


async def test_a_program_that_suspends_itself_goes_on(room):
    async with room() as it:
        terminal = await it.open()
        ada = await it.join(terminal)
        await it.agent(terminal, "import os; os.kill(0, 19); print('back')")
        await ada.shows("back")


async def test_two_people_hand_over_control(room):
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, ECHO)
        agent.set_state("waiting")
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ada.shows("up")
        await ben.say("request_control")
        assert (await ada.saw("control_requested"))["by"] == {"username": "ben", "display_name": "Ben"}
        await ada.say("grant_control", to="ben")
        assert (await ben.saw("control_granted"))["controller"]["username"] == "ben"
        await ben.type("from ben")
        await ben.shows("from ben")
        await ada.type("x")
        assert (await ada.saw("input_rejected"))["reason"] == "not_controller"
        moves = [event for event in it.events if type(event).__name__ == "TurnChanged"]
        assert [(move.controller.username, move.why, move.by) for move in moves] == [("ben", "control_granted", "ada")]


async def test_any_tab_of_the_controller_may_type_and_closing_one_changes_nothing(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        terminal = await it.open()
        (await it.agent(terminal, ECHO)).set_state("waiting")
        first, second, ben = await it.join(terminal), await it.join(terminal), await it.join(terminal, "ben")
        await second.shows("up")
        first.connection.drop()
        await second.type("still here")
        await ben.shows("still here")
        second.connection.drop()
        assert (await ben.saw("controller_away"))["grace_seconds"] == 10
        await clock.advance(9.9)
        assert ben.count("control_expired") == 0
        await clock.advance(0.1)
        assert await ben.saw("control_expired") == {"type": "control_expired", "reason": "away"}
        await ben.say("request_control")
        assert (await ben.saw("control_taken"))["controller"]["username"] == "ben"


async def test_the_controller_who_returns_in_time_keeps_control(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        terminal = await it.open()
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        ada.connection.drop()
        await ben.saw("controller_away")
        await clock.advance(4)
        late = await it.join(terminal, "cleo")
        assert late.last("hello")["grace_seconds"] == 6
        await clock.advance(5.9)
        again = await it.join(terminal)
        assert (await ben.saw("controller_back"))["controller"]["username"] == "ada"
        assert again.last("hello")["you"]["primary"]
        assert again.last("hello")["grace_seconds"] is None
        await clock.advance(10)
        assert terminal.control.turn.controller.username == "ada"


async def test_a_terminal_looked_away_from_is_typed_into_again_and_free_control_greets_who_is_alone(room):
    async with room(grace_seconds=0.0) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, ECHO)
        ada = await it.join(terminal)
        ada.connection.drop()
        for _ in range(3):  # a timer of no seconds would have rung
            await asyncio.sleep(0)
        assert terminal.control.turn.controller.username == "ada"
        again = await it.join(terminal)
        assert again.last("hello")["controller"]["username"] == "ada"
        await again.say("revoke_control")
        await again.saw("control_revoked")
        again.connection.drop()
        ben = await it.join(terminal, "ben")
        assert ben.last("hello")["controller"]["username"] == "ben" and ben.last("hello")["you"]["primary"]
        agent.set_state("waiting")
        await ben.type("mine")
        await ben.shows("mine")


async def test_who_submits_takes_control_that_is_free(room):
    async with room() as it:
        terminal = await it.open()
        await it.agent(terminal, ECHO)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        terminal.begin_run("run-1", "Say it", ben.connection.person)
        assert ada.last("hello")["controller"]["username"] == "ada"
        await ada.say("revoke_control")
        await ben.saw("control_revoked")
        terminal.begin_run("run-2", "Say it", ben.connection.person)
        assert (await ada.saw("control_taken"))["controller"]["username"] == "ben"


async def test_with_nobody_there_the_server_answers_the_queries_of_a_program(room):
    source = r"""
        import os, tty
        tty.setraw(0)
        def ask(question):
            os.write(1, question)
            return os.read(0, 100)
        print([ask(q) for q in (b"\x1b[c", b"\x1b[6n", b"\x1b]11;?\x07")], flush=True)
    """
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, source)
        await agent.wait()
        ada = await it.join(terminal)
        await ada.shows(r"[b'\x1b[?1;2c', b'\x1b[1;1R', b'\x1b]11;rgb:0000/0000/0000\x07']")


async def test_the_server_answers_a_query_when_the_primary_keeps_silent(room):
    source = r"""
        import os, tty
        tty.setraw(0)
        os.write(1, b"up\n\x1b[c")
        print(os.read(0, 100), flush=True)
    """
    clock = ManualClock()
    async with room(clock=clock) as it:
        terminal = await it.open()
        ada = await it.join(terminal)
        await it.agent(terminal, source)
        await ada.shows("up")
        await clock.advance(0.9)
        assert "1;2c" not in ada.tail.decode()
        await clock.advance(0.1)
        await ada.shows(r"b'\x1b[?1;2c'")


async def test_a_reply_of_the_primary_passes_while_the_agent_runs_if_it_was_asked_for(room):
    source = r"""
        import os, tty
        tty.setraw(0)
        os.write(1, b"up\n")
        os.read(0, 1)
        os.write(1, b"\x1b[6n")
        print(os.read(0, 100), flush=True)
        print(os.read(0, 100), flush=True)
    """
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, source)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ada.shows("up")
        await ada.say("reply", data="\x1b[9;9R")  # nobody has asked yet
        await agent.type(b"g", submit=False)
        await ada.shows("\x1b[6n")
        await ben.say("reply", data="\x1b[2;2R")  # not the primary
        await ada.say("reply", data="rm -rf x\r")  # no reply at all
        await ada.say("reply", data="\x1b[5;7R")
        await ada.shows(r"b'\x1b[5;7R'")
        await ada.say("reply", data="\x1b[5;7R")  # answered already
        await agent.type(b"end", submit=False)
        await ada.shows("b'end'")


async def test_a_second_agent_is_refused_while_the_first_is_there(room):
    async with room() as it:
        terminal = await it.open()
        await it.agent(terminal, DEAF)
        with pytest.raises(Conflict):
            await it.agent(terminal, DEAF)


async def test_an_agent_that_cannot_be_executed_says_why_and_leaves_nothing(room):
    async with room() as it:
        terminal = await it.open()
        agent = await terminal.programs.start_agent(["/no/such"], cwd="/", environment={}, title="No")
        with pytest.raises(CabinetError, match="was not found"):
            await agent.go()
        assert agent.ended and terminal.programs.exited


async def test_stop_ends_a_stubborn_agent_and_its_strays_and_tells_the_viewers(room, gone):
    source = """
        import os, signal, time
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
        print(os.getpid(), flush=True)
        time.sleep(600)
    """
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, source)
        ada = await it.join(terminal)
        await ada.shows("\n")
        await until_lines(ada, 2)
        from_screen = ada.tail
        async with asyncio.timeout(15):
            ended = await agent.stop()
        assert ended.signal == 9
        assert (await ada.saw("exited"))["signal"] == 9
        await gone(*map(int, from_screen.split()))
        with pytest.raises(Conflict):
            await agent.type(b"x")
        agent.set_state("running")
        assert terminal.programs.agent_state == "stopped"
        await ada.type("x")
        assert (await ada.saw("input_rejected"))["reason"] == "exited"


async def test_presence_and_keys_count_as_activity(room):
    clock = ManualClock()
    async with room(clock=clock) as it:
        terminal = await it.lasting()
        await clock.advance(5)
        assert terminal.idle_seconds() == 5
        ada = await it.join(terminal)
        await clock.advance(5)
        assert terminal.idle_seconds() == 0
        ada.connection.drop()
        await clock.advance(5)
        assert terminal.idle_seconds() == 5
        await terminal.input.type_for(terminal.about.owner, TypedInput(text="x"))
        assert terminal.idle_seconds() == 0


async def test_an_agent_whose_launcher_was_killed_is_over_and_nothing_of_it_is_left(room, gone):
    source = """
        import os, signal, time
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
        print(os.getpid(), flush=True)
        time.sleep(600)
    """
    async with room() as it:
        terminal = await it.open()
        agent = await it.agent(terminal, source)
        ada = await it.join(terminal)
        await until_lines(ada, 2)
        os.kill(agent.pid, signal.SIGKILL)
        async with asyncio.timeout(10):
            assert (await agent.wait()).killed
        ended = await ada.saw("exited")
        assert (ended["code"], ended["signal"]) == (None, None)
        await gone(*map(int, ada.tail.split()))


async def until_lines(client, count):
    async with asyncio.timeout(10):
        while client.tail.count(b"\n") < count:
            await asyncio.sleep(0.01)


async def test_a_terminal_closed_while_its_agent_starts_leaves_nothing(room):
    async with room() as it:
        terminal = await it.open()
        starting = asyncio.create_task(it.agent(terminal, DEAF))
        await asyncio.sleep(0)
        await it.terminals.close(terminal.id, "closed")
        with pytest.raises(CabinetError):
            await starting


async def test_stopping_the_server_ends_every_terminal_at_once_and_tells_the_viewers(room, until):
    async with room() as it:
        terminals = [await it.open() for _ in range(3)]
        agents = [await it.agent(terminal, ECHO) for terminal in terminals]
        viewers = [await it.join(terminal) for terminal in terminals]
        for viewer in viewers:
            await viewer.shows("up")
        async with asyncio.timeout(20):
            await it.terminals.stop()
        assert all(agent.ended for agent in agents)
        await until(lambda: all(viewer.closed for viewer in viewers))
        assert [viewer.log[-1] for viewer in viewers] == ["exited"] * 3
        with pytest.raises(ShuttingDown):
            await it.open()

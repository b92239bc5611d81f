"""A person's shell beside an agent: what is shown when, what it is given, and that nothing of it stays."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import textwrap
from pathlib import Path

import pytest
from harness.waiting import holds

from jupyter_cabinet.core.errors import Conflict, Invalid, NotYourTurn
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.terminals.model import TypedInput
from jupyter_cabinet.testing.manual_clock import ManualClock

ADA = Principal(username="ada", display_name="Ada")
BEN = Principal(username="ben", display_name="Ben")
ENVIRONMENT = {"PATH": os.environ["PATH"], "PS1": "$ ", "HOME": "/"}
# Writes the pids of a family that does not want to end: each of it ignores what can be ignored.
STUBBORN = """
    import os, signal, sys, time
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        os.fork()
    elif os.fork() == 0:
        os.setsid()
        os.fork()
    print(f"pid={os.getpid()};", flush=True)
    time.sleep(600)
"""


def program(source: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", textwrap.dedent(source))


def pids(client) -> set[int]:
    return {int(pid) for pid in re.findall(rb"pid=(\d+);", client.tail)}


async def until_pids(client, count, until):
    await until(lambda: len(pids(client)) >= count)
    return pids(client)


async def test_a_person_opens_a_shell_types_and_leaves_it(room, until):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting()
        assert (terminal.view().name, terminal.view().program, terminal.programs.agent_state) == (
            "Terminal 1",
            "shell",
            None,
        )
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        await ada.type("echo $((6*7))\r")
        await ben.shows("42")
        assert ben.last("replay")["source"] == "shell"
        await ada.type("exit 3\r")
        ended = await ben.saw("exited")
        assert (ended["code"], ended["signal"]) == (3, None)
        assert terminal.view().exited
        await ada.type("x")
        assert (await ada.saw("input_rejected"))["reason"] == "exited"
        late = await it.join(terminal, "cleo")
        assert await late.saw("exited") == ended  # when it was, too


async def test_who_comes_while_the_terminal_is_being_closed_is_sent_away(room):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting()
        await it.terminals.close(terminal.id, "Closed by Ada.")
        late = await it.unattached(terminal)
        await late.say("attach", cols=80, rows=24)
        assert late.closed == (1000, "Closed by Ada.") and late.frames == []


async def test_a_newcomer_learns_when_the_agent_has_ended(room):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting()
        ada = await it.join(terminal)
        agent = await it.agent(terminal, "raise SystemExit(5)")
        await agent.wait()
        await holds(lambda: ada.count("agent_state") > 0 and ada.last("agent_state")["state"] == "stopped")
        told = ada.last("agent_state")
        assert told["code"] == 5 and told["ended_at"] is not None
        late = await it.join(terminal, "ben")
        assert await late.saw("agent_state") == told


async def test_a_shell_gets_the_environment_it_is_given_a_utf_8_locale_and_pipes_that_break(room):
    async with room(shell_environment={**ENVIRONMENT, "MINE": "yes", "LC_ALL": "C"}) as it:
        ada = await it.join(await it.lasting())
        await ada.type("echo $MINE-$TERM-$LC_CTYPE-$COLORTERM; yes | head -1; echo over\r")
        await ada.shows("yes-xterm-256color-C.UTF-8-truecolor\r\ny\r\nover")  # nothing of a broken pipe


async def test_a_program_instead_of_a_shell(room):
    async with room() as it:
        terminal = await it.lasting(command=program("print('mine', flush=True); input(); raise SystemExit(4)"))
        ada = await it.join(terminal)
        await ada.shows("mine")
        assert terminal.view().program == Path(sys.executable).name
        await ada.type("\r")
        assert (await ada.saw("exited"))["code"] == 4


@pytest.mark.parametrize("name", ["/no/such", "nope"])
async def test_a_program_that_there_is_not_leaves_no_terminal_and_the_answer_names_the_field(room, name: str):
    async with room() as it:
        with pytest.raises(
            Invalid, match=f"^{name} was not found, or is not a program\\. Check the command\\.$"
        ) as refused:
            await it.lasting(command=(name,))
        assert refused.value.detail == {"field": "command"}
        assert it.terminals.list(ADA) == [] and it.events == []


@pytest.mark.slow(reason="each step of the escalation has its time")
async def test_closing_ends_all_that_was_started_in_it_however_stubborn(room, until, gone, tmp_path):
    script = tmp_path / "stubborn.py"
    script.write_text(textwrap.dedent(STUBBORN))
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting()
        ada = await it.join(terminal)
        started = f"nohup sh -c 'exec {sys.executable} -S {script} > /dev/tty' 2> /dev/null | cat &"
        await ada.type(f"{started}\rsleep 600 & echo pid=$!';'; echo pid=$$';'\r")
        found = await until_pids(ada, 7, until)
        async with asyncio.timeout(20):
            await it.terminals.close_for(terminal.id, ADA)
        await gone(*found)


async def test_the_end_of_a_shell_is_the_end_of_its_jobs(room, until, gone):
    async with room(shell_environment=ENVIRONMENT) as it:
        ada = await it.join(await it.lasting())
        await ada.type("(trap '' HUP; exec sleep 600) & echo pid=$!';'; echo pid=$$';'\r")
        found = await until_pids(ada, 2, until)
        await ada.type("exit\r")
        await ada.saw("exited")
        await gone(*found)


async def test_the_shell_gives_way_to_an_agent_and_takes_over_when_it_ends(room):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting()
        ada = await it.join(terminal)
        await ada.type("remembered=yes\r")
        await ada.shows("remembered=yes")
        agent = await it.agent(terminal, "print('at work', flush=True); input(); raise SystemExit(5)")
        await ada.shows("at work")
        assert (ada.last("replay")["source"], ada.last("agent_state")["state"]) == ("agent", "running")
        await ada.type("x")
        assert (await ada.saw("input_rejected"))["reason"] == "agent_running"
        await agent.type(b"\n", submit=False)
        await agent.wait()
        await ada.saw("replay", 3)
        assert ada.last("replay")["source"] == "shell"
        told = ada.last("agent_state")
        assert (told["state"], told["code"], told["title"]) == ("stopped", 5, "Demo")
        assert ada.count("exited") == 0
        await ada.type("echo still-$remembered\r")
        await ada.shows("still-yes")


async def test_an_agent_opens_a_terminal_and_leaves_a_shell(room):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting(program="demo")
        ada = await it.join(terminal)
        assert terminal.display.shown is None
        agent = await it.agent(terminal, "print('hello', flush=True)")
        await agent.wait()
        await ada.type("echo $((6*7))\r")
        await ada.shows("42")


async def test_a_runs_own_terminal_ends_with_its_agent_and_so_does_the_shell_of_a_pause(room, until, gone):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.open()
        agent = await it.agent(terminal, "print('hello', flush=True); input()")
        ada = await it.join(terminal)
        await ada.shows("hello")
        await terminal.pause(ADA)
        await ada.type("echo pid=$$';'\r")
        found = await until_pids(ada, 1, until)
        await agent.stop()
        assert (await ada.saw("exited"))["code"] is not None or ada.last("exited")["signal"]
        await ada.shows("hello")
        await gone(*found)
        await ada.type("x")
        assert (await ada.saw("input_rejected"))["reason"] == "exited"


async def test_what_a_client_has_of_an_earlier_shell_or_agent_never_fits_the_new_one(room):
    clock = ManualClock()
    async with room(clock=clock, shell_environment=ENVIRONMENT, stopped_kept_seconds=1.0) as it:
        terminal = await it.lasting()
        ends = {"shell": -1, "agent": -1}
        for _ in range(2):
            agent = await it.agent(terminal, "print('x' * 5000, flush=True)")
            await agent.wait()
            assert agent.screen.ring.start > ends["agent"]
            ends["agent"] = agent.screen.ring.end
            assert terminal.display.shown.source == "shell" and terminal.display.shown.ring.start > ends["shell"]
            ada = await it.join(terminal)
            await clock.advance(1)
            assert terminal.programs.agent is None
            await ada.type("exit\r")
            await ada.saw("exited")
            ends["shell"] = terminal.display.shown.ring.end


async def test_an_agent_that_has_ended_is_spoken_of_for_a_while(room):
    clock = ManualClock()
    async with room(clock=clock, silence_seconds=3600.0) as it:
        terminal = await it.lasting()
        ada = await it.join(terminal)
        await (await it.agent(terminal, "pass")).wait()
        await clock.advance(1799)
        assert terminal.programs.agent_state == "stopped"
        await clock.advance(1)
        assert (await ada.saw("agent_state", 4))["state"] is None
        assert terminal.view().agent_title is None
        states = [event.terminal.agent_state for event in it.events if type(event).__name__ == "TerminalChanged"]
        assert [state for state in states if state != "ending"] == ["running", "stopped", None]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process's folder")
async def test_everybody_is_told_where_the_shell_has_gone_and_a_newcomer_too(room):
    clock = ManualClock()
    async with room(clock=clock, shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting()
        ada = await it.join(terminal)
        await ada.type("cd /usr/lib; echo the''re\r")
        await ada.shows("there")
        await clock.advance(0.1)
        assert (await ada.saw("cwd"))["path"] == "/usr/lib"
        assert terminal.programs.folder == "/usr/lib" and terminal.view().cwd == "/"
        assert (await (await it.join(terminal, "ben")).saw("cwd"))["path"] == "/usr/lib"
        await ada.type("cd /usr; echo ov''er\r")
        await ada.shows("over")
        await clock.advance(0.8)
        assert ada.count("cwd") == 1, "it is looked up at most once a second"
        await clock.advance(0.3)
        assert (await ada.saw("cwd", 2))["path"] == "/usr"


async def test_the_title_is_that_of_the_program_that_is_shown(room):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting()
        ada = await it.join(terminal)
        await ada.type("printf '\\033]2;mine\\007'\r")
        assert (await ada.saw("title"))["text"] == "mine"
        agent = await it.agent(terminal, r"print('\033]2;its\007', end='', flush=True); input()")
        assert (await ada.saw("title", 3))["text"] == "its"
        assert (await (await it.join(terminal, "ben")).saw("title"))["text"] == "its"
        await agent.stop()
        assert (await ada.saw("title", 4))["text"] == "mine"


# --- typed over the API ----------------------------------------------------------------------


async def test_a_text_is_typed_for_the_controller_and_entered(room):
    async with room(shell_environment=ENVIRONMENT) as it:
        terminal = await it.lasting()
        ben = await it.join(terminal, "ben")
        await terminal.input.type_for(ADA, TypedInput(text="echo $((6*7))", submit=True))  # she need not be connected
        await ben.shows("42")
        assert terminal.input.last_typist.username == "ada"
        with pytest.raises(NotYourTurn):
            await terminal.input.type_for(BEN, TypedInput(text="x"))
        with pytest.raises(Invalid):
            await terminal.input.type_for(ADA, TypedInput(text="x" * (1 << 20) + "x"))


async def test_a_text_is_refused_with_a_sentence_where_keys_are(room):
    async with room() as it:
        terminal = await it.lasting()
        agent = await it.agent(terminal, "input()")
        with pytest.raises(Conflict, match="An agent is running") as running:
            await terminal.input.type_for(ADA, TypedInput(text="x"))
        assert running.value.detail["reason"] == "agent_running"
        await agent.stop()
        ada = await it.join(terminal)
        await ada.type("exit\r")
        await ada.saw("exited")
        with pytest.raises(Conflict) as over:
            await terminal.input.type_for(ADA, TypedInput(text="x"))
        assert over.value.detail["reason"] == "exited"


async def test_a_text_for_a_program_that_does_not_read_is_given_up_and_dropped(room, monkeypatch):
    monkeypatch.setattr("jupyter_cabinet.terminals.programs.input.TAKEN_SECONDS", 0.2)
    async with room() as it:
        source = "import time, tty; tty.setraw(0); print('up', flush=True); time.sleep(600)"
        terminal = await it.lasting(command=program(source))
        ada = await it.join(terminal)
        await ada.shows("up")
        with pytest.raises(Conflict) as refused:
            await terminal.input.type_for(ADA, TypedInput(text="x" * 200_000, submit=True))
        assert refused.value.detail["reason"] == "busy"
        assert terminal.programs.keyboard.input.has_room(1)


async def test_a_text_that_waits_is_dropped_when_control_moves(room):
    async with room() as it:
        source = "import time, tty; tty.setraw(0); print('up', flush=True); time.sleep(600)"
        terminal = await it.lasting(command=program(source))
        ada = await it.join(terminal)
        await it.join(terminal, "ben")
        await ada.shows("up")
        typing = asyncio.create_task(terminal.input.type_for(ADA, TypedInput(text="x" * 200_000)))
        await asyncio.sleep(0)
        await ada.say("grant_control", to="ben")
        with pytest.raises(NotYourTurn):
            await typing


# --- culling ---------------------------------------------------------------------------------


async def test_a_terminal_nobody_uses_is_closed_but_never_with_an_agent_in_it(room, until):
    clock = ManualClock()
    settings = {"terminal_idle_seconds": 3600.0, "silence_seconds": 1e6, "shell_environment": ENVIRONMENT}
    async with room(clock=clock, **settings) as it:
        watched = await it.lasting()
        ada = await it.join(watched)
        working = await it.lasting()
        agent = await it.agent(working, "input()")
        idle = await it.lasting()
        await holds(lambda: all(each.display.shown.ring.end for each in (watched, idle)))  # their prompts
        await clock.advance(3599)
        assert len(it.terminals.list(ADA)) == 3
        await clock.advance(1)
        await until(lambda: [each.id for each in it.terminals.list(ADA)] == [watched.id, working.id])
        agent.set_state("waiting")
        ada.connection.drop()
        await clock.advance(3600)
        await until(lambda: [each.id for each in it.terminals.list(ADA)] == [working.id])
        await agent.stop()
        await holds(lambda: working.display.shown.source == "shell" and working.display.shown.ring.end > 0)
        await clock.advance(3600)
        await until(lambda: [type(event).__name__ for event in it.events].count("TerminalClosed") == 3)
        reasons = {event.reason for event in it.events if type(event).__name__ == "TerminalClosed"}
        assert reasons == {"Nobody has used it for a while."} and idle.closed_because in reasons

"""Questions of working agents: several at once, a record that cannot be written, a run that ends, another server's."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
from harness.rooms import ADA, Place, ended, submit
from harness.waiting import holds

from jupyter_cabinet.core.errors import Conflict, NoRoom, NotAllowed
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.house import House
from jupyter_cabinet.runs import ledger, service
from jupyter_cabinet.runs.model import Approval, ApprovalFilter, NewAnswer, Run, RunResult
from jupyter_cabinet.terminals.model import TypedInput

pytestmark = pytest.mark.slow(reason="starts real agents")
ALLOW, DENY = NewAnswer(option="allow"), NewAnswer(option="deny")


async def asked(house: House, run: Run) -> Approval:
    """The run's open question."""
    found: list[Approval] = []

    async def look() -> bool:
        found[:] = await house.approvals.find(ApprovalFilter(run_id=run.id, waiting=True), ADA)
        return bool(found)

    for _ in range(1000):
        if await look():
            return found[0]
        await asyncio.sleep(0.01)
    raise AssertionError("it never asked")


async def ask(house: House, instruction: str = "append: one", **fields: Any) -> tuple[Run, Approval]:
    run = await submit(house, instruction, permission_mode="ask", **{"mode": "headless", **fields})
    return run, await asked(house, run)


async def test_an_answer_that_cannot_be_recorded_is_not_given_and_the_question_stays_open(tmp_path: Path) -> None:
    async with Place(tmp_path).house() as house:
        run, approval = await ask(house)
        write, house.database.write = house.database.write, no_room  # type: ignore[method-assign]
        with pytest.raises(NoRoom):
            await house.approvals.answer(approval.id, ALLOW, ADA)
        house.database.write = write  # type: ignore[method-assign]
        assert (await house.runs.get(run.id, ADA)).state == "waiting"
        assert (await house.approvals.answer(approval.id, ALLOW, ADA)).outcome == "Allowed once"
        assert (await ended(house, run)).state == "succeeded"


async def no_room(work: object) -> Any:
    raise NoRoom


async def test_one_answer_of_many_counts_in_whatever_order_they_come(tmp_path: Path) -> None:
    async with Place(tmp_path).house() as house:
        run, approval = await ask(house)
        answers = [house.approvals.answer(approval.id, new, ADA) for new in (ALLOW, DENY) * 5]
        done = await asyncio.gather(*answers, return_exceptions=True)
        given = [each for each in done if isinstance(each, Approval)]
        assert len(given) == 1
        assert all(isinstance(each, Conflict) for each in done if each is not given[0])
        assert (await house.approvals.get(approval.id, ADA)) == given[0]
        await ended(house, run)


async def test_two_agents_ask_and_each_hears_its_own_answer(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.house() as house:
        edit = "You are editing a.md.\n\nappend: {}"
        first, one = await ask(house, edit.format("one"), kind="manual", path=None)
        second, two = await ask(house, edit.format("two"), kind="manual", path=None)
        await house.approvals.answer(two.id, ALLOW, ADA)
        await house.approvals.answer(one.id, DENY, ADA)
        await ended(house, first)
        await ended(house, second)
        text = place.document.read_text()
        assert "two" in text
        assert "one" not in text


async def test_a_question_of_another_server_is_answered_there(tmp_path: Path) -> None:
    async with Place(tmp_path).house() as house:
        run, approval = await ask(house)
        held = house.approvals._open.pop(approval.id)
        with pytest.raises(Conflict, match="Another server works in this folder"):
            await house.approvals.answer(approval.id, ALLOW, ADA)
        house.approvals._open[approval.id] = held
        await house.approvals.answer(approval.id, ALLOW, ADA)
        await ended(house, run)


async def test_a_program_answers_nothing_whoever_it_acts_for(tmp_path: Path) -> None:
    async with Place(tmp_path).house() as house:
        _, approval = await ask(house)
        program = Principal(username=ADA.username, display_name="Ada", origin="token", administrator=True)
        with pytest.raises(NotAllowed, match="at a browser"):
            await house.approvals.answer(approval.id, ALLOW, program)


async def test_the_time_in_which_a_person_is_asked_does_not_count(tmp_path: Path) -> None:
    async with Place(tmp_path).house() as house:
        run, approval = await ask(house)
        live = house.runs._records.live[run.id]
        assert live.progress is not None
        assert live.progress.waiting_since is not None
        await house.approvals.answer(approval.id, ALLOW, ADA)
        await holds(lambda: live.progress is not None and live.progress.waiting_since is None)
        await ended(house, run)


async def test_a_hook_that_nobody_will_answer_is_let_go_at_once(tmp_path: Path) -> None:
    """Else a CLI that shows its own box only after the hook would wait for a day."""
    async with Place(tmp_path).house() as house:
        run = await submit(house, "append: one", mode="terminal")
        await ended(house, run)
        (cli,) = house.runs._worker.clis.values()
        hook = {"hook_event_name": "PermissionRequest", "tool_name": "Edit", "tool_input": {"file_path": "x"}}
        async with asyncio.timeout(15):
            assert await cli.on_hook(msgspec.json.encode(hook), asyncio.Event()) == b""


async def closed(house: House, approval: Approval) -> Approval:
    """The question once it no longer waits."""
    async with asyncio.timeout(10):
        while (now := await house.approvals.get(approval.id, ADA)).state == "waiting":
            await asyncio.sleep(0.01)
    return now


def end_hooks(place: Place) -> None:
    """As a CLI, or the system, ends the programs that wait for an answer."""
    for process in psutil.process_iter(["cmdline"]):
        line = process.info["cmdline"] or []
        if line and line[-1].startswith(str(place.folder / "d")) and "hook.py" in " ".join(line):
            process.kill()


async def test_a_question_whose_hook_is_gone_is_left_to_the_terminal(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.house() as house:
        run, approval = await ask(house, mode="terminal")
        end_hooks(place)
        over = await closed(house, approval)
        assert (over.state, over.outcome) == ("withdrawn", "Left to the terminal")
        assert (await house.runs.get(run.id, ADA)).state == "waiting"
        with pytest.raises(Conflict, match="no longer open"):
            await house.approvals.answer(approval.id, ALLOW, ADA)
        await house.terminals.find(over.terminal_id or "").input.type_for(ADA, TypedInput(text="y"))
        assert (await ended(house, run)).state == "succeeded"


async def test_what_nobody_hears_is_not_put_on_record_as_an_answer(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.house() as house:
        run, approval = await ask(house, mode="terminal")
        (cli,) = house.runs._worker.clis.values()
        end_hooks(place)
        await holds(lambda: not cli._hooks.listens(approval.question_id))
        with pytest.raises(Conflict, match="Nobody was there any more to hear the answer"):
            await house.approvals.answer(approval.id, ALLOW, ADA)
        over = await house.approvals.get(approval.id, ADA)
        assert (over.state, over.option, over.answered_by) == ("withdrawn", None, None)
        assert (await house.runs.get(run.id, ADA)).state == "waiting"


async def test_while_one_of_two_questions_is_open_in_a_terminal_people_may_type(tmp_path: Path) -> None:
    async with Place(tmp_path).house() as house:
        run, first = await ask(house, mode="terminal")
        (cli,) = house.runs._worker.clis.values()
        hook = {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "make"}}
        waiting = asyncio.create_task(cli.on_hook(msgspec.json.encode(hook), asyncio.Event()))
        await holds(lambda: len(house.approvals._open) == 2)
        second = await asked(house, run)
        await house.approvals.answer(second.id, ALLOW, ADA)
        assert b"allow" in await waiting
        assert cli._agent is not None
        assert (cli._agent.state, cli._agent.reason) == ("waiting", first.question)
        await house.approvals.answer(first.id, ALLOW, ADA)
        assert cli._agent.state == "running"
        assert (await ended(house, run)).state == "succeeded"


async def test_a_question_of_a_server_that_died_meanwhile_is_closed_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "RENEW_EVERY_SECONDS", 0.05)
    async with Place(tmp_path).house() as house:
        run, approval = await ask(house)
        await house.approvals.answer(approval.id, ALLOW, ADA)
        await ended(house, run)
        left = msgspec.structs.replace(approval, id="0")  # as another server put it on record and left it
        await house.database.write(lambda c: ledger.insert_approval(c, left))
        assert (await closed(house, left)).outcome == "The run ended before anybody answered"


async def test_a_question_that_cannot_be_put_on_record_is_denied_and_the_run_goes_on(tmp_path: Path) -> None:
    async with Place(tmp_path).house() as house:
        database = house.approvals._database
        house.approvals._database = FullDisk()  # type: ignore[assignment]
        run = await submit(house, "append: one", permission_mode="ask", mode="headless")
        over = await ended(house, run)
        house.approvals._database = database
        assert (over.state, over.result) == ("succeeded", RunResult(text="The question could not be put on record."))


class FullDisk:
    async def write(self, work: object) -> Any:
        raise NoRoom


async def test_a_question_that_follows_an_answer_at_once_makes_the_run_wait(tmp_path: Path) -> None:
    async with Place(tmp_path).house() as house:
        run, _ = await ask(house)
        records = house.runs._records
        live = records.live[run.id]
        await asyncio.gather(records.advance(live, "running"), records.wait_for(live, "And this?"))
        assert (live.run.state, live.run.reason) == ("waiting", "And this?")

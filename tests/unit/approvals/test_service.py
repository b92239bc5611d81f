"""Questions of working agents: several at once, a record that cannot be written, a run that ends, another server's."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
from harness.backend import ADA, Place, ended, submit, waiting_are
from harness.values import NOW
from harness.waiting import QUERY_SECONDS, holds

from jupyter_cabinet.approvals import outcomes, store
from jupyter_cabinet.approvals.model import Approval, ApprovalFilter, NewAnswer
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Conflict, NoRoom, NotAllowed
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs.dispatch import upkeep
from jupyter_cabinet.runs.model import Run, RunResult
from jupyter_cabinet.runs.rules import lifecycle
from jupyter_cabinet.runtimes.model import AnswerOption
from jupyter_cabinet.terminals.model import TypedInput

pytestmark = pytest.mark.slow(reason="starts real agents")
ALLOW, DENY = NewAnswer(option="allow"), NewAnswer(option="deny")


async def asked(backend: Backend, run: Run) -> Approval:
    """The run's open question."""
    found: list[Approval] = []

    async def look() -> bool:
        found[:] = await backend.approvals.find(ApprovalFilter(run_id=run.id, waiting=True), ADA)
        return bool(found)

    for _ in range(1000):
        if await look():
            return found[0]
        await asyncio.sleep(QUERY_SECONDS)
    raise AssertionError("it never asked")


async def ask(backend: Backend, instruction: str = "append: one", **fields: Any) -> tuple[Run, Approval]:
    run = await submit(backend, instruction, permission_mode="ask", **{"mode": "headless", **fields})
    return run, await asked(backend, run)


async def test_an_answer_that_cannot_be_recorded_is_not_given_and_the_question_stays_open(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run, approval = await ask(backend)
        write, backend.database.write = backend.database.write, no_room  # type: ignore[method-assign]
        with pytest.raises(NoRoom):
            await backend.approvals.answer(approval.id, ALLOW, ADA)
        backend.database.write = write  # type: ignore[method-assign]
        assert (await backend.runs.get(run.id, ADA)).state == "waiting"
        assert (await backend.approvals.answer(approval.id, ALLOW, ADA)).outcome == "Allowed once"
        assert (await ended(backend, run)).state == "succeeded"


async def no_room(work: object, **named: object) -> Any:
    raise NoRoom


async def test_one_answer_of_many_counts_in_whatever_order_they_come(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run, approval = await ask(backend)
        answers = [backend.approvals.answer(approval.id, new, ADA) for new in (ALLOW, DENY) * 5]
        done = await asyncio.gather(*answers, return_exceptions=True)
        given = [each for each in done if isinstance(each, Approval)]
        assert len(given) == 1
        assert all(isinstance(each, Conflict) for each in done if each is not given[0])
        assert (await backend.approvals.get(approval.id, ADA)) == given[0]
        await ended(backend, run)


async def test_two_agents_ask_and_each_hears_its_own_answer(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        edit = "You are editing a.md.\n\nappend: {}"
        first, one = await ask(backend, edit.format("one"), kind="manual", path=None)
        second, two = await ask(backend, edit.format("two"), kind="manual", path=None)
        await backend.approvals.answer(two.id, ALLOW, ADA)
        await backend.approvals.answer(one.id, DENY, ADA)
        await ended(backend, first)
        await ended(backend, second)
        text = place.document.read_text()
        assert "two" in text
        assert "one" not in text


async def test_a_question_of_another_server_is_answered_there(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run, approval = await ask(backend)
        async with place.backend() as elsewhere:
            with pytest.raises(Conflict, match="belongs to another server"):
                await elsewhere.approvals.answer(approval.id, ALLOW, ADA)
        await backend.approvals.answer(approval.id, ALLOW, ADA)
        await ended(backend, run)


async def test_a_program_answers_nothing_whoever_it_acts_for(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        _, approval = await ask(backend)
        program = Principal(username=ADA.username, display_name="Ada", origin="token", administrator=True)
        with pytest.raises(NotAllowed, match="in the browser"):
            await backend.approvals.answer(approval.id, ALLOW, program)


async def test_the_time_in_which_a_person_is_asked_does_not_count(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run, approval = await ask(backend)
        live = backend.records.live[run.id]
        assert live.progress is not None
        assert live.progress.waiting_since is not None
        await backend.approvals.answer(approval.id, ALLOW, ADA)
        await holds(lambda: live.progress is not None and live.progress.waiting_since is None)
        await ended(backend, run)


async def test_a_hook_that_nobody_will_answer_is_let_go_at_once(tmp_path: Path) -> None:
    """Else a CLI that shows its own box only after the hook would wait for a day."""
    async with Place(tmp_path).backend() as backend:
        run = await submit(backend, "append: one", mode="terminal")
        await ended(backend, run)
        (cli,) = backend.executor.clis.by_session.values()
        hook = {"hook_event_name": "PermissionRequest", "tool_name": "Edit", "tool_input": {"file_path": "x"}}
        async with asyncio.timeout(15):
            assert await cli.on_hook(msgspec.json.encode(hook), asyncio.Event()) == b""


async def closed(backend: Backend, approval: Approval) -> Approval:
    """The question once it no longer waits."""
    async with asyncio.timeout(10):
        while (now := await backend.approvals.get(approval.id, ADA)).state == "waiting":
            await asyncio.sleep(QUERY_SECONDS)
    return now


def end_hooks(place: Place) -> None:
    """As a CLI, or the system, ends the programs that wait for an answer."""
    for process in psutil.process_iter(["cmdline"]):
        line = process.info["cmdline"] or []
        if line and line[-1].startswith(str(place.folder / "d")) and "hook.py" in " ".join(line):
            process.kill()


async def test_a_question_whose_hook_is_gone_is_left_to_the_terminal(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run, approval = await ask(backend, mode="terminal")
        end_hooks(place)
        over = await closed(backend, approval)
        assert (over.state, over.outcome) == ("withdrawn", "Left to the terminal")
        assert (await backend.runs.get(run.id, ADA)).state == "waiting"
        with pytest.raises(Conflict, match="no longer open"):
            await backend.approvals.answer(approval.id, ALLOW, ADA)
        await backend.terminals.find(over.terminal_id or "").input.type_for(ADA, TypedInput(text="y"))
        assert (await ended(backend, run)).state == "succeeded"


async def test_what_nobody_hears_is_not_put_on_record_as_an_answer(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run, approval = await ask(backend, mode="terminal")
        (cli,) = backend.executor.clis.by_session.values()
        end_hooks(place)
        await holds(lambda: not cli.questions.is_heard(approval.question_id))
        with pytest.raises(Conflict, match="Nobody was waiting for the answer any more"):
            await backend.approvals.answer(approval.id, ALLOW, ADA)
        over = await backend.approvals.get(approval.id, ADA)
        assert (over.state, over.option, over.answered_by) == ("withdrawn", None, None)
        assert (await backend.runs.get(run.id, ADA)).state == "waiting"


@pytest.mark.parametrize(("done", "told"), [(True, "Allowed"), (False, "Denied")])
async def test_an_answer_that_the_terminal_was_faster_with_is_corrected_on_record(
    tmp_path: Path, done: bool, told: str
) -> None:
    async with Place(tmp_path).backend() as backend:
        run, approval = await ask(backend, mode="terminal")
        await backend.approvals.answer(approval.id, ALLOW, ADA)
        await backend.approvals.overrule(run.id, approval.question_id, done=done)
        over = await backend.approvals.get(approval.id, ADA)
        assert over.outcome == f"{told} in the terminal, before the answer given here arrived"
        assert (over.state, over.option, over.answered_by) == ("withdrawn", None, None)
        await ended(backend, run)


async def test_while_one_of_two_questions_is_open_in_a_terminal_people_may_type(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run, first = await ask(backend, mode="terminal")
        (cli,) = backend.executor.clis.by_session.values()
        hook = {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "make"}}
        waiting = asyncio.create_task(cli.on_hook(msgspec.json.encode(hook), asyncio.Event()))
        await waiting_are(backend, 2)
        second = await asked(backend, run)
        await backend.approvals.answer(second.id, ALLOW, ADA)
        assert b"allow" in await waiting
        agent = cli.terminal.programs.agent
        assert agent is not None
        assert (agent.state, agent.reason) == ("waiting", first.question)
        await backend.approvals.answer(first.id, ALLOW, ADA)
        assert agent.state == "running"
        assert (await ended(backend, run)).state == "succeeded"


async def test_a_question_of_a_server_that_died_meanwhile_is_closed_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "RENEW_EVERY_SECONDS", 0.05)
    async with Place(tmp_path).backend() as backend:
        run, approval = await ask(backend)
        await backend.approvals.answer(approval.id, ALLOW, ADA)
        await ended(backend, run)
        left = msgspec.structs.replace(approval, id="0")  # as another server put it on record and left it
        await backend.database.write(lambda c: store.insert_approval(c, left))
        assert (await closed(backend, left)).outcome == "The run ended before anybody answered"


async def test_a_question_that_cannot_be_put_on_record_is_denied_and_the_run_goes_on(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        commits = backend.approvals._commits
        backend.approvals._commits = FullDisk()  # type: ignore[assignment]
        run = await submit(backend, "append: one", permission_mode="ask", mode="headless")
        over = await ended(backend, run)
        backend.approvals._commits = commits
        assert (over.state, over.result) == ("succeeded", RunResult(text="The question could not be recorded."))


class FullDisk:
    async def commit(self, *work: object) -> Any:
        raise NoRoom


async def test_a_question_that_follows_an_answer_at_once_makes_the_run_wait(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run, approval = await ask(backend)
        live = backend.records.live[run.id]
        answered = lifecycle.answered(live.life, approval.question_id)
        asked_again = lifecycle.asked(answered.life, lifecycle.Question("2", "And this?"))
        await asyncio.gather(backend.records.put(live, answered), backend.records.put(live, asked_again))
        assert (live.run.state, live.run.reason) == ("waiting", "And this?")


@pytest.mark.parametrize(("answer", "denied"), [(ALLOW, 0), (DENY, 1)])
async def test_a_run_says_how_many_of_its_questions_ended_with_no(
    tmp_path: Path, answer: NewAnswer, denied: int
) -> None:
    async with Place(tmp_path).backend() as backend:
        run, approval = await ask(backend)
        await backend.approvals.answer(approval.id, answer, ADA)
        assert (await ended(backend, run)).denied == denied


async def test_a_question_that_nobody_answers_counts_as_denied(tmp_path: Path) -> None:
    async with Place(tmp_path).backend(approval_seconds=0.5) as backend:
        run, _ = await ask(backend)
        assert (await ended(backend, run)).denied == 1


def example_approval(**fields: Any) -> Approval:
    texts = ("id", "run_id", "question_id", "session_id", "runtime_title", "instruction", "title", "question", "folder")
    values = {**dict.fromkeys((*texts, "owner", "owner_name"), "x"), "kind": "command", "visibility": "server"}
    times = {"asked_at": NOW, "expires_at": NOW}
    return Approval(**{**values, **times, "options": (), "state": "answered", **fields})


def test_what_the_terminal_decided_counts_and_not_the_answer_that_came_too_late() -> None:
    option = AnswerOption(id="deny", label="Deny", kind="deny")
    late = {"options": (option,), "option": "deny"}
    assert not outcomes.was_denied(example_approval(**late, outcome=outcomes.overruled(done=True)))
    assert outcomes.was_denied(example_approval(**late, outcome="Denied"))
    assert outcomes.was_denied(example_approval(outcome=outcomes.overruled(done=False)))
    assert not outcomes.was_denied(example_approval(outcome="Allowed once"))

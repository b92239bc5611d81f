"""`Cabinet` against a real server, waited for and awaited."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from harness.server import Server, until

from jupyter_cabinet import Cabinet
from jupyter_cabinet.client import CabinetError, RequestRefused, RunFailed, RunResult
from jupyter_cabinet.client.api import Api
from jupyter_cabinet.runtimes.model import AnswerFinished, TextBlock, TextDelta, ToolCall

pytestmark = pytest.mark.slow(reason="starts a server, and runs of the demo agent")

HELLO = "reply with the single word hello"


def test_what_a_run_has_changed_and_the_record_of_it(cabinet: Cabinet, server: Server) -> None:
    (server.root / "recorded.md").write_text("one\n")
    with server.client("root") as client:
        told = server.run(client, "append: two", kind="editor", path="recorded.md", mode="headless")
    run = cabinet.attach(told["id"])
    (file,) = run.changes().files
    assert (file.path, file.counts.added) == ("recorded.md", 2)
    assert [line.sign + line.text for line in run.diff("recorded.md").parts[0].lines] == [" one", "+", "+two"]
    (entry,) = cabinet.activity(path="recorded.md", changed=True, person=told["trigger"]["username"])
    assert (entry.run.id, entry.files, entry.asked) == (run.id, (file,), ())
    assert cabinet.activity(asked=True, path="recorded.md") == ()
    assert cabinet.activity(until=entry.run.queued_at, path="recorded.md") == ()
    assert len(cabinet.activity(since=entry.run.queued_at, path="recorded.md")) == 1


# --- runs ------------------------------------------------------------------------------------


def test_a_run_is_accepted_followed_and_has_a_result(cabinet: Cabinet) -> None:
    run = cabinet.run(HELLO)
    assert run.state == "queued" and run.id in repr(run)
    events = list(run)
    assert TextBlock(text="hello") in events and isinstance(events[-1], AnswerFinished)
    kept = [event for event in events if not isinstance(event, TextDelta)]
    assert run.state == "succeeded" and list(run) == kept  # pieces are for readers of the moment
    result = run.result()
    assert (result.run_id, result.state, str(result), result.messages) == (run.id, "succeeded", "hello", ("hello",))
    assert result._repr_markdown_() == "hello" and (result.duration_seconds or 0) > 0


def test_a_run_is_awaited_without_holding_up_the_loop(cabinet: Cabinet) -> None:
    async def work() -> tuple[RunResult, int]:
        run = cabinet.run("sleep 1")
        assert run.state == "submitting" or run.state == "queued"
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.ensure_future(count())
        result = await run
        counting.cancel()
        return result, turns

    result, turns = asyncio.run(work())
    assert result.state == "succeeded" and turns > 100


def test_its_events_are_followed_in_async_code(cabinet: Cabinet) -> None:
    async def work() -> list[object]:
        async with Cabinet(cabinet.url, token=cabinet._api.server.token) as other:
            return [event async for event in other.run(HELLO)]

    assert TextBlock(text="hello") in asyncio.run(work())


def test_what_a_server_refuses_is_raised_at_once_and_in_async_code_when_it_is_awaited(cabinet: Cabinet) -> None:
    with pytest.raises(RequestRefused, match="no such agent") as refused:
        cabinet.run(HELLO, agent="nobody")
    assert refused.value.kind == "not_found"

    async def work() -> None:
        run = cabinet.run(HELLO, agent="nobody")
        with pytest.raises(RequestRefused, match="no such agent"):
            await run
        with pytest.raises(RequestRefused, match="no such agent"):
            await run.accepted.aio()
        with pytest.raises(RequestRefused):
            _ = run.id

    asyncio.run(work())


def test_a_refusal_that_nobody_asks_for_is_logged(cabinet: Cabinet, caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        run = cabinet.run(HELLO, agent="nobody")
        while not run._submission.done():
            await asyncio.sleep(0.01)  # without a request, nothing else reports it
        del run

    asyncio.run(work())
    assert "was not accepted" in caplog.text


def test_a_failed_run_raises_with_its_result_unless_that_is_not_wanted(cabinet: Cabinet) -> None:
    run = cabinet.run("fail: no disk")
    with pytest.raises(RunFailed, match="as requested") as failed:
        run.result()
    assert failed.value.kind == failed.value.result.failure.kind  # type: ignore[union-attr]
    assert run.result(check=False).state == "failed"


def test_a_timeout_leaves_the_run_at_work_and_cancel_ends_it(cabinet: Cabinet) -> None:
    run = cabinet.run("sleep 60")
    with pytest.raises(TimeoutError):
        run.result(timeout=0.05)
    assert run.refresh().state in ("queued", "starting", "running")
    assert run.cancel().state == "cancelled" == run.state
    assert run.cancel().state == "cancelled"
    with pytest.raises(RunFailed) as failed:
        run.result()
    assert failed.value.kind == "cancelled"


def test_an_interrupt_ends_the_waiting_and_not_the_run(cabinet: Cabinet) -> None:
    run = cabinet.run("sleep 60")

    def is_waiting() -> bool:
        frame = sys._current_frames()[threading.main_thread().ident or 0]
        return any(
            "client/connection/portal.py" in each.f_code.co_filename for each, _line in traceback.walk_stack(frame)
        )

    def interrupt() -> None:
        until(lambda: run.refresh().state == "running")
        until(is_waiting)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run.result()
    assert run.refresh().state == "running"
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        list(run)
    assert run.cancel().state == "cancelled"


def test_an_interrupt_before_it_is_accepted_ends_it(cabinet: Cabinet, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = threading.Event()
    send = Api.send

    async def late(api: Api, method: str, path: str, *rest: Any) -> Any:
        sent = await send(api, method, path, *rest)
        if path == "runs":
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            await asyncio.to_thread(answer.wait)
        return sent

    monkeypatch.setattr(Api, "send", late)
    with pytest.raises(KeyboardInterrupt):
        cabinet.run("sleep 60")
    answer.set()
    until(lambda: cabinet.runs(limit=1)[0].state == "cancelled")


def test_a_task_that_is_cancelled_leaves_the_run_at_work(cabinet: Cabinet) -> None:
    async def work() -> str:
        run = cabinet.run("sleep 60")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await run
        state = (await run.refresh.aio()).state
        await run.cancel.aio()
        return state

    assert asyncio.run(work()) in ("queued", "starting", "running")


def test_a_cell_has_its_session_and_its_context(cabinet: Cabinet, server: Server) -> None:
    piece = {"kind": "variable", "title": "df, 3 × 2", "text": "a b"}
    run = cabinet.run(HELLO, notebook="page.ipynb", context=[piece], source="[5]", runtime="demo")
    assert (run.run.kind, run.run.trigger.source) == ("cell", "cell [5] of page.ipynb")
    assert run.result().text == "hello"
    assert "--- df, 3 × 2 ---" in (server.root / ".cabinet" / "runs" / run.id / "prompt.md").read_text()
    again = cabinet.run(HELLO, notebook="page.ipynb", runtime="demo")
    assert again.run.session_id == run.run.session_id
    again.result()


def test_an_edit_is_among_the_tool_calls_and_the_changed_files(cabinet: Cabinet, server: Server) -> None:
    (server.root / "page.md").write_text("# Page\n")
    result = cabinet.run("You are editing page.md.\nappend: A line", runtime="demo").result()
    assert any(isinstance(call, ToolCall) for call in result.tool_calls), result
    assert [Path(path).name for path in result.changed_files] == ["page.md"]


def test_a_run_of_somewhere_else_is_attached_by_its_id(cabinet: Cabinet) -> None:
    run = cabinet.attach(cabinet.run(HELLO).id)
    assert run.result().text == "hello"
    with pytest.raises(RequestRefused):
        cabinet.attach("nothing")
    with pytest.raises(ValueError, match="is not a valid id"):
        cabinet.attach("../switch")


def test_runs_are_listed_over_pages_and_become_a_frame(cabinet: Cabinet, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = "reply with the single word paged"
    for run in [cabinet.run(mark) for _ in range(5)]:
        run.result()
    monkeypatch.setattr("jupyter_cabinet.client.cabinet.MOST_IN_PAGE", 2)
    found = cabinet.runs(query=mark)
    assert len(found) == 5 and len({run.id for run in found}) == 5 and found[0].number > found[-1].number
    assert len(cabinet.runs(query=mark, limit=3)) == 3 and len(found[1:3]) == 2
    assert len(cabinet.runs(query=mark, state="failed")) == 0
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        found.to_frame()


@pytest.mark.long(reason="twenty threads")
def test_twenty_threads_share_one_client(cabinet: Cabinet) -> None:
    words = [f"word{number}" for number in range(20)]

    def work(word: str) -> str:
        run = cabinet.run(f"reply with the single word {word}")
        texts = [event.text for event in run if isinstance(event, TextBlock)]
        return texts[0] + str(run.result())

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(work, words)) == [word * 2 for word in words]
    assert sum(thread.name == "jupyter-cabinet-client" for thread in threading.enumerate()) == 1


def test_a_stream_that_is_left_early_is_let_go(cabinet: Cabinet) -> None:
    run = cabinet.run("flood 1 MiB")
    for _ in run:
        break
    assert run.result(check=False).state in ("succeeded", "failed")


# --- what is there ---------------------------------------------------------------------------


def test_agents_are_a_mapping_that_is_read_anew(cabinet: Cabinet) -> None:
    agents = cabinet.agents
    assert list(agents) == ["ada", "ben"] == agents._ipython_key_completions_() and len(agents) == 2
    assert "ada" in agents and "eve" not in agents and 5 not in agents
    with pytest.raises(KeyError, match="Is it 'ada'"):
        agents["adda"]
    assert agents.get("../health") is None
    assert [each.slug for each in asyncio.run(agents.list.aio())] == ["ada", "ben"]


def test_an_agent_is_asked_told_paused_and_heard(cabinet: Cabinet) -> None:
    ada = cabinet.agents["ada"]
    assert ada.status == "idle" and ada.goals[0].metric == "articles" and "Be kind." in ada.detail.persona
    assert ada.ask("reply with the single word moin").result().text == "moin"
    assert ada.send("Hello, Ada.").body == "Hello, Ada."
    assert [message.body for message in ada.inbox()] == ["Hello, Ada."]
    assert ada.pause().status == "paused" and ada.resume().status == "idle"
    assert ada.tasks() == () and ada.history() == ()
    with pytest.raises(TypeError, match="colour"):
        ada.ask("hello", colour="red")


def test_a_long_inbox_is_read_in_pages(cabinet: Cabinet, server: Server) -> None:
    inbox = server.root / ".agents/.messages/ben"
    inbox.mkdir(parents=True)
    for number in range(503):
        (inbox / f"2026-01-01T00-00-00-{number:03}Z_from_eve.md").write_text(f"---\nfrom: eve\n---\n{number}\n")
    ben, newest_first = cabinet.agents["ben"], [str(number) for number in reversed(range(503))]
    assert [message.body for message in ben.inbox(limit=502)] == newest_first[:502]
    assert [message.body for message in ben.inbox(limit=1000)] == newest_first
    assert len(ben.inbox()) == 500
    with server.client("root") as client:
        page = client.get("agents/ben/inbox", params={"limit": 3, "cursor": "2026-01-01T00-00-00-004Z_from_eve"}).json()
    assert [message["body"] for message in page["messages"]] == ["3", "2", "1"]
    assert (page["next"], page["more"], page["read"]) == ("2026-01-01T00-00-00-001Z_from_eve", 1, [])
    shutil.rmtree(inbox)


def test_a_heartbeat_has_directives_and_what_became_of_them(cabinet: Cabinet, server: Server, tmp_path: Path) -> None:
    ben = cabinet.agents["ben"]
    assert ben.memory("learnings") == ""
    run = ben.run()
    result = run.result()
    assert "applied" in {each.state for each in result.directives} and result.directives == run.effects()
    assert [each.reason for each in result.directives if each.state == "refused"] == ["There is no agent “nobody”."]
    assert "tests are kind" in ben.memory("learnings")
    file = ben.export(tmp_path / "ben.agent.zip", memory=True)
    assert cabinet.agents.inspect(file).memory == 2
    with pytest.raises(FileExistsError):
        ben.export(file)
    assert cabinet.agents.import_from(file, "bea").name == "bea"
    assert cabinet.agents["bea"].memory("learnings") == ben.memory("learnings")
    shutil.rmtree(server.root / ".agents" / "bea")
    (found,) = ben.search_memory("KIND tests", limit=5)
    assert (found.path, found.excerpt[slice(*found.marks[0])]) == ("memory/learnings.md", "tests")
    assert ben.search_memory("no such words") == ()
    with pytest.raises(ValueError, match="memory file"):
        ben.memory("../persona")
    reflected = ben.reflect().result()
    assert [(each.directive, each.state) for each in reflected.directives] == [("SOUL.md", "applied")]


def test_a_play_is_run_with_its_inputs(cabinet: Cabinet) -> None:
    play = cabinet.plays["greet"]
    assert list(cabinet.plays) == ["greet"] and play.detail.agent == "ada"
    run = play.run(word="servus")
    assert "servus" in run.result().text
    until(lambda: [line.run_id for line in play.history()] == [run.id])
    by_ben = play.start({"word": "moin"}, agent="ben")
    assert by_ben.run.agent == "ben" and "moin" in by_ben.result().text
    with pytest.raises(TypeError):
        play.run(word=["a"])  # type: ignore[arg-type]


def test_a_terminal_is_opened_typed_into_and_closed(cabinet: Cabinet) -> None:
    terminal = cabinet.terminals.open("Mine")
    assert terminal.id in cabinet.terminals and terminal.detail.name == "Mine"
    terminal.type("exit", submit=False)
    assert repr(cabinet.terminals[terminal.id]) == f"<TerminalHandle {terminal.id}>"
    assert (terminal.make_private().visibility, terminal.share().visibility) == ("private", "server")
    terminal.close()
    assert terminal.id not in cabinet.terminals
    for wrong in (terminal.id, "../switch"):
        with pytest.raises(KeyError, match="There is no terminal"):
            cabinet.terminals[wrong]


def test_a_question_is_listed_and_not_answered_from_here(cabinet: Cabinet, server: Server) -> None:
    (server.root / "asked.md").write_text("# Page\n")
    run = cabinet.run("You are editing asked.md.\nappend: A line", permission_mode="ask")
    approval = until(run.approvals)[0]
    assert approval.run_id == run.id and approval in cabinet.approvals()
    status = cabinet.status()
    assert approval in status.approvals and run.id in [each.id for each in status.working]
    assert not hasattr(cabinet, "answer")
    run.cancel()


def test_the_status_is_one_value_and_work_is_paused_and_resumed(cabinet: Cabinet) -> None:
    assert cabinet.pause().paused
    run = cabinet.run(HELLO)
    status = asyncio.run(cabinet.status.aio())
    assert status.switch is not None and status.switch.paused and [each.id for each in status.queued] == [run.id]
    assert [each.slug for each in status.agents] == ["ada", "ben"] and status.trusted
    assert next(each for each in status.runtimes if each.name == "demo").found
    assert not cabinet.resume().paused and run.result().text == "hello"


# --- its life --------------------------------------------------------------------------------


def test_a_kernels_server_is_found_and_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(server.place / "runtime"))
    monkeypatch.setenv("JPY_PARENT_PID", str(server.pid))
    for name in ("JUPYTER_CABINET_URL", "JUPYTER_CABINET_TOKEN", "JUPYTER_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with Cabinet() as cabinet:
        assert list(cabinet.agents) == ["ada", "ben"]


def test_nothing_starts_before_the_first_call_and_nothing_is_left_afterwards(server: Server) -> None:
    def mine() -> int:
        return sum(thread.name == "jupyter-cabinet-client" for thread in threading.enumerate())

    before = mine()
    cabinet = Cabinet(server.url, token=server.token("root"))
    assert mine() == before and server.token("root") not in repr(cabinet)
    assert cabinet.url == server.url
    cabinet.status()
    cabinet.status()
    assert mine() == before + 1
    cabinet.close()
    cabinet.close()
    assert mine() == before
    with pytest.raises(CabinetError, match="was closed"):
        cabinet.status()
    with pytest.raises(CabinetError, match="was closed"):
        asyncio.run(cabinet.status.aio())


def test_who_waits_while_it_is_closed_gets_an_error_in_words(server: Server) -> None:
    cabinet = Cabinet(server.url, token=server.token("root"))
    run = cabinet.run("sleep 60")
    found: list[BaseException] = []

    def wait() -> None:
        try:
            run.result()
        except BaseException as error:
            found.append(error)

    async def wait_too() -> None:
        try:
            await run
        except BaseException as error:
            found.append(error)

    threads = [threading.Thread(target=wait), threading.Thread(target=lambda: asyncio.run(wait_too()))]
    for thread in threads:
        thread.start()
    until(lambda: len(cabinet._api.portal.tasks()) >= 2)
    cabinet.close()
    for thread in threads:
        thread.join(30)
    assert [str(error) for error in found] == ["This Cabinet was closed. Create a new one: Cabinet()."] * 2
    with Cabinet(server.url, token=server.token("root")) as other:
        other.attach(run.id).cancel()


def test_a_forked_process_is_told_to_make_its_own(cabinet: Cabinet) -> None:
    cabinet.status()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            cabinet.status()
        except CabinetError as error:
            os.write(write, error.kind.encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 100) == b"forked"
    os.close(read)
    os.close(write)


def test_a_result_can_be_written_as_json(cabinet: Cabinet, tmp_path: Path) -> None:
    import msgspec

    result = cabinet.run(HELLO).result()
    assert json.loads(msgspec.json.encode(result))["text"] == "hello"

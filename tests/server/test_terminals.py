"""Shared terminals over HTTP and WebSockets, with named people: who may what, and what everybody sees."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from harness.server import RIGHTS, Server, lives, processes_below, until
from harness.sockets import BOUND_SECONDS, connect
from tornado.websocket import WebSocketClientConnection

HIDDEN = "The terminal was made private before this run could start."
READ_ONLY = ["cabinet-runs:read", "cabinet-terminals:read", "cabinet-admin:read"]


class Viewer:
    """A client of one terminal, attached."""

    def __init__(self, socket: WebSocketClientConnection) -> None:
        self.socket = socket
        self.frames: list[dict[str, Any]] = []
        self.bytes = b""

    async def say(self, type: str, **values: Any) -> None:
        await self.socket.write_message(json.dumps({"type": type, **values}))

    async def keys(self, text: str) -> None:
        await self.socket.write_message(text.encode(), binary=True)

    async def sees(self, type: str, **values: Any) -> dict[str, Any]:
        """The first frame of that type and with those values from here on; what came before it is forgotten."""

        def wanted(frame: dict[str, Any]) -> bool:
            return frame["type"] == type and all(frame.get(name) == value for name, value in values.items())

        async with asyncio.timeout(BOUND_SECONDS):
            while not any(wanted(frame) for frame in self.frames):
                await self.read()
        while not wanted(frame := self.frames.pop(0)):
            pass
        return frame

    async def shows(self, text: str) -> None:
        async with asyncio.timeout(BOUND_SECONDS):
            while text.encode() not in self.bytes:
                await self.read()

    async def read(self) -> None:
        message = await self.socket.read_message()
        assert message is not None, f"closed with {self.socket.close_code}"
        if isinstance(message, bytes):
            self.bytes += message
        else:
            self.frames.append(json.loads(message))


@asynccontextmanager
async def watching(server: Server, terminal_id: str, *names: str) -> AsyncIterator[list[Viewer]]:
    viewers = [Viewer(await connect(server, f"terminals/{terminal_id}/ws", username=name)) for name in names]
    for viewer in viewers:
        await viewer.say("attach", cols=100, rows=30)
        await viewer.sees("hello")
    yield viewers
    for viewer in viewers:
        viewer.socket.close()


async def give_control(owner: Viewer, to: Viewer, username: str) -> None:
    await to.say("request_control")
    await owner.sees("control_requested")
    await owner.say("grant_control", to=username)
    await to.sees("control_granted")


@pytest.fixture
def terminal(people_server: Server) -> Iterator[str]:
    """A terminal of Ada's that everybody may see."""
    with people_server.client("ada") as ada:
        reply = ada.post("terminals", json={"cols": 100, "rows": 30})
        assert reply.status_code == 201, reply.text
        yield reply.json()["id"]
        ada.delete(f"terminals/{reply.json()['id']}")


def test_a_terminal_is_opened_listed_typed_into_and_closed(people_server: Server, tmp_path: Path) -> None:
    with people_server.client("ada") as ada, people_server.client("ben") as ben:
        body = {"command": ["/bin/sh"], "name": "Build", "cols": 90, "rows": 20}
        opened = ada.post("terminals", json=body).json()
        assert (opened["name"], opened["program"], opened["owner"]) == ("Build", "sh", "ada")
        assert opened["size"] == {"cols": 90, "rows": 20} and opened["controller"]["username"] == "ada"
        address = f"terminals/{opened['id']}"
        assert opened["id"] in [each["id"] for each in ben.get("terminals").json()["items"]]
        made = tmp_path / "made"
        assert ada.post(f"{address}/input", json={"text": f"touch {made}", "submit": True}).status_code == 204
        until(made.exists)
        refused = ben.post(f"{address}/input", json={"text": "x"})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "not_your_turn")
        refused = ben.delete(address)
        assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "not_your_turn")
        assert ada.delete(address).status_code == 204
        assert ben.get(address).status_code == 404


def test_a_private_terminal_is_not_there_for_others(people_server: Server) -> None:
    with people_server.client("ada") as ada, people_server.client("ben") as ben, people_server.client("root") as root:
        opened = ada.post("terminals", json={"visibility": "private"}).json()
        hidden = ben.get(f"terminals/{opened['id']}")
        assert (hidden.status_code, hidden.json()["error"]["detail"]) == (404, {})
        assert root.get(f"terminals/{opened['id']}").status_code == 200
        assert ada.delete(f"terminals/{opened['id']}").status_code == 204


async def closed(viewer: Viewer) -> tuple[int | None, str | None]:
    """The code and the reason with which the server closes this connection."""
    async with asyncio.timeout(BOUND_SECONDS):
        while await viewer.socket.read_message() is not None:
            pass
    return viewer.socket.close_code, viewer.socket.close_reason


def test_a_private_terminal_is_shared_and_made_private_again_by_its_owner_alone(people_server: Server) -> None:
    with people_server.client("ada") as ada, people_server.client("ben") as ben, people_server.client("root") as root:
        opened = ada.post("terminals", json={"visibility": "private"}).json()
        address = f"terminals/{opened['id']}"
        refused = root.patch(address, json={"visibility": "server"})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "not_allowed")
        assert ben.patch(address, json={"visibility": "server"}).status_code == 404
        shared = ada.patch(address, json={"visibility": "server"})
        assert (shared.status_code, shared.json()["visibility"]) == (200, "server")
        assert opened["id"] in [each["id"] for each in ben.get("terminals").json()["items"]]
        refused = ben.patch(address, json={"visibility": "private"})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "not_allowed")
        assert ada.patch(address, json={"visibility": "nobody"}).status_code == 400
        assert ada.patch(address, json={"visibility": "private"}).json()["visibility"] == "private"
        assert ben.get(address).status_code == 404
        assert ada.delete(address).status_code == 204


def test_who_may_no_longer_see_a_terminal_is_disconnected_and_reads_why(people_server: Server, terminal: str) -> None:
    async def meet() -> None:
        events = await connect(people_server, "events?kinds=terminal_hidden,terminal_changed", username="ben")
        await events.read_message()
        async with watching(people_server, terminal, "ada", "ben", "root") as (ada, ben, root):
            await ada.say("grant_control", to="ben")
            await ben.sees("control_granted")
            with people_server.client("ada") as client:
                reply = await asyncio.to_thread(client.patch, f"terminals/{terminal}", json={"visibility": "private"})
            assert reply.json()["controller"]["username"] == "ada"
            with people_server.client("ben") as client:  # as a page does that was offline meanwhile
                error = (await asyncio.to_thread(client.get, f"terminals/{terminal}")).json()["error"]
            assert (error["kind"], error["detail"]) == ("not_found", {"reason": "made_private"})
            assert error["message"] == "Ada Lind made this terminal private."
            assert await closed(ben) == (4404, "Ada Lind made this terminal private.")
            await ada.sees("control_taken", controller={"username": "ada", "display_name": "Ada Lind"})
            await ada.keys("echo $((6*7))\r")
            await root.shows("42")
            with people_server.client("ada") as client:
                await asyncio.to_thread(client.patch, f"terminals/{terminal}", json={"visibility": "server"})
        async with asyncio.timeout(BOUND_SECONDS):
            told = [json.loads(str(await events.read_message()))["event"] for _ in range(2)]
        assert told[0] == {
            "type": "terminal_hidden",
            "terminal_id": terminal,
            "owner": "ada",
            "reason": "Ada Lind made this terminal private.",
        }
        assert (told[1]["type"], told[1]["terminal"]["visibility"]) == ("terminal_changed", "server")
        events.close()

    asyncio.run(meet())


def test_the_recording_of_a_terminal_is_as_private_as_the_terminal(people_server: Server, terminal: str) -> None:
    with people_server.client("ada") as ada, people_server.client("ben") as ben:
        assert ada.put(f"terminals/{terminal}/recording", json={"on": True}).json()["recording"]
        assert ben.get(f"terminals/{terminal}/recording").status_code == 200
        ada.patch(f"terminals/{terminal}", json={"visibility": "private"})
        assert ben.get(f"terminals/{terminal}/recording").status_code == 404
        assert ada.get(f"terminals/{terminal}/recording").status_code == 200
        ada.delete(f"terminals/{terminal}")  # from now on the files say who may see it
        assert ben.get(f"recordings/{terminal}").status_code == 404
        assert ada.get(f"recordings/{terminal}").json()["visibility"] == "private"


def test_a_colleague_who_worked_in_a_terminal_does_not_read_on_after_it_became_private(
    people_server: Server, terminal: str
) -> None:
    def work(client: httpx.Client, instruction: str) -> str:
        body = {"runtime": "demo", "instruction": instruction}
        run: dict[str, Any] = client.post(f"terminals/{terminal}/agent", json=body).raise_for_status().json()
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "succeeded")
        client.post(f"terminals/{terminal}/agent/stop").raise_for_status()
        until(lambda: client.get(f"terminals/{terminal}").json()["agent_state"] in (None, "stopped"))
        return str(run["id"])

    async def meet() -> None:
        async with watching(people_server, terminal, "ada", "ben") as (owner, colleague):
            await give_control(owner, colleague, "ben")
            bens = await asyncio.to_thread(work, ben, "remember the okapis")
        with people_server.client("ada") as ada:
            ada.patch(f"terminals/{terminal}", json={"visibility": "private"}).raise_for_status()
            adas = await asyncio.to_thread(work, ada, "remember the tapirs")
            assert "tapirs" in ada.get(f"runs/{adas}/raw").text
        seen = ben.get(f"runs/{bens}/raw").text
        assert "okapis" in seen and "tapirs" not in seen

    with people_server.client("ben") as ben:
        asyncio.run(meet())


def test_a_colleague_reads_nothing_of_what_the_owner_types_into_their_agent_in_a_terminal_that_became_private(
    people_server: Server, terminal: str
) -> None:
    def succeeded(client: httpx.Client, **about: Any) -> list[str]:
        runs = client.get("runs").raise_for_status().json()["items"]
        return [
            run["id"]
            for run in runs
            if run["terminal_id"] == terminal
            and run["state"] == "succeeded"
            and all(run[name] == value for name, value in about.items())
        ]

    async def meet() -> None:
        async with watching(people_server, terminal, "ada", "ben") as (owner, colleague):
            await give_control(owner, colleague, "ben")
            body = {"runtime": "demo", "instruction": "remember the okapis"}
            await asyncio.to_thread(ben.post, f"terminals/{terminal}/agent", json=body)
            await asyncio.to_thread(until, lambda: succeeded(ben))
            with people_server.client("ada") as ada:
                hidden = await asyncio.to_thread(ada.patch, f"terminals/{terminal}", json={"visibility": "private"})
                assert hidden.json()["agent_state"] == "waiting"
                await owner.keys("remember the tapirs")
                await owner.shows("remember the tapirs")
                await owner.keys("\r")
                await asyncio.to_thread(until, lambda: succeeded(ada, instruction="remember the tapirs"))
                [typed] = succeeded(ada, owner="ada")
                assert "tapirs" in ada.get(f"runs/{typed}/raw").text
                assert "okapis" not in ada.get(f"runs/{typed}/raw").text
        [bens] = succeeded(ben)
        seen = ben.get(f"runs/{bens}/raw").text
        assert "okapis" in seen and "tapirs" not in seen

    with people_server.client("ben") as ben:
        asyncio.run(meet())


@pytest.mark.parametrize(("who", "starts"), [("ben", False), ("root", True)])
def test_a_run_that_is_queued_for_a_terminal_does_not_start_there_after_it_became_private_to_somebody_else(
    people_server: Server, terminal: str, who: str, starts: bool
) -> None:
    async def ask() -> str:
        async with watching(people_server, terminal, "ada", who) as (owner, other):
            await give_control(owner, other, who)
            body = {"runtime": "demo", "instruction": "remember the okapis"}
            run = (await asyncio.to_thread(client.post, f"terminals/{terminal}/agent", json=body)).json()
            assert run["state"] == "queued"
            with people_server.client("ada") as ada:
                await asyncio.to_thread(ada.patch, f"terminals/{terminal}", json={"visibility": "private"})
                if not starts:
                    problem = await owner.sees("error")
                    assert problem["message"] == f"Demo agent has not started. {HIDDEN}"
            return str(run["id"])

    with people_server.client(who) as client, people_server.client("root") as root:
        assert root.post("switch", json={"paused": True}).status_code == 200
        try:
            run_id = asyncio.run(ask())
            if not starts:  # at once, so that the owner can start an agent there
                until(lambda: client.get(f"runs/{run_id}").json()["state"] == "failed")
        finally:
            root.post("switch", json={"paused": False})
        until(lambda: client.get(f"runs/{run_id}").json()["state"] in ("failed", "succeeded"))
        run = client.get(f"runs/{run_id}").json()
        expected = ("succeeded", "Finished.") if starts else ("failed", HIDDEN)
        assert (run["state"], run["reason"]) == expected


def test_what_cannot_be_opened_says_why(people_server: Server) -> None:
    with people_server.client("ada") as ada:
        for body, status, kind in (
            ({"program": "nobody"}, 400, "unknown_runtime"),
            ({"command": ["/no/such"]}, 400, "invalid"),
            ({"command": ["nope"]}, 400, "invalid"),
            ({"cwd": ".."}, 400, "outside_root"),
            ({"cols": 5000}, 400, "invalid"),
            ({"surprise": 1}, 400, "invalid"),
        ):
            reply = ada.post("terminals", json=body)
            assert (reply.status_code, reply.json()["error"]["kind"]) == (status, kind), body


def test_a_shell_gets_no_secret_of_the_server_and_no_sign_of_who_started_it(
    people_server: Server, terminal: str
) -> None:
    async def look() -> bytes:
        async with watching(people_server, terminal, "ada") as (ada,):
            await ada.keys("env; echo en''d\r")
            await ada.shows("end\r\n")
            return ada.bytes

    shown = asyncio.run(look()).decode()
    assert "TERM=xterm-256color" in shown and f"HOME={people_server.home}" in shown
    for word in ("shared-token", "JUPYTER_TOKEN", "JPY_", "CLAUDECODE"):
        assert word not in shown


def test_two_people_take_turns(people_server: Server, terminal: str) -> None:
    async def meet() -> None:
        async with watching(people_server, terminal, "ada", "ben") as (ada, ben):
            await ben.keys("x")
            await ben.sees("input_rejected", reason="not_controller")
            await ben.say("request_control")
            asked = await ada.sees("control_requested")
            assert asked["by"] == {"username": "ben", "display_name": "Ben Okoro"}
            await ada.say("grant_control", to="ben")
            await ben.sees("control_granted")
            await ben.keys("echo $((6*7))\r")
            await ada.shows("42")
            await ada.keys("x")
            await ada.sees("input_rejected", reason="not_controller")

    asyncio.run(meet())


def test_who_may_write_to_terminals_administers_them(people_server: Server, terminal: str) -> None:
    async def meet() -> None:
        async with watching(people_server, terminal, "ada", "ben", "root") as (ada, ben, root):
            await ben.say("revoke_control")
            await ben.sees("error", kind="not_your_turn")
            await root.say("revoke_control")
            assert (await ada.sees("control_revoked"))["by"]["username"] == "root"
            people_server.set_rights({**RIGHTS, "ben": [*RIGHTS["ben"], "cabinet-terminals:write"]})
            await ada.say("request_control")
            await ada.sees("control_taken")
            await ben.sees("control_taken")
            async with asyncio.timeout(BOUND_SECONDS):
                while True:  # within a second, at the next frame that changes something
                    await ben.say("revoke_control")
                    if await _first(ben, "error", "control_revoked") == "control_revoked":
                        break
                    await asyncio.sleep(0.1)

    try:
        asyncio.run(meet())
    finally:
        people_server.set_rights(RIGHTS)


async def _first(viewer: Viewer, *types: str) -> str:
    while True:
        for frame in viewer.frames:
            if frame["type"] in types:
                viewer.frames.remove(frame)
                return str(frame["type"])
        await viewer.read()


@pytest.mark.slow(reason="connections are asked for their rights every 3 s")
def test_a_right_to_type_that_is_taken_away_ends_typing_and_control_and_comes_back(
    people_server: Server, terminal: str
) -> None:
    async def meet() -> None:
        async with watching(people_server, terminal, "ada", "ben") as (ada, ben):
            people_server.set_rights({**RIGHTS, "ada": READ_ONLY})
            await ada.sees("right", can_execute=False)  # told by the watch, without a key
            await ben.sees("control_expired", reason="not_allowed")
            await ada.keys("x")
            await ada.sees("input_rejected", reason="read_only")
            await ada.say("request_control")
            await ada.sees("error", kind="not_allowed")
            people_server.set_rights(RIGHTS)
            await ada.sees("right", can_execute=True)
            await ada.say("request_control")
            await ben.sees("control_taken")

    try:
        asyncio.run(meet())
    finally:
        people_server.set_rights(RIGHTS)


def test_an_agent_is_started_paused_resumed_and_stopped(people_server: Server, terminal: str) -> None:
    async def watch_it() -> None:
        async with watching(people_server, terminal, "ben") as (viewer,):
            loop = asyncio.get_running_loop()
            run = (await loop.run_in_executor(None, _post, people_server, "ada", "agent", START)).json()
            assert (run["kind"], run["mode"], run["trigger"]["username"]) == ("manual", "terminal", "ada")
            await viewer.sees("agent_state", state="running")
            refused = await loop.run_in_executor(None, _post, people_server, "ben", "agent/pause", {})
            assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "not_your_turn")
            paused = await loop.run_in_executor(None, _post, people_server, "ada", "agent/pause", {})
            assert (paused.status_code, paused.json()["agent_state"]) == (200, "paused")
            assert (await viewer.sees("agent_state", state="paused"))["by"]["display_name"] == "Ada Lind"
            resumed = await loop.run_in_executor(None, _post, people_server, "root", "agent/resume", {})
            assert resumed.json()["agent_state"] == "running"
            typed = await loop.run_in_executor(None, _post, people_server, "ada", "input", {"text": "x"})
            assert (typed.status_code, typed.json()["error"]["detail"]["reason"]) == (409, "agent_running")
            stopped = await loop.run_in_executor(None, _post, people_server, "ada", "agent/stop", {})
            assert stopped.json()["agent_state"] == "stopped"
            assert (await viewer.sees("agent_state", state="stopped"))["by"]["username"] == "ada"
            again = await loop.run_in_executor(None, _post, people_server, "ada", "agent/stop", {})
            assert again.status_code == 409

    def _post(server: Server, who: str, what: str, body: dict[str, Any]) -> Any:
        with server.client(who) as client:
            return client.post(f"terminals/{terminal}/{what}", json=body)

    START = {"runtime": "demo", "instruction": "sleep 60"}
    asyncio.run(watch_it())
    with people_server.client("ada") as ada:
        run = next(each for each in ada.get("runs").json()["items"] if each["terminal_id"] == terminal)
        assert (run["state"], run["reason"]) == ("cancelled", "Cancelled by Ada Lind.")


@pytest.mark.long(reason="test_crash.py stops a server and looks for its processes in the quick tier")
@pytest.mark.slow(reason="starts a server of its own")
def test_a_stopped_server_leaves_no_shell_and_nothing_that_was_started_in_one(tmp_path: Path) -> None:
    server = Server(tmp_path / "server").start()
    with server.client("ada") as ada:
        terminal = ada.post("terminals", json={"command": ["/bin/sh"]}).json()["id"]
        text = "(trap '' HUP TERM; exec sleep 600) & nohup sleep 600 > /dev/null &"
        ada.post(f"terminals/{terminal}/input", json={"text": text, "submit": True})
        until(lambda: len([pid for pid in processes_below(server.pid) if _runs_sleep(pid)]) == 2)
        below = psutil.Process(server.pid).children(recursive=True)
    server.stop()
    assert not [process for process in below if lives(process)]


def _runs_sleep(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() == "sleep"
    except OSError:
        return False


def test_an_instruction_takes_control_that_was_given_up_so_that_its_question_can_be_answered(
    people_server: Server,
) -> None:
    (people_server.root / "submits.md").write_text("# Page\n")
    about: dict[str, Any] = {"kind": "editor", "path": "submits.md", "mode": "terminal", "permission_mode": "edit"}
    with people_server.client("ada") as client:
        first = people_server.run(client, "append: one", **about)

        async def scene() -> None:
            async with watching(people_server, first["terminal_id"], "ada") as [ada]:
                await ada.say("revoke_control")
                await ada.sees("control_revoked")
                await asyncio.to_thread(people_server.run, client, "ask a question", wait=0, **about)
                assert (await ada.sees("control_taken"))["controller"]["username"] == "ada"
                await ada.sees(
                    "agent_state", state="waiting", reason="Demo agent asks: Should the demo agent continue?"
                )
                await ada.keys("y")
                await ada.shows("You said yes")

        asyncio.run(scene())

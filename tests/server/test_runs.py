"""Runs over HTTP against a real server: start, follow, cancel, list, and what is refused."""

from __future__ import annotations

import json

import pytest
from harness.plays import PERSONA
from harness.server import Server, processes_below, until
from harness.sockets import frames


def test_a_headless_run_edits_the_document_and_says_how_it_ended(shared_server: Server) -> None:
    (shared_server.root / "a.md").write_text("# A\n")
    with shared_server.client("ada") as client:
        run = shared_server.run(client, "append: Hello there", kind="editor", path="a.md")
    assert (run["state"], run["reason"], run["mode"]) == ("succeeded", "Finished.", "headless")
    assert (shared_server.root / "a.md").read_text().endswith("Hello there\n")
    assert run["result"]["text"] and run["cost_usd"] is None and run["finished_at"].endswith("Z")


def test_a_run_can_be_waited_for_until_its_directives_have_had_their_effects(shared_server: Server) -> None:
    agent = shared_server.root / ".agents" / "eff"
    agent.mkdir(parents=True, exist_ok=True)
    (agent / "persona.md").write_text(PERSONA.format(fields=""))
    (agent / "HEARTBEAT.md").write_text("answer: DECISION: ship it\n")
    with shared_server.client("ada") as client:
        run = client.post("agents/eff/run").json()
        waited = client.get(f"runs/{run['id']}", params={"wait": 30, "until": "effects"}).json()
        effects = client.get(f"runs/{run['id']}/effects").json()["items"]
        refused = client.get(f"runs/{run['id']}", params={"wait": 1, "until": "noon"})
    assert waited["state"] == "succeeded"
    assert {each["state"] for each in effects} == {"applied"}
    assert (refused.status_code, refused.json()["error"]["detail"]["field"]) == (400, "until")


def test_a_synchronous_edit_answers_with_the_document_as_it_is_then(shared_server: Server) -> None:
    names = ("sync.md", "sync.ipynb", "large.md", "bytes.md")
    cell = {"id": "a", "cell_type": "markdown", "metadata": {}, "source": "# Title"}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    for name, content in zip(
        names, (b"# A\n", json.dumps(notebook).encode(), b"x" * 1_000_001, b"\xff\xfe"), strict=True
    ):
        (shared_server.root / name).write_bytes(content)
    with shared_server.client("ada") as client:
        text, cells, large, odd = (shared_server.run(client, "hello", kind="editor", path=name) for name in names)
        edited = shared_server.run(client, "append: Hello there", kind="editor", path="sync.md")
        over = shared_server.run(client, "sleep 60", kind="editor", path="sync.md", wait=0.1)
        client.post(f"runs/{over['id']}/cancel", json={})
        manual = shared_server.run(client, "hello")
    assert text["document"] == {"path": "sync.md", "size": 4, "format": "text", "content": "# A\n", "note": ""}
    content = (shared_server.root / "sync.md").read_text()
    assert edited["document"]["content"] == content and content.endswith("Hello there\n")
    assert (cells["document"]["format"], cells["document"]["content"]) == ("json", notebook)
    assert (large["document"]["content"], large["document"]["note"]) == (None, "Over 1 MB.")
    assert (odd["document"]["content"], odd["document"]["note"]) == (None, "Not UTF-8 text.")
    assert over["state"] != "succeeded" and over["document"] is manual["document"] is None


def test_an_instruction_in_a_terminal_keeps_the_cli_open_for_the_next_one(shared_server: Server) -> None:
    (shared_server.root / "talk.md").write_text("# Talk\n")
    with shared_server.client("ada") as client:
        first = shared_server.run(client, "append: one", kind="editor", path="talk.md", mode="terminal")
        second = shared_server.run(client, "append: two", kind="editor", path="talk.md", mode="terminal")
        assert first["state"] == second["state"] == "succeeded"
        assert first["terminal_id"] == second["terminal_id"] is not None
        assert first["session_id"] == second["session_id"]
        terminal = client.get(f"terminals/{first['terminal_id']}").json()
        assert terminal["agent_state"] == "waiting" and not terminal["exited"]
        closed = client.post(f"editor/sessions/{first['session_id']}/close", json={}).json()
        assert closed["session"]["terminal_id"] is None
        third = shared_server.run(client, "append: three", kind="editor", path="talk.md", mode="terminal")
        assert third["terminal_id"] != first["terminal_id"]
        client.post(f"editor/sessions/{first['session_id']}/close", json={})
    assert (shared_server.root / "talk.md").read_text().split() == ["#", "Talk", "one", "two", "three"]


def test_what_jupyter_puts_into_any_url_is_no_unknown_parameter(shared_server: Server) -> None:
    token = shared_server.token("ada")
    with shared_server.client(None) as client:
        assert client.get("runs", params={"token": token, "limit": 1}).status_code == 200
        assert client.get(f"health?token={token}&1763971200000").status_code == 200  # against caches
        assert client.get("health", params={"token": token, "1763971200000": "x"}).status_code == 400


def test_the_output_of_a_run_can_be_followed_from_any_place(shared_server: Server) -> None:
    (shared_server.root / "b.md").write_text("# B\n")
    with shared_server.client("ada") as client:
        run = shared_server.run(client, "append: x", kind="editor", path="b.md")
    everything = frames(shared_server, f"runs/{run['id']}/output", until_type="end")
    kinds = [frame["event"]["type"] for frame in everything[:-1]]
    assert kinds[0] == "SessionStarted" and "ToolCall" in kinds and "ToolResult" in kinds
    assert [frame["index"] for frame in everything[:-1]] == list(range(len(kinds)))
    rest = frames(shared_server, f"runs/{run['id']}/output?since=2", until_type="end")
    assert rest == everything[2:]
    with shared_server.client("ada") as client:  # and without a WebSocket
        lines = client.get(f"runs/{run['id']}/output", params={"since": 2})
    assert lines.headers["content-type"] == "application/x-ndjson"
    assert [json.loads(line) for line in lines.text.splitlines()] == rest


def test_what_a_run_says_comes_line_by_line_while_it_says_it(shared_server: Server) -> None:
    with shared_server.client("ada") as client:
        run = shared_server.run(client, "sleep 60", wait=0)
        with client.stream("GET", f"runs/{run['id']}/output") as reply:
            lines = reply.iter_lines()
            assert json.loads(next(lines))["event"]["type"] == "SessionStarted"
            assert client.get(f"runs/{run['id']}").json()["state"] == "running"
            client.post(f"runs/{run['id']}/cancel", json={})
            assert json.loads([line for line in lines if line][-1]) == {"type": "end"}


def test_cancelling_ends_every_process_and_says_who_did_it(shared_server: Server) -> None:
    with shared_server.client("ada") as client:
        before = set(processes_below(shared_server.pid))
        run = shared_server.run(client, "sleep 60", wait=0)
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="the run to work")
        started = until(lambda: set(processes_below(shared_server.pid)) - before, what="its processes")
        ended = client.post(f"runs/{run['id']}/cancel", json={}).json()
        assert (ended["state"], ended["reason"]) == ("cancelled", "Cancelled by Owner.")
        assert not started & set(processes_below(shared_server.pid))
        again = client.post(f"runs/{run['id']}/cancel", json={})
        assert again.status_code == 409 and again.json()["error"]["kind"] == "already_final"


def test_a_run_beyond_the_limit_waits_with_its_place_or_is_refused(shared_server: Server) -> None:
    with shared_server.client("ada") as client:
        runs = [shared_server.run(client, "sleep 60", wait=0) for _ in range(7)]
        until(
            lambda: [client.get(f"runs/{r['id']}").json()["position"] for r in runs] == [None] * 5 + [1, 2],
            what="two runs to wait",
        )
        refused = client.post(
            "runs", params={"queue": "false"}, json={"kind": "manual", "runtime": "demo", "instruction": "hi"}
        )
        assert refused.status_code == 429 and refused.json()["error"]["kind"] == "queue_full"
        for run in reversed(runs):
            assert client.post(f"runs/{run['id']}/cancel", json={}).json()["state"] == "cancelled"


@pytest.mark.parametrize(
    ("instruction", "state", "kind"),
    [("fail", "failed", None), ("crash", "failed", "crashed")],
)
def test_a_run_that_goes_wrong_ends_failed_with_a_sentence(
    shared_server: Server, instruction: str, state: str, kind: str | None
) -> None:
    with shared_server.client("ada") as client:
        run = shared_server.run(client, instruction)
    assert run["state"] == state and run["failure"]["message"].endswith(".")
    assert run["reason"] == run["failure"]["message"]
    assert kind is None or run["failure"]["kind"] == kind


BAD = {
    "an empty instruction": ({"instruction": "  "}, 400, "invalid", "instruction"),
    "an unknown runtime": ({"instruction": "x", "runtime": "nothing"}, 400, "unknown_runtime", "runtime"),
    "an unknown field": ({"instruction": "x", "colour": "red"}, 400, "invalid", None),
    "a wrong type": ({"instruction": 5}, 400, "invalid", "instruction"),
    "a folder outside": ({"instruction": "x", "cwd": "../.."}, 400, "outside_root", "cwd"),
    "a folder that is not there": ({"instruction": "x", "cwd": "nowhere"}, 400, "invalid", "cwd"),
    "a document outside": ({"kind": "editor", "instruction": "x", "path": "../x"}, 400, "outside_root", "path"),
    "an absolute path": ({"kind": "editor", "instruction": "x", "path": "/etc/passwd"}, 400, "outside_root", "path"),
    "a document that is not there": ({"kind": "editor", "instruction": "x", "path": "no.md"}, 404, "not_found", "path"),
    "an editor run without a document": ({"kind": "editor", "instruction": "x"}, 400, "invalid", "path"),
    "a link that leads out": ({"kind": "editor", "instruction": "x", "path": "link.md"}, 400, "outside_root", "path"),
    "a mention that leads out": (
        {"kind": "editor", "instruction": "see @../secret.md", "path": "ok.md"}, 400, "outside_root", "instruction",
    ),
    "a mentioned link that leads out": (
        {"kind": "editor", "instruction": "see @link.md", "path": "ok.md"}, 400, "outside_root", "instruction",
    ),
    "the server's own records": (
        {"kind": "editor", "instruction": "x", "path": ".cabinet/cabinet.db"}, 400, "outside_root", "path",
    ),
    "bypass, where it is not allowed": ({"instruction": "x", "permission_mode": "bypass"}, 403, "not_allowed", None),
    "a model that is an option": ({"instruction": "x", "model": "--help"}, 400, "invalid", "model"),
    "a pane of no size": ({"instruction": "x", "cols": -5}, 400, "invalid", "cols"),
    "a session of nobody": ({"kind": "editor", "instruction": "x", "session_id": "nope"}, 404, "not_found", None),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_a_clear_error_and_starts_nothing(shared_server: Server, name: str) -> None:
    body, status, kind, field = BAD[name]
    (shared_server.root / "ok.md").write_text("fine\n")
    link = shared_server.root / "link.md"
    if not link.is_symlink():
        link.symlink_to(shared_server.place / "rights.json")
    with shared_server.client("ada") as client:
        before = client.get("runs", params={"limit": 1}).json()["items"]
        reply = client.post("runs", json=body)
        error = reply.json()["error"]
        assert (reply.status_code, error["kind"]) == (status, kind), error
        assert error["message"].endswith(".")
        assert field is None or error["detail"]["field"] == field
        assert client.get("runs", params={"limit": 1}).json()["items"] == before


def test_json_that_is_none_and_other_content_types_are_refused(shared_server: Server) -> None:
    json_type = {"Content-Type": "application/json"}
    with shared_server.client("ada") as client:
        broken = client.post("runs", content=b"{", headers=json_type)
        for deep in (b"[" * 500_000, b'{"instruction": ' + b"[" * 500_000, b'{"context": ' + b'{"a":' * 500_000):
            reply = client.post("runs", content=deep, headers=json_type)
            assert (reply.status_code, reply.json()["error"]["kind"]) == (400, "invalid")
        form = client.post("runs", data={"kind": "manual", "instruction": "x"})
    assert (broken.status_code, broken.json()["error"]["message"]) == (400, "The request is not valid JSON.")
    assert form.status_code == 415


def test_a_list_has_the_beginning_of_a_long_answer_and_the_run_has_it_whole(shared_server: Server) -> None:
    (shared_server.root / "long.md").write_text("x\n")
    word = "w" * 1000
    with shared_server.client("ada") as client:
        about = {"kind": "editor", "path": "long.md", "mode": "headless"}
        run = shared_server.run(client, f"Reply with the single word {word}", **about)
        assert (run["result"]["text"], run["result"]["cut"]) == (word, False)
        listed = client.get("runs", params={"session_id": run["session_id"]}).json()["items"]
        sessions = client.get("editor/sessions", params={"path": "long.md"}).json()["items"]
        for row in (listed[0], sessions[0]["last_run"]):
            assert (row["id"], row["result"]) == (run["id"], {"text": word[:300], "cut": True})
        del run["document"]
        assert client.get(f"runs/{run['id']}").json() == run
        assert client.get("runs", params={"q": word}).json()["items"] == listed


def test_a_terminal_in_a_folder_outside_is_refused_by_its_field(shared_server: Server) -> None:
    with shared_server.client("ada") as client:
        for cwd in ("..", "/etc", ".cabinet", "nowhere", "a\0b"):
            reply = client.post("terminals", json={"cwd": cwd})
            assert (reply.status_code, reply.json()["error"]["detail"]["field"]) == (400, "cwd"), cwd


def test_large_and_binary_files_are_named_and_not_pasted(shared_server: Server) -> None:
    root = shared_server.root
    (root / "doc.md").write_text("x\n")
    (root / "big.txt").write_text("a" * 300_000)
    (root / "picture.png").write_bytes(b"\x89PNG\0\0")
    (root / "notes").mkdir(exist_ok=True)
    (root / "notes" / "index.md").write_text("---\ntitle: The notes\n---\nRemember the milk.\n")
    with shared_server.client("ada") as client:
        run = shared_server.run(
            client, "append: done @big.txt @picture.png @notes @missing.md", kind="editor", path="doc.md"
        )
    prompt = (root / ".cabinet/runs" / run["id"] / "prompt.md").read_text()
    assert "--- The notes (notes/index.md) ---\n---\ntitle: The notes" in prompt
    assert "--- big.txt (big.txt) ---\n(named only, over 200 kB)" in prompt
    assert "(path only, binary)" in prompt and len(prompt) < 10_000
    assert "@missing.md was not found and stays in the text as written." in run["warnings"]


def test_the_history_has_one_line_for_each_run_and_can_be_searched(shared_server: Server) -> None:
    (shared_server.root / "h.md").write_text("x\n")
    with shared_server.client("ada") as client:
        run = shared_server.run(client, "append: unmistakable zebra", kind="editor", path="h.md")
        found = client.get("editor/sessions", params={"q": "ZEBRA"}).json()["items"]
        assert [item["last_run"]["id"] for item in found] == [run["id"]]
        assert found[0]["session"]["title"] == "append: unmistakable zebra" and found[0]["runs"] == 1
        assert client.get("editor/sessions", params={"q": "no such word"}).json()["items"] == []
        of_document = client.get("editor/sessions", params={"path": "h.md"}).json()["items"]
        assert len(of_document) == 1
    lines = [
        json.loads(line)
        for line in (shared_server.root / ".agents/.history/editor-sessions.jsonl").read_text().splitlines()
    ]
    mine = [line for line in lines if line["id"] == run["id"]]
    assert len(mine) == 1 and mine[0]["pagePath"] == "h.md" and mine[0]["status"] == "completed"


def test_a_document_deleted_while_the_run_works_loses_nothing_else(shared_server: Server) -> None:
    document = shared_server.root / "gone.md"
    document.write_text("x\n")
    with shared_server.client("ada") as client:
        run = shared_server.run(client, "wait for the file removed", kind="editor", path="gone.md", wait=0)
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="the run to work")
        document.unlink()
        (shared_server.root / "removed").touch()
        ended = until(lambda: _final(client.get(f"runs/{run['id']}").json()), what="the run's end")
        client.post(f"editor/sessions/{run['session_id']}/close", json={})
    assert ended["reason"]


def _final(run: dict[str, object]) -> dict[str, object] | None:
    return run if run["finished_at"] else None


def test_a_finished_run_can_be_removed_and_a_working_one_cannot(shared_server: Server) -> None:
    with shared_server.client("ada") as client:
        working = shared_server.run(client, "sleep 60", wait=0)
        until(lambda: client.get(f"runs/{working['id']}").json()["state"] == "running", what="the run to work")
        assert client.request("DELETE", f"runs/{working['id']}").status_code == 409
        client.post(f"runs/{working['id']}/cancel", json={})
        assert client.request("DELETE", f"runs/{working['id']}").status_code == 204
        assert client.get(f"runs/{working['id']}").status_code == 404
    assert not (shared_server.root / ".cabinet/runs" / working["id"]).exists()


def test_a_run_is_held_to_its_tools_by_a_list_or_a_word(shared_server: Server) -> None:
    (shared_server.root / "tools.md").write_text("# Tools\n")
    about = {"kind": "editor", "path": "tools.md", "mode": "headless"}
    with shared_server.client("ada") as client:
        for tools in ({"tool_preset": "reading"}, {"tool_preset": "none"}, {"allowed_tools": ["Read"]}):
            run = shared_server.run(client, "append: x", **about, **tools)
            assert (run["state"], run["failure"]["kind"]) == ("failed", "permission_denied"), run
        run = shared_server.run(client, "append: x", **about, tool_preset="editing")
        assert run["state"] == "succeeded"
        assert run["allowed_tools"] == ["Read", "Glob", "Grep", "Edit", "Write"]
        assert shared_server.run(client, "append: y", **about, tool_preset="full")["allowed_tools"] is None
        both = client.post("runs", json={"instruction": "x", "tool_preset": "none", "allowed_tools": ["Read"]})
        assert (both.status_code, both.json()["error"]["detail"]["field"]) == (400, "tool_preset")


def test_another_list_of_tools_opens_the_cli_anew(shared_server: Server) -> None:
    (shared_server.root / "held.md").write_text("# Held\n")
    about = {"kind": "editor", "path": "held.md", "mode": "terminal"}
    with shared_server.client("ada") as client:
        first = shared_server.run(client, "append: one", **about)
        second = shared_server.run(client, "append: two", **about, tool_preset="reading")
        assert second["terminal_id"] != first["terminal_id"]
        assert second["state"] == "failed"
        client.post(f"editor/sessions/{first['session_id']}/close", json={})
    assert (shared_server.root / "held.md").read_text().split() == ["#", "Held", "one"]

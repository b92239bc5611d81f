"""`jupyter cabinet agents | run | pause | …` against a real server, each command a separate process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.channels import channel_of_server
from harness.foreign import ORCHESTRATOR, write
from harness.server import Server, until

from jupyter_cabinet.testing.telegram import TelegramServer

pytestmark = pytest.mark.slow(reason="starts a server, and an interpreter for each command")

AGENT = "---\nname: Ada\nruntime: demo\nallow_unenforced: true\nheartbeat: every 4h\nbudget: 9\n---\nBe kind.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("commands")).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def asking_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Where people confirm the folder and agents."""
    server = Server(tmp_path_factory.mktemp("asking"), arguments=()).start()
    yield server
    server.stop()


def cabinet(server: Server, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jupyter_cabinet.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=90,
        cwd=folder or server.root,
        env=server.environment(),
        check=False,
    )


def value(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def agent(server: Server, slug: str, checklist: str = "") -> None:
    folder = server.root / ".agents" / slug
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "persona.md").write_text(AGENT)
    (folder / "HEARTBEAT.md").write_text(checklist)


@pytest.mark.long(reason="heartbeats and directives are tested without the command line")
def test_a_heartbeat_is_waited_for_and_what_became_of_its_directives_is_told(server: Server) -> None:
    agent(server, "ada", "answer: DECISION: keep it\nanswer: MESSAGE_TO [nobody]: hello\n")
    done = cabinet(server, "run", "ada", "--wait")
    assert done.returncode == 0 and "succeeded" in done.stdout and "not isolated" in done.stdout
    assert "applied: DECISION: keep it" in done.stdout
    assert "refused: MESSAGE_TO [nobody]: hello\n     There is no agent “nobody”." in done.stdout
    assert "keep it" in (server.root / ".agents/ada/memory/decisions.md").read_text()
    (listed,) = value(cabinet(server, "runs", "--agent", "ada", "--state", "succeeded", "--json"))["items"]
    shown = value(cabinet(server, "runs", "show", listed["id"], "--json"))
    assert [each["state"] for each in shown["effects"]] == ["applied", "applied", "refused"]


def test_an_instruction_and_what_an_agent_would_be_told(server: Server) -> None:
    agent(server, "eve", "Look at the moon.")
    done = cabinet(server, "run", "eve", "reply with the single word hello", "--wait", "--json")
    assert (value(done)["kind"], value(done)["result"]["text"].strip()) == ("message", "hello")
    assert "Look at the moon." in cabinet(server, "agents", "prompt", "eve").stdout


@pytest.mark.long(reason="an interpreter for each command; the client is tested in one process")
def test_the_memory_of_an_agent_is_searched(server: Server) -> None:
    agent(server, "ivy")
    memory = server.root / ".agents/ivy/memory"
    memory.mkdir()
    (memory / "2026-01-14.md").write_text("Pears.\n\nThe plums are \x1b[31mblue.\n")
    done = cabinet(server, "agents", "search", "ivy", "PLUMS", "blue")
    assert done.stdout == "memory/2026-01-14.md:3  The plums are \\x1b[31mblue.\n", done.stderr
    assert len(value(cabinet(server, "agents", "search", "ivy", "plums", "--limit", "1", "--json"))["items"]) == 1
    assert "No passage" in cabinet(server, "agents", "search", "ivy", "apples").stdout


@pytest.mark.long(reason="an interpreter for each command; the client is tested in one process")
def test_an_agent_reflects(server: Server) -> None:
    agent(server, "mae")
    done = cabinet(server, "agents", "reflect", "mae", "--wait")
    assert done.returncode == 0, done.stderr
    assert "applied: SOUL.md\n     A person decides about it" in done.stdout
    again = cabinet(server, "agents", "reflect", "mae")
    assert again.returncode != 0 and "waits for a person" in again.stderr


def test_a_run_that_fails_is_told_by_the_exit_status(server: Server) -> None:
    agent(server, "fay")
    done = cabinet(server, "run", "fay", "fail: no disk", "--wait")
    assert done.returncode == 1 and "failed" in done.stdout, done.stdout + done.stderr


def test_the_table_of_agents_says_schedule_budget_and_why_one_is_out_of_service(server: Server) -> None:
    agent(server, "gus")
    (server.root / ".agents/bad.md").write_text("---\nbudget: lots\n---\nHello\x1b[31m\n")
    done = cabinet(server, "agents")
    assert done.returncode == 0 and "\x1b" not in done.stdout
    rows = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "every 4 hours" in rows["gus"] and "0/9" in rows["gus"]
    assert "out of service" in rows["bad"] and "field budget" in rows["bad"]


@pytest.mark.long(reason="pausing an agent is tested without the command line")
def test_an_agent_is_paused_and_resumed_and_what_it_does_is_ended(server: Server) -> None:
    agent(server, "hal")
    run = value(cabinet(server, "run", "hal", "sleep 60", "--json"))
    done = cabinet(server, "pause", "hal", "--now")
    assert f"Its run {run['id']} was ended." in done.stdout
    assert value(cabinet(server, "runs", "show", run["id"], "--json"))["state"] == "cancelled"
    refused = cabinet(server, "run", "hal")
    assert refused.returncode == 1 and "jupyter cabinet resume hal" in refused.stderr and refused.stdout == ""
    assert "hal is idle" in cabinet(server, "resume", "hal").stdout


def test_the_off_switch_holds_for_all_until_it_is_resumed(server: Server) -> None:
    agent(server, "ida")
    assert cabinet(server, "pause", "--now").returncode == 0
    assert "All agents are paused by Owner" in cabinet(server, "agents").stdout
    run = value(cabinet(server, "run", "ida", "reply with the single word hi", "--json"))
    assert run["state"] == "queued"
    assert cabinet(server, "resume").returncode == 0
    assert "agents are paused" not in cabinet(server, "agents").stdout
    assert cabinet(server, "runs", "cancel", run["id"]).returncode in (0, 1)


def test_a_play_is_listed_and_run_with_its_inputs(server: Server) -> None:
    agent(server, "joe")
    place = server.root / ".playbooks/plays"
    place.mkdir(parents=True, exist_ok=True)
    (place / "greet.md").write_text("---\nagent: joe\nname: greet\n---\nreply with the single word {{word}}\n")
    assert "greet" in cabinet(server, "plays").stdout
    done = cabinet(server, "plays", "run", "greet", "word=servus", "--wait")
    assert done.returncode == 0 and "servus" in done.stdout


def test_what_only_a_person_at_a_browser_may_do_is_refused_with_where_to_do_it(asking_server: Server) -> None:
    server = asking_server
    made = cabinet(server, "agents", "new", "kim", "--template", "research")
    assert made.returncode == 0 and "The current version needs confirmation" in made.stdout
    folder = cabinet(server, "run", "kim")
    assert folder.returncode == 1 and "confirm the folder" in folder.stderr and "/lab" in folder.stderr
    with server.browser_client("root") as browser:
        assert browser.post("trust", json={"hash": browser.get("trust").json()["hash"]}).status_code == 200
    unconfirmed = cabinet(server, "run", "kim")
    assert unconfirmed.returncode == 1 and "A person has to confirm it in the browser" in unconfirmed.stderr
    place = server.root / ".playbooks/plays"
    place.mkdir(parents=True)
    (place / "greet.md").write_text("---\nagent: kim\n---\nHello.\n")
    assert "A person has to confirm it in the browser" in cabinet(server, "plays", "run", "greet").stderr


def test_errors_are_the_servers_own_words_and_names_are_checked_before(server: Server, tmp_path: Path) -> None:
    unknown = cabinet(server, "agents", "show", "nobody")
    assert (unknown.returncode, unknown.stderr) == (1, "There is no such agent.\n")
    template = cabinet(server, "agents", "new", "lou", "--template", "none")
    assert template.returncode == 1 and "There are orchestrator" in template.stderr
    assert cabinet(server, "run", "../lou").returncode == 2
    assert cabinet(server, "runs", "show", "a/b").returncode == 2
    assert cabinet(server, "runs", "show", "nothing").returncode == 1
    wrong = cabinet(server, "agents", "--url", server.url, "--token", "wrong", folder=tmp_path)
    assert wrong.returncode == 1 and "did not accept the token" in wrong.stderr and "wrong" not in wrong.stderr
    nowhere = cabinet(server, "agents", "--url", "http://127.0.0.1:9/", folder=tmp_path)
    assert nowhere.returncode == 1 and "cannot be reached" in nowhere.stderr
    elsewhere = cabinet(server, "agents", "--url", server.origin, folder=tmp_path)
    assert elsewhere.returncode == 1 and "has no Jupyter Cabinet" in elsewhere.stderr


@pytest.mark.long(reason="an interpreter for each command; the client is tested in one process")
def test_what_a_run_has_changed_is_listed_and_printed_by_line(server: Server) -> None:
    (server.root / "told.md").write_text("# Told\n")
    with server.client("ada") as client:
        values = {"kind": "editor", "path": "told.md", "runtime": "demo", "mode": "headless"}
        run = server.run(client, "append: one\x1b[2J", **values)
        empty = server.run(client, "reply with the single word hello", **values)
    listed = cabinet(server, "changes", run["id"])
    assert " ".join(listed.stdout.split()) == "FILE WHAT ADDED REMOVED told.md changed 2 0"
    patch = cabinet(server, "changes", run["id"], "--file", "told.md").stdout.splitlines()
    assert patch == ["--- told.md", "+++ told.md", "@@ -1,1 +1,3 @@", " # Told", "+", "+one\\x1b[2J"]
    both = value(cabinet(server, "changes", run["id"], "--patch", "--json"))
    assert (len(both["files"]), both["diffs"][0]["path"]) == (1, "told.md")
    (row,) = cabinet(server, "activity", "--path", "told.md", "--changed").stdout.splitlines()[1:]
    assert run["id"] in row and "1 files +2 −0" in row and "append: one\\x1b[2J" in row
    assert value(cabinet(server, "activity", "--query", "append: one", "--json"))["items"][0]["run"]["id"] == run["id"]
    assert "No activity matches" in cabinet(server, "activity", "--until", "2020-01-01").stdout
    told = cabinet(server, "activity", "--changed", "--export", "told.ipynb")
    assert told.returncode == 0 and "Written to told.ipynb" in told.stdout
    assert "+one" in (server.root / "told.ipynb").read_text()
    again = cabinet(server, "activity", "--export", "told.ipynb")
    assert (again.returncode, "exists already" in again.stderr) == (1, True)
    refused = cabinet(
        server, "activity", "--state", "x", "--export", "told.jsonl", "--token", "wrong", "--url", server.url
    )
    assert refused.returncode == 1 and not (server.root / "told.jsonl").exists()
    assert cabinet(server, "activity", "--export", "told.pdf").returncode == 2
    assert cabinet(server, "activity", "--since", "soon").returncode == 2
    assert "has changed no file" in cabinet(server, "changes", empty["id"]).stdout
    unknown = cabinet(server, "changes", run["id"], "--file", "other.md")
    assert (unknown.returncode, unknown.stderr) == (1, "The run has not changed this file.\n")


@pytest.mark.long(reason="an interpreter for each command; the client is tested in one process")
def test_an_agent_is_written_to_a_file_and_imported_from_it(server: Server) -> None:
    agent(server, "uma")
    (server.root / ".agents/uma/memory").mkdir()
    (server.root / ".agents/uma/memory/learnings.md").write_text("Plums \x1b[2Jare blue.\n")
    told = cabinet(server, "agents", "export", "uma", "--memory")
    assert (told.returncode, told.stdout) == (0, "Written to uma.agent.zip.\n")
    assert cabinet(server, "agents", "export", "uma").returncode == 1  # the file exists already
    nobody = cabinet(server, "agents", "export", "nobody")
    assert (nobody.returncode, (server.root / "nobody.agent.zip").exists()) == (1, False)
    shown = cabinet(server, "agents", "import", "uma.agent.zip", "--show")
    assert shown.returncode == 0 and "\x1b" not in shown.stdout
    assert "Plums \\x1b[2Jare blue." in shown.stdout and "Nothing was written" in shown.stdout
    assert not (server.root / ".agents/uma-2").exists()
    made = cabinet(server, "agents", "import", "uma.agent.zip", "--as", "ula")
    assert made.returncode == 0 and "The agent ula was imported" in made.stdout
    assert (server.root / ".agents/ula/memory/learnings.md").read_text() == "Plums \x1b[2Jare blue.\n"
    taken = cabinet(server, "agents", "import", "uma.agent.zip", "--as", "ula")
    assert taken.returncode == 1 and "already exists" in taken.stderr
    assert value(cabinet(server, "agents", "import", "uma.agent.zip", "--json"))["slug"] == "uma-2"
    assert cabinet(server, "agents", "import", "absent.zip").returncode == 1
    (server.root / "no.zip").write_text("no")
    assert "was not accepted" in cabinet(server, "agents", "import", "no.zip").stderr


@pytest.mark.long(reason="an interpreter for each command; the client is tested in one process")
def test_an_agent_of_another_system_is_imported_from_its_folder(server: Server, tmp_path: Path) -> None:
    home = write(tmp_path / "clade", ORCHESTRATOR)
    several = cabinet(server, "agents", "import", str(home))
    assert several.returncode == 1 and "coder, researcher" in several.stderr and "--agent NAME" in several.stderr
    shown = cabinet(server, "agents", "import", str(home / "agents/researcher"), "--show")
    assert shown.returncode == 0 and "Seems to be: an agent of an orchestrator" in shown.stdout
    assert re.search(r"agents/researcher/PLAN\.md +\(left out\) +Copy what is still", shown.stdout)
    assert re.search(r"agents/researcher/memory/cache\.db +\(left out\)", shown.stdout)  # it is not even sent
    assert not (server.root / ".agents/researcher").exists()
    made = cabinet(server, "agents", "import", str(home), "--agent", "researcher", "--as", "rita")
    assert made.returncode == 0 and "The agent rita was imported" in made.stdout, made.stderr
    assert (server.root / ".agents/rita/SOUL.md").read_text() == ORCHESTRATOR["agents/researcher/SOUL.md"]
    absent = cabinet(server, "agents", "import", str(tmp_path))
    assert absent.returncode == 1 and "neither an agent" in absent.stderr


@pytest.mark.long(reason="an interpreter for each command; the client is tested in one process")
def test_channels_their_messages_and_accounts_are_listed(server: Server, tmp_path: Path) -> None:
    agent(server, "mia")
    none = cabinet(server, "channels")
    assert none.returncode == 0 and "choose Add channel" in none.stdout
    with TelegramServer() as telegram, channel_of_server(server, telegram, agent="mia") as id:
        telegram.write("remember \x1b[2Jwalrus")
        until(lambda: "walrus" in telegram.texts()[-1], what="the answer")
        _, row = cabinet(server, "channels", "list").stdout.splitlines()
        assert " ".join(row.split()) == f"Team bot telegram connected as @cabinet_test_bot mia 1 {id}"
        listed = cabinet(server, "channels", "messages", "Team bot", "--query", "walrus")
        assert listed.returncode == 0 and "\x1b" not in listed.stdout
        answer, question = listed.stdout.splitlines()[1:]
        assert " out " in answer and " mia " in answer
        assert " in " in question and " Ada " in question and "\\x1b[2Jwalrus" in question
        (first,) = value(cabinet(server, "channels", "messages", id, "--limit", "1", "--json"))["items"]
        assert first["direction"] == "out"
        files = value(cabinet(server, "channels", "export", id, "--to", str(tmp_path / "messages"), "--json"))["files"]
        assert "walrus" in Path(files[-1]).read_text() and "\x1b" not in Path(files[-1]).read_text()
        account = cabinet(server, "channels", "accounts").stdout
        assert "Team bot" in account and "ask agents" in account
        assert telegram.token not in json.dumps(value(cabinet(server, "channels", "--json")))
        unknown = cabinet(server, "channels", "messages", "Other")
        assert (unknown.returncode, unknown.stdout) == (1, "") and "There is no channel Other." in unknown.stderr

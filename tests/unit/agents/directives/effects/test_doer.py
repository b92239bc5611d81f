"""Directives have their effects on the files of agents, once, or are refused with the reason."""

import json
import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from harness.agent_files import BLOCK, apply_all, contents, directives, task_of_ada

from jupyter_cabinet.agents.directives.answer_block import TaskComplete, parse
from jupyter_cabinet.agents.directives.effects.doer import DirectiveDoer
from jupyter_cabinet.agents.directives.effects.model import Origin
from jupyter_cabinet.core.errors import Malformed, NoRoom, NotFound, Unavailable
from jupyter_cabinet.storage.filesystem import files

COMPLETED = ("TASK_COMPLETE [old-task]: done",)
ID = "01kxyz00000000000000000000"


def test_every_kind_of_directive_has_its_effect(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    task_of_ada(agents)
    results = apply_all(doer, origin, parse(BLOCK).directives)
    assert [each.state for each in results] == ["applied"] * 8
    assert [each.key for each in results] == [f"01kxyz/{number}" for number in range(1, 9)]
    assert {each.reason for each in results} == {""}
    found = contents(agents)
    assert found["ada/memory/context.md"] == "## 2026-01-14T12:30:00Z <!-- 01kxyz/1 -->\nLooked around.\n"
    assert "01kxyz/2" in found["ada/memory/decisions.md"] and "01kxyz/3" in found["ada/memory/learnings.md"]
    goals = json.loads(found["ada/memory/goals.json"])
    assert goals["goals"]["leads"]["current"] == 2.5 and goals["applied"] == ["01kxyz/4"]
    message = found[".messages/bob/2026-01-14T12-30-00Z_from_ada_01kxyz-5.md"]
    assert 'from: "ada"' in message and "depth: 1" in message and message.endswith("\n\nHello, @bob.\n")
    post = json.loads(found[".slack/general.jsonl"])
    assert (post["id"], post["mentions"], post["timestamp"]) == ("01kxyz-6", ["bob"], "2026-01-14T12:30:00Z")
    task = json.loads(found["bob/tasks/01kxyz-7.json"])
    assert (task["fromAgent"], task["priority"], task["chain"]) == ("ada", 1, ["ada"])
    done = json.loads(found["ada/tasks/old-task.json"])
    assert (done["status"], done["result"], done["colour"]) == ("completed", "Works.", "red")


def test_a_repetition_changes_nothing_and_has_the_same_result(
    doer: DirectiveDoer, origin: Origin, agents: Path
) -> None:
    task_of_ada(agents)
    found = parse(BLOCK).directives
    first, before = apply_all(doer, origin, found), contents(agents)
    assert apply_all(doer, origin, found) == first and contents(agents) == before


def test_a_task_that_has_moved_on_is_not_created_again(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    found = directives("TASK_CREATE [bob]: Fix it")
    apply_all(doer, origin, found)
    apply_all(doer, Origin(run_id="r", agent="bob", at=origin.at), directives("TASK_COMPLETE [01kxyz-1]: Done"))
    assert [each.state for each in apply_all(doer, origin, found)] == ["applied"]
    assert json.loads(contents(agents)["bob/tasks/01kxyz-1.json"])["status"] == "completed"


def test_a_link_in_the_place_of_a_file_is_not_read(
    doer: DirectiveDoer, origin: Origin, agents: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("the secret")
    (agents / "ada" / "memory").mkdir()
    (agents / "ada" / "memory" / "decisions.md").symlink_to(tmp_path / "secret")
    (result,) = apply_all(doer, origin, directives("DECISION: x"))
    assert result.state == "refused" and "it is a link" in result.reason
    assert (agents / "ada" / "memory" / "decisions.md").is_symlink()


def test_a_message_that_was_read_is_not_sent_again(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    found = directives("MESSAGE_TO [bob]: hello")
    apply_all(doer, origin, found)
    doer.acknowledge("bob", ["2026-01-14T12-30-00Z_from_ada_01kxyz-1"])
    apply_all(doer, origin, found)
    assert list(contents(agents)) == [".messages/bob/.read/2026-01-14T12-30-00Z_from_ada_01kxyz-1.md"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("MESSAGE_TO [eve]: hello", "There is no agent “eve”."),
        ("TASK_CREATE [eve]: hello", "There is no agent “eve”."),
        ("TASK_COMPLETE [other]: done", "“other” is not one of the agent"),
        ("TASK_FAIL [other]: broken", "“other” is not one of the agent"),
        ("GOAL_UPDATE [calls]: +1", "There is no goal “calls”. The agent's goals: leads."),
    ],
)
def test_a_target_must_exist(doer: DirectiveDoer, origin: Origin, agents: Path, line: str, reason: str) -> None:
    (result,) = apply_all(doer, origin, directives(line))
    assert result.state == "refused" and reason in result.reason
    assert not contents(agents)


def test_an_agent_completes_the_tasks_in_its_folder_and_no_other(
    doer: DirectiveDoer, origin: Origin, agents: Path
) -> None:
    place = task_of_ada(agents, toAgent="the-name-before")
    before = place.read_bytes()
    (other,) = apply_all(doer, Origin(run_id="r", agent="bob", at=origin.at), directives("TASK_COMPLETE [old-task]: x"))
    assert other.state == "refused" and "“old-task” is not one of the agent" in other.reason
    assert place.read_bytes() == before
    found = directives("TASK_COMPLETE [old-task]: done")
    (result,) = apply_all(doer, origin, found)
    done = json.loads(place.read_text())
    assert (result.state, done["status"], done["toAgent"]) == ("applied", "completed", "ada")
    after = place.read_bytes()
    assert [each.state for each in apply_all(doer, origin, found)] == ["applied"] and place.read_bytes() == after


def test_an_agent_says_that_a_task_has_failed_and_then_it_cannot_be_completed(
    doer: DirectiveDoer, origin: Origin, agents: Path
) -> None:
    place = task_of_ada(agents)
    failed, completed = apply_all(doer, origin, directives("TASK_FAIL [old-task]: No access.", *COMPLETED))
    task = json.loads(place.read_text())
    assert (failed.state, task["status"], task["result"], "tainted" in task) == (
        "applied",
        "failed",
        "No access.",
        False,
    )
    assert completed.state == "refused" and "is failed; it cannot become completed" in completed.reason


def test_a_task_that_a_run_with_text_from_outside_has_ended_is_tainted(
    doer: DirectiveDoer, origin: Origin, agents: Path
) -> None:
    place = task_of_ada(agents)
    apply_all(doer, Origin(run_id="r", agent="ada", at=origin.at, tainted=True), directives(*COMPLETED))
    assert json.loads(place.read_text())["tainted"] is True


def test_a_message_storm_is_capped_the_same_way_each_time(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    lines = ["MESSAGE_TO [bob]: a", "TASK_CREATE [bob]: b", "SLACK [general]: c", "DECISION: d"] * 5
    found = directives(*lines)
    results = apply_all(doer, origin, found)
    refused = [each for each in results if each.state == "refused"]
    assert len(refused) == 5 and all("Message storm" in each.reason for each in refused)
    assert [each.state for each in results[-4:]] == ["refused"] * 3 + ["applied"]
    assert apply_all(doer, origin, found) == results
    assert len(list((agents / ".messages" / "bob").iterdir())) == 4


@pytest.mark.parametrize(("depth", "state"), [(7, "applied"), (8, "refused")])
@pytest.mark.parametrize("line", ["MESSAGE_TO [bob]: a", "TASK_CREATE [bob]: b", "SLACK [general]: c"])
def test_a_chain_ends_at_eight(doer: DirectiveDoer, origin: Origin, line: str, depth: int, state: str) -> None:
    deep = Origin(run_id="r", agent="ada", at=origin.at, depth=depth)
    (result,) = apply_all(doer, deep, directives(line))
    assert result.state == state and (state == "applied" or "8 runs" in result.reason)


def test_taint_and_depth_travel(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    tainted = Origin(run_id="r", agent="ada", at=origin.at, tainted=True, depth=2, chain=("eve", "bob"))
    apply_all(
        doer, tainted, directives("DECISION: x", "MESSAGE_TO [bob]: a", "TASK_CREATE [bob]: b", "SLACK [general]: c")
    )
    found = contents(agents)
    assert "<!-- r/1 tainted -->" in found["ada/memory/decisions.md"]
    message = next(text for name, text in found.items() if name.startswith(".messages"))
    assert 'tainted: true\nchain: ["eve","bob","ada"]\n' in message and "depth: 3\n" in message
    for name in ("bob/tasks/r-3.json", ".slack/general.jsonl"):
        value = json.loads(found[name])
        assert (value["tainted"], value["depth"], value["chain"]) == (True, 3, ["eve", "bob", "ada"])


@pytest.mark.parametrize(
    ("file", "content", "line", "told"),
    [
        ("ada/memory/goals.json", b"{", "GOAL_UPDATE [leads]: +1", "goals.json: it is not valid JSON"),
        ("ada/memory/goals.json", b"[]", "GOAL_UPDATE [leads]: +1", "goals.json: expected a JSON object"),
        ("ada/memory/goals.json", b'{"goals": 1}', "GOAL_UPDATE [leads]: +1", "goals.json: goals: expected an object"),
        (".memory/ada/state.json", b"{", "GOAL_UPDATE [leads]: +1", "goals.json: it is not valid JSON"),
        ("ada/tasks/old-task.json", b"null", "TASK_COMPLETE [old-task]: x", "old-task.json: expected a JSON object"),
        ("ada/tasks/old-task.json", b'{"id": 1}', "TASK_COMPLETE [old-task]: x", "old-task.json: Expected `str`"),
        ("ada/memory/decisions.md", b"a\nb\xff", "DECISION: x", "decisions.md, line 2: the text is not UTF-8"),
        ("ada/memory/goals.json", b" " * (5 << 20), "GOAL_UPDATE [leads]: +1", "goals.json: it is larger than"),
    ],
)
def test_a_malformed_file_is_told_and_left_as_it_is(
    doer: DirectiveDoer, origin: Origin, agents: Path, file: str, content: bytes, line: str, told: str
) -> None:
    (agents / file).parent.mkdir(parents=True)
    (agents / file).write_bytes(content)
    (result,) = apply_all(doer, origin, directives(line))
    assert result.state == "refused" and told in result.reason
    assert [path.read_bytes() for path in agents.rglob("*.*") if path.is_file() and path.name != "persona.md"] == [
        content
    ]


@pytest.mark.parametrize("link", ["ada/memory", "ada", ".messages", ".messages/bob", ".slack", ".slack/general.jsonl"])
def test_no_link_leads_out_of_the_root(
    doer: DirectiveDoer, origin: Origin, agents: Path, link: str, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("")
    shutil.rmtree(agents / link, ignore_errors=True)
    (agents / link).parent.mkdir(parents=True, exist_ok=True)
    (agents / link).symlink_to(outside / "file" if link.endswith("jsonl") else outside)
    found = directives("DECISION: x", "GOAL_UPDATE [leads]: +1", "MESSAGE_TO [bob]: x", "SLACK [general]: x")
    results = apply_all(doer, origin, found)
    assert "refused" in {each.state for each in results}
    assert [path.name for path in outside.iterdir()] == ["file"] and (outside / "file").read_text() == ""


def test_a_post_is_not_appended_through_a_hard_link_and_is_when_that_is_a_copy(
    doer: DirectiveDoer, origin: Origin, agents: Path, tmp_path: Path
) -> None:
    outside, channel = tmp_path / "outside", agents / ".slack" / "general.jsonl"
    outside.write_text("theirs\n")
    channel.parent.mkdir()
    os.link(outside, channel)
    (result,) = apply_all(doer, origin, directives("SLACK [general]: x"))
    assert result.state == "refused" and ".agents/.slack/general.jsonl: it is a hard link" in result.reason
    assert outside.read_text() == "theirs\n"
    channel.unlink()
    shutil.copy(outside, channel)
    (result,) = apply_all(doer, origin, directives("SLACK [general]: x"))
    assert result.state == "applied" and len(channel.read_text().splitlines()) == 2


def test_the_memory_of_an_earlier_installation_is_taken_over(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    old = agents / ".memory" / "ada"
    old.mkdir(parents=True)
    (old / "context.md").write_text("Long ago.")
    (old / "state.json").write_text('{"goals": {"leads": {"current": 3, "period_start": "2026-01-12"}}, "x": 1}')
    apply_all(doer, origin, directives("CONTEXT_UPDATE: now", "GOAL_UPDATE [leads]: +1"))
    found = contents(agents)
    assert found["ada/memory/context.md"].count("## ") == 2 and "Long ago." in found["ada/memory/context.md"]
    goals = json.loads(found["ada/memory/goals.json"])
    assert goals["goals"]["leads"]["current"] == 4 and goals["x"] == 1
    assert not any(name.startswith(".memory") for name in found)


def test_goals_are_read_as_they_are_now_and_alert_once(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    apply_all(doer, origin, directives("GOAL_UPDATE [leads]: +1"))
    sunday = origin.at + timedelta(days=4)
    assert doer.alert_floors("ada", now=origin.at) == []
    assert doer.alert_floors("ada", now=sunday) == ["leads"] and doer.alert_floors("ada", now=sunday) == []
    assert doer.goals("ada", now=sunday).goals["leads"].current == 1
    assert doer.goals("ada", now=sunday + timedelta(days=7)).goals["leads"].current == 0
    assert doer.goals("nobody", now=sunday).goals == {}


def test_exactly_the_named_messages_are_acknowledged(doer: DirectiveDoer, agents: Path) -> None:
    inbox = agents / ".messages" / "ada"
    inbox.mkdir(parents=True)
    for name in (
        f"2026-01-01T00-00-00Z_from_bob_{ID}-1.md",
        f"2026-01-01T00-00-00Z_from_bob_{ID}-2.md",
        "old_from_bob.md",
        "n.txt",
    ):
        (inbox / name).write_text(name)
    (inbox / ".read").mkdir()
    (inbox / ".read" / "old_from_bob.md").write_text("another")
    for _ in range(2):
        doer.acknowledge("ada", [f"{ID}-1", "old_from_bob", "n.txt", f"{ID}-3"])
    assert sorted(path.name for path in inbox.iterdir()) == [
        ".read",
        f"2026-01-01T00-00-00Z_from_bob_{ID}-2.md",
        "n.txt",
    ]
    assert {path.name: path.read_text() for path in (inbox / ".read").iterdir()} == {
        f"2026-01-01T00-00-00Z_from_bob_{ID}-1.md": f"2026-01-01T00-00-00Z_from_bob_{ID}-1.md",
        "old_from_bob.md": "another",
        "old_from_bob-2.md": "old_from_bob.md",
    }
    with pytest.raises(NotFound):
        doer.acknowledge("nobody", ["m1"])


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_folder_that_cannot_be_written_is_unavailable(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    apply_all(doer, origin, directives("DECISION: x"))
    before = contents(agents)
    (agents / "ada" / "memory").chmod(0o500)
    try:
        with pytest.raises(Unavailable, match=r"decisions.md cannot be written"):
            doer.apply(directives("LEARNING: y", "DECISION: y")[1], origin, among=())
    finally:
        (agents / "ada" / "memory").chmod(0o700)
    assert contents(agents) == before


def test_a_disk_that_refuses_is_unavailable(
    doer: DirectiveDoer, origin: Origin, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_all(doer, origin, directives("DECISION: x"))
    before = contents(agents)

    def refuse(*_arguments: object, **_named: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(files, "replace", refuse)
    with pytest.raises(Unavailable, match=r"decisions.md cannot be written: Read-only file system"):
        doer.apply(directives("LEARNING: y", "DECISION: y")[1], origin, among=())
    assert contents(agents) == before


def test_a_full_disk_is_no_room(
    doer: DirectiveDoer, origin: Origin, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_all(doer, origin, directives("DECISION: x"))
    before = contents(agents)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NoRoom, match=r"no room on the disk to write .agents/ada/memory/decisions.md"):
        doer.apply(directives("LEARNING: y", "DECISION: y")[1], origin, among=())
    assert contents(agents) == before


def test_an_agent_that_is_gone_has_no_effects(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    shutil.rmtree(agents / "ada")
    shutil.rmtree(agents / "bob")
    results = apply_all(doer, origin, directives("DECISION: x", "MESSAGE_TO [bob]: x"))
    assert [each.state for each in results] == ["refused", "refused"] and not contents(agents)


def test_reading_goals_tells_a_malformed_file(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    (agents / "ada" / "memory").mkdir(parents=True)
    (agents / "ada" / "memory" / "goals.json").write_text('{"goals": {"leads": {"current": "x"}}}')
    with pytest.raises(Malformed, match=r"goals.leads.current: expected a number"):
        doer.goals("ada", now=origin.at)


def test_check_says_the_same_without_doing_it(doer: DirectiveDoer, origin: Origin, agents: Path) -> None:
    (fine,) = directives("MESSAGE_TO [bob]: x")
    assert doer.check(fine, origin, among=[fine]) is None
    assert doer.check(TaskComplete(position=1, line=1, task_id="x", result="y"), origin, among=()) is not None
    assert not contents(agents)

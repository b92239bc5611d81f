"""Plans through the API, from the command line, from Python and in the examples of the page about them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harness.how_to import files_of, shells_of
from harness.server import Server, until

from jupyter_cabinet.client import Cabinet

PAGE = Path(__file__).parents[2] / "docs/how-to/work-with-plans.md"
HELLO = "reply with the single word {}"


def at_rest(client: Any, plan_id: str) -> dict[str, Any]:
    def rests() -> dict[str, Any] | None:
        plan: dict[str, Any] = client.get(f"plans/{plan_id}").json()
        return None if plan["state"] == "running" or plan["counts"]["running"] else plan

    return until(rests, seconds=60)


def command(server: Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jupyter_cabinet.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=90,
        cwd=server.root,
        env=server.environment(),
        check=False,
    )


def test_a_plan_is_made_run_changed_and_deleted(shared_server: Server) -> None:
    steps = [
        {"key": "a", "title": "First", "prompt": HELLO.format("plum")},
        {"key": "b", "title": "Second", "prompt": HELLO.format("pear"), "depends_on": ["a"]},
    ]
    with shared_server.client("ada") as client:
        made = client.post("plans", json={"title": "Fruit", "runtime": "demo", "steps": steps}).json()
        address = f"plans/{made['id']}"
        assert (made["state"], made["steps"][1]["depends_on"]) == ("draft", [made["steps"][0]["id"]])
        circle = {"title": "First", "depends_on": [made["steps"][1]["id"]]}
        refused = client.put(f"{address}/steps/{made['steps'][0]['id']}", json=circle)
        assert refused.status_code == 400
        assert "form a cycle: “First” → “Second” → “First”" in refused.json()["error"]["message"]

        assert client.post(f"{address}/run").json()["state"] == "running"
        plan = at_rest(client, made["id"])
        assert plan["state"] == "done" and plan["counts"]["done"] == 2
        detail = client.get(f"{address}/steps/{plan['steps'][1]['id']}").json()
        assert [each["text"] for each in detail["receives"]] == ["plum"]
        run = client.get(f"runs/{plan['steps'][1]['work_run_id']}").json()
        assert (run["plan_id"], run["trigger"]["source"]) == (made["id"], "the plan “Fruit”")

        again = client.post("plans/import", json=client.get(f"{address}/export").json()).json()
        assert [each["title"] for each in again["steps"]] == ["First", "Second"]
        assert again["steps"][1]["depends_on"] == [again["steps"][0]["id"]]
        for id in (made["id"], again["id"]):
            assert client.delete(f"plans/{id}").status_code == 204
        assert client.get(address).status_code == 404


def test_a_bad_file_is_refused_with_the_line(shared_server: Server) -> None:
    with shared_server.client("ada") as client:
        for text, expected in (
            ("title: x\nsteps: [", "Line 3 cannot be read"),
            (
                "title: x\nsteps:\n  - title: a\n    depends_on: [b]\n",
                "“a” depends on b, which is not a step of this plan. Name the step by its key.",
            ),
            ("title: x\nstep: []\n", "unknown field `step`"),
            ("title: x\ncwd: ../elsewhere\n", "leads out of"),
            ("title: x\nsteps: [&a {title: a}, *a]\n", "cannot be read"),
        ):
            reply = client.post("plans/import", json={"text": text})
            assert reply.status_code == 400, text
            assert expected in reply.json()["error"]["message"]


def test_the_run_of_a_step_cannot_be_requested(shared_server: Server) -> None:
    body = {"kind": "step", "instruction": "x", "plan_id": "01", "step_id": "01"}
    with shared_server.client("ada") as client:
        assert client.post("runs", json=body).json()["error"]["detail"] == {"field": "kind"}


@pytest.mark.long(reason="an interpreter for each command")
def test_the_examples_of_the_page_run(shared_server: Server) -> None:
    for name, text in files_of(PAGE).items():
        (shared_server.root / name).write_text(text)
    for line in shells_of(PAGE):
        done = command(shared_server, *shlex.split(line.removeprefix("jupyter cabinet ")))
        assert done.returncode == 0, done.stdout + done.stderr
        assert "  done." in done.stdout
    listed = command(shared_server, "plans", "--json")
    titles = {each["title"]: each["id"] for each in json.loads(listed.stdout)["items"]}
    assert {"Tidy the notes", "Build and check"} <= titles.keys()
    shown = command(shared_server, "plans", "show", "Tidy the notes")
    assert "Write the summary" in shown.stdout
    assert "There is no plan nothing." in command(shared_server, "plans", "show", "nothing").stderr


@pytest.mark.long(reason="an interpreter for each command")
def test_options_of_work_also_change_the_plan_that_a_file_has_already(shared_server: Server) -> None:
    folder = shared_server.root / "limited"
    folder.mkdir()
    (folder / "PLAN.md").write_text("- [ ] reply with the single word one\n- [ ] reply with the single word two\n")
    work = ("work", "--plan", "limited/PLAN.md", "--wait", "--json")
    done = command(shared_server, *work, "--runtime", "demo", "--domain", "coding", "--max-runs", "1")
    plan = json.loads(done.stdout)
    assert (done.returncode, plan["state"], plan["commit"], plan["counts"]["done"]) == (1, "paused", True, 1)
    assert plan["steps"][0]["commit"] == "Not committed: the step has changed no file."
    done = command(shared_server, *work, "--no-commit", "--max-minutes", "5", "--verify", "true")
    again = json.loads(done.stdout)
    assert (done.returncode, again["id"], again["state"], again["commit"]) == (0, plan["id"], "done", False)
    assert (again["max_runs"], again["max_minutes"], again["runtime"]) == (1, 5, "demo")
    assert [step["verify"] for step in again["steps"]] == [[], ["true"]]
    assert again["checklist"]["domain"] == "coding"
    nothing = command(shared_server, "work", "--plan", "limited/PLAN.md")
    assert (nothing.returncode, nothing.stdout) == (0, "No task of limited/PLAN.md is open.\n")
    with shared_server.client("ada") as client:
        client.post(f"plans/{plan['id']}/archive", json={})
    shown = command(shared_server, "plans", "show", "limited/PLAN.md", "--json")
    assert json.loads(shown.stdout)["id"] == plan["id"]


@pytest.mark.long(reason="an interpreter for each command; the steps are tested in one process")
def test_one_step_is_run_retried_and_skipped_by_a_command(shared_server: Server) -> None:
    gate = [sys.executable, "-c", "open('step-gate.txt')"]
    steps = [
        {"key": "gate", "title": "Gate", "command": gate, "retries": 0},
        {"title": "Behind", "command": ["true"], "depends_on": ["gate"]},
        {"title": "Beside", "command": ["true"]},
    ]
    with shared_server.client("ada") as client:
        client.post("plans", json={"title": "By steps", "steps": steps}).raise_for_status()

    def run(*arguments: str) -> tuple[int, dict[str, str]]:
        done = command(shared_server, "plans", *arguments, "--json")
        return done.returncode, {step["title"]: step["state"] for step in json.loads(done.stdout)["steps"]}

    waits = {"Behind": "pending", "Beside": "pending"}
    assert run("run", "By steps", "Gate", "--wait") == (1, {"Gate": "failed", **waits})
    refused = command(shared_server, "plans", "run", "By steps", "2")
    assert (refused.returncode, "“Behind” waits for “Gate”, which failed" in refused.stderr) == (1, True)
    (shared_server.root / "step-gate.txt").write_text("")
    assert run("run", "By steps", "1", "--wait") == (0, {"Gate": "done", **waits})
    assert run("skip", "By steps", "Beside") == (0, {"Gate": "done", "Behind": "pending", "Beside": "skipped"})
    assert run("run", "By steps", "Behind", "--wait") == (0, {"Gate": "done", "Behind": "done", "Beside": "skipped"})
    for arguments, problem in (
        (("skip", "By steps", "4"), "The plan has no step 4."),
        (("run", "By steps", "Nothing"), "The plan has no step Nothing."),
        (("run", "By steps", "--continue"), "--continue needs a step."),
        (("skip", "By steps", "Gate"), "This step is done, so it cannot be skipped."),
    ):
        refused = command(shared_server, "plans", *arguments)
        assert (refused.returncode, problem in refused.stderr) == (1, True), refused.stderr


@pytest.mark.slow(reason="an interpreter for each command")
def test_the_renamed_file_of_a_plan_is_chosen_by_a_command(shared_server: Server) -> None:
    file = shared_server.root / "BEFORE.md"
    file.write_text("- [ ] reply with the single word one\n")
    with shared_server.client("ada") as client:
        new = {"title": "Renamed", "runtime": "demo", "checklist": {"path": "BEFORE.md"}}
        client.post("plans", json=new).raise_for_status()
    file.rename(shared_server.root / "AFTER.md")
    shown = command(shared_server, "plans", "show", "Renamed")
    assert "  Its checklist BEFORE.md is missing. If it was renamed or moved, choose it again: " in shown.stdout
    chosen = command(shared_server, "plans", "checklist", "Renamed", "AFTER.md")
    assert (chosen.returncode, chosen.stdout) == (0, "It now works through AFTER.md. Run the plan to continue.\n")
    shown = command(shared_server, "plans", "show", "AFTER.md")
    assert "Renamed" in shown.stdout and "missing" not in shown.stdout


@pytest.mark.slow(reason="waits for a plan")
def test_a_command_that_waits_says_that_a_proposal_has_to_be_decided(shared_server: Server) -> None:
    steps = [{"key": "a", "title": "First", "prompt": HELLO.format("plum")}, {"title": "Last", "depends_on": ["a"]}]
    new = {"title": "Decided", "runtime": "demo", "evaluation": "propose", "description": "after First: insert Check"}
    run = [sys.executable, "-m", "jupyter_cabinet.cli", "plans", "run", "Decided", "--wait"]
    with shared_server.client("ada") as client:
        plan = client.post("plans", json={**new, "steps": steps}).raise_for_status().json()
        with subprocess.Popen(
            run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shared_server.environment()
        ) as waits:
            assert waits.stderr is not None
            assert waits.stderr.readline() == b"Waits for your decision on a proposal.\n"
            proposal = client.get(f"plans/{plan['id']}").json()["proposals"][0]["id"]
            client.post(f"plans/{plan['id']}/proposals/{proposal}", json={"decision": "refuse"}).raise_for_status()
            assert waits.wait(60) == 0


@pytest.mark.slow(reason="waits for a plan")
def test_a_plan_in_python(shared_server: Server) -> None:
    with Cabinet(shared_server.url, token=shared_server.token("ada")) as cabinet:
        plan = cabinet.plans.create("In Python", [{"title": "One", "prompt": HELLO.format("one")}], runtime="demo")
        plan.add({"title": "Two", "prompt": "report blocked: ask me", "depends_on": [plan.steps[0].id]})
        parts = plan.split(
            "One", {"title": "One a", "command": ["true"]}, {"title": "One b", "command": ["true"]}
        ).steps
        names = {step.id: step.title for step in parts}
        after = {step.title: [names[id] for id in step.depends_on] for step in parts if step.state != "skipped"}
        assert after == {"One a": [], "One b": ["One a"], "Two": ["One b"]}
        plan.run()
        view = plan.wait(60)
        assert (view.state, view.steps[-1].blocker) == ("blocked", "ask me")
        plan.report("Two", summary="It is done.")
        assert plan.wait(60).state == "done"
        assert "In Python" in {each.title for each in cabinet.plans.list()}
        assert plan.text().startswith("title: In Python\n")
        with pytest.raises(ValueError, match="'In Python' is not a valid id of a plan"):
            cabinet.plans["In Python"]

"""Instructions that wait while an agent works, and what *Stop* and *End session* leave of a session."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]

pytestmark = pytest.mark.slow(reason="runs wait for each other")


def opened(server: Server, open_lab: OpenLab, name: str) -> Lab:
    """A document of this name, and an agent that works on it until it is stopped."""
    (server.root / f"{name}.md").write_text("# Queue\n")
    lab = open_lab(server, f"{name}.md")
    lab.open_editor()
    lab.run(f"wait for the file {name}.never")
    lab.expect_state("Running")
    expect(lab.panel.get_by_role("button", name="Queue", exact=True)).to_be_visible()
    return lab


def waiting(lab: Lab) -> Locator:
    return lab.panel.locator(".jp-Cabinet-queued")


def queue(lab: Lab, *instructions: str) -> None:
    for instruction in instructions:
        before = waiting(lab).count()
        lab.run(instruction)
        expect(waiting(lab)).to_have_count(before + 1, timeout=30_000)
        expect(waiting(lab).last).to_contain_text(instruction)


def test_instructions_wait_in_order_and_can_be_edited_dropped_and_sent_now(
    lab_server: Server, open_lab: OpenLab
) -> None:
    lab = opened(lab_server, open_lab, "ordered")
    expect(lab.composer).to_contain_text("It is queued until this answer is finished.")
    queue(lab, "append: first", "append: second", "append: third", "append: fourth")
    expect(lab.panel.locator(".jp-Cabinet-spoken")).to_have_text("Queued. 4 waiting.")
    lab.screenshot("queue-light")
    lab.button("Remove: append: second").click()
    expect(waiting(lab)).to_have_count(3, timeout=30_000)
    lab.button("Edit: append: first").focus()
    lab.page.keyboard.press("Enter")
    expect(waiting(lab)).to_have_count(2, timeout=30_000)
    expect(lab.composer).to_have_text("append: first")
    expect(lab.composer).to_be_focused()
    lab.composer.fill("")
    lab.button("Send now: append: fourth").click()
    lab.expect_document("# Queue\n\nfourth\n\nthird")
    lab.expect_state("Succeeded")
    expect(waiting(lab)).to_have_count(0)
    with lab_server.client("ada") as client:
        runs = client.get("runs", params={"path": "ordered.md"}).json()["items"]
    by_text = {run["instruction"]: run for run in runs}
    assert by_text["wait for the file ordered.never"]["state"] == "cancelled"
    assert by_text["append: second"]["state"] == by_text["append: first"]["state"] == "cancelled"
    worked = [by_text[f"append: {word}"] for word in ("fourth", "third")]
    assert {run["terminal_id"] for run in worked} == {by_text["wait for the file ordered.never"]["terminal_id"]}


@pytest.mark.long(reason="the order is tested without a browser")
def test_stop_keeps_the_session_and_what_waits_goes_on(lab_server: Server, open_lab: OpenLab) -> None:
    lab = opened(lab_server, open_lab, "stopped")
    queue(lab, "append: next")
    lab.button("Stop").click()
    lab.expect_document("next")
    lab.expect_state("Succeeded")
    lab.expect_screen("Interrupted")  # the terminal is the same
    lab.button("Earlier instruction").click()
    lab.expect_state("Cancelled")


@pytest.mark.long(reason="the queue's order is tested in the quick tier, its rules on the server")
def test_the_end_of_a_session_drops_what_waits(lab_server: Server, open_lab: OpenLab) -> None:
    lab = opened(lab_server, open_lab, "ended-session")
    queue(lab, "append: never")
    lab.button("End session").click()
    expect(waiting(lab)).to_have_count(0, timeout=30_000)
    expect(lab.button("End session")).to_have_count(0, timeout=30_000)

    with lab_server.client("ada") as client:
        runs = client.get("runs", params={"path": "ended-session.md"}).json()["items"]
        ended = [client.get(f"runs/{run['id']}", params={"wait": 30}).json() for run in runs]
    assert [run["state"] for run in ended] == ["cancelled"] * 2
    assert all(run["reason"].endswith("The session was ended.") for run in ended)
    lab.run("append: again")
    lab.expect_document("again")
    assert "never" not in (lab_server.root / "ended-session.md").read_text()


def test_a_run_says_that_it_waits_because_all_agents_are_paused(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "paused.md").write_text("# Queue\n")
    lab = open_lab(lab_server, "paused.md")
    lab.open_editor()
    why = lab.panel.get_by_text("has paused all agents. This run starts when they are resumed.")
    with lab_server.browser_client("ada") as client:
        try:
            assert client.post("switch", json={"paused": True}).status_code == 200
            lab.run("append: first")
            expect(why).to_be_visible()  # no terminal yet
            assert client.post("switch", json={"paused": False}).status_code == 200
            lab.expect_state("Succeeded")
            assert client.post("switch", json={"paused": True}).status_code == 200
            lab.run("append: second")
            lab.expect_state("Queued")
            expect(why).to_be_visible()  # above the terminal
        finally:
            client.post("switch", json={"paused": False})
    lab.expect_state("Succeeded")
    expect(why).to_have_count(0)


@pytest.mark.long(reason="a run says it in the quick tier; labels.spec.ts and plans.spec.ts have the words")
def test_plays_and_plans_say_that_all_agents_are_paused(lab_server: Server, open_lab: OpenLab) -> None:
    (lab_server.root / "paused-plan.md").write_text("# Queue\n")
    lab = open_lab(lab_server, "paused-plan.md")
    said = "All agents were paused by"
    step = {"title": "Tidy", "prompt": "say: tidied"}
    with lab_server.browser_client("ada") as client:
        body = {"title": "Paused plan", "runtime": "demo", "steps": [step]}
        plan = client.post("plans", json=body).raise_for_status().json()
        address = f"plans/{plan['id']}"
        try:
            client.post("switch", json={"paused": True}).raise_for_status()
            client.post(f"{address}/run", json={}).raise_for_status()
            lab.command("cabinet:plans", plan=plan["id"], step=plan["steps"][0]["id"])
            panel = lab.page.locator(".jp-Cabinet-plans")
            row = panel.locator(".jp-Cabinet-plan-step-main")
            expect(row).to_contain_text("Waiting")
            expect(row).to_contain_text("All agents are paused by")
            expect(panel.locator(".jp-Cabinet-plan-progress").first).to_have_text("0 of 1 done, 1 waiting")
            expect(panel.locator(".jp-Cabinet-strip")).to_contain_text(said)
            lab.command("cabinet:plays")
            strip = lab.page.locator(".jp-Cabinet-plays .jp-Cabinet-strip")
            expect(strip).to_contain_text(said)
        finally:
            client.post("switch", json={"paused": False})
        expect(strip).to_have_count(0)
        lab.command("cabinet:plans")
        expect(row).to_contain_text("Done")
        client.delete(address).raise_for_status()

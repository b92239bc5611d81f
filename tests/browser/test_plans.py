"""The panel of plans in a real browser: a plan is created, run to its end, corrected and walked by keyboard."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]
TO_THE_END = 60_000  # milliseconds in which a plan of few steps ends


def open_panel(lab_server: Server, open_lab: OpenLab, name: str, theme: str = "light") -> tuple[Lab, Locator]:
    page = lab_server.root / f"{name}.md"
    page.write_text("# Plans\n")
    lab = open_lab(lab_server, page.name, theme=theme)
    lab.command("cabinet:plans")
    panel = lab.page.locator(".jp-Cabinet-plans")
    expect(panel).to_be_visible()
    return lab, panel


def planned(server: Server, title: str, *steps: dict[str, Any], wait: bool = False, **fields: Any) -> dict[str, Any]:
    """Create a plan for the demo agent by the API. `wait`: run it to its end, too."""
    body = {"title": title, "runtime": "demo", "steps": steps, **fields}
    with server.client("ada") as client:
        plan: dict[str, Any] = client.post("plans", json=body).raise_for_status().json()
        address = f"plans/{plan['id']}"
        if wait:
            client.post(f"{address}/run", json={}).raise_for_status()
            until(lambda: client.get(address).json()["state"] == "done", seconds=60, what="the plan to end")
            plan = client.get(address).json()
    return plan


def create(lab: Lab, panel: Locator, title: str) -> Locator:
    """Create a plan for the demo agent by its dialog, and return its page."""
    panel.get_by_role("button", name="New plan").first.click()
    form = lab.page.get_by_role("dialog", name="New plan")
    expect(form.get_by_role("button", name="Create plan")).to_be_disabled()
    form.get_by_label("Title").fill(title)
    form.get_by_label("Agent or runtime").select_option(label="Demo agent")
    form.get_by_role("button", name="Create plan").click()
    expect(form).to_have_count(0)
    page = panel.get_by_role("region", name="Plan", exact=True)
    expect(page.get_by_role("heading", name=title)).to_be_focused()
    return page


def add_step(lab: Lab, page: Locator, title: str, instruction: str, depends_on: str = "", retries: str = "0") -> None:
    page.get_by_role("button", name="Add a step").click()
    form = lab.page.get_by_role("dialog", name="New step")
    form.get_by_label("Title").fill(title)
    form.get_by_label("Instruction").fill(instruction)
    if depends_on:
        form.get_by_role("checkbox", name=depends_on).check()
    form.get_by_text("More", exact=True).click()
    form.get_by_label("Retries").select_option(retries)
    form.get_by_role("button", name="Add step").click()
    expect(form).to_have_count(0)


@looks.in_both_themes
def test_a_plan_is_created_and_run_to_its_end(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    title = f"Greet in {theme}"
    lab, panel = open_panel(lab_server, open_lab, f"plans-{theme}", theme)
    page = create(lab, panel, title)
    add_step(lab, page, "Greet", "reply with the single word hello")
    add_step(lab, page, "Greet again", "reply with the single word hi", depends_on="Greet")
    add_step(lab, page, "Part", "reply with the single word goodbye", depends_on="Greet again")
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    expect(steps).to_have_count(3)
    lab.screenshot(f"plans-draft-{theme}")
    page.get_by_role("button", name="Run", exact=True).first.click()
    expect(page).to_contain_text("3 of 3 done", timeout=TO_THE_END)
    row = panel.get_by_role("region", name="Plans").get_by_role("listitem").filter(has_text=title)
    expect(row).to_contain_text("Done")
    graph = page.get_by_label("Graph of the steps")
    expect(graph.locator("[data-state=done]")).to_have_count(3)
    graph.locator("[data-state=done]").nth(1).click()
    step = panel.get_by_role("region", name="Step", exact=True)
    expect(step).to_contain_text("reply with the single word hi")
    expect(steps.nth(1).locator("[aria-current=true]")).to_be_visible()
    step.get_by_text("Handoff received").click()
    expect(step).to_contain_text("hello")
    expect(step.get_by_role("list", name="Runs").get_by_role("listitem")).to_have_count(1)
    lab.screenshot(f"plans-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-plans", lab.command) == []


@pytest.mark.long(reason="the quick tier does it with the mouse")
def test_the_same_by_keyboard(lab_server: Server, open_lab: OpenLab) -> None:
    lab, panel = open_panel(lab_server, open_lab, "plans-keys")
    page = create(lab, panel, "By keyboard")
    for title in ("One", "Two", "Three"):
        add_step(lab, page, title, f"reply with the single word {title.lower()}")
    mains = page.locator(".jp-Cabinet-plan-step-main")
    expect(mains).to_have_count(3)
    mains.nth(0).focus()
    press = lab.page.keyboard.press
    press("ArrowDown")
    expect(mains.nth(1)).to_be_focused()
    press("Enter")
    step = panel.get_by_role("region", name="Step", exact=True)
    expect(step.get_by_role("heading", name="Two")).to_be_visible()
    press("Tab")
    expect(page.get_by_role("button", name="Run", exact=True).nth(2)).to_be_focused()
    press("Enter")
    expect(page).to_contain_text("1 of 3 done", timeout=TO_THE_END)
    expect(page).to_contain_text("2 steps have not been started.")
    mains.nth(1).focus()
    press("End")
    expect(mains.nth(2)).to_be_focused()
    press("Tab")
    press("Tab")
    press("Enter")
    expect(page).to_contain_text("1 skipped")


@pytest.mark.long(reason="retrying and skipping are tested on the server")
def test_a_failed_step_is_run_again_and_skipped(lab_server: Server, open_lab: OpenLab) -> None:
    lab, panel = open_panel(lab_server, open_lab, "plans-failed")
    page = create(lab, panel, "With a failure")
    run = page.locator("header").get_by_role("button", name="Run", exact=True)
    expect(run).to_have_attribute("aria-disabled", "true")
    add_step(lab, page, "Fail", "report failed: The table is empty.")
    add_step(lab, page, "After it", "reply with the single word hello", depends_on="Fail")
    page.get_by_role("button", name="Run", exact=True).first.click()
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    expect(steps.nth(0)).to_contain_text("The table is empty.", timeout=TO_THE_END)
    expect(steps.nth(1)).to_contain_text("Waits because “Fail” failed.")
    expect(page).to_contain_text("“Fail” failed: The table is empty.")
    steps.nth(0).get_by_role("button").first.click()
    step = panel.get_by_role("region", name="Step", exact=True)
    runs = step.get_by_role("list", name="Runs").get_by_role("listitem")
    expect(runs).to_have_count(1)
    expect(runs.first).to_contain_text("Work Ended, and reported that the step failed", use_inner_text=True)
    expect(steps.nth(1).get_by_role("button", name="Run", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Retry").click()
    expect(runs).to_have_count(2, timeout=TO_THE_END)
    expect(page.get_by_role("button", name="Retry")).to_be_visible(timeout=TO_THE_END)
    step.get_by_role("button", name="Run again").click()
    expect(runs).to_have_count(3, timeout=TO_THE_END)
    expect(step.get_by_role("button", name="Skip")).to_be_visible(timeout=TO_THE_END)
    step.get_by_role("button", name="Skip").click()
    expect(steps.nth(0)).to_contain_text("Skipped")
    page.get_by_role("button", name="Run", exact=True).first.click()
    expect(page).to_contain_text("1 of 2 done, 1 skipped", timeout=TO_THE_END)
    steps.nth(1).get_by_role("button", name="Edit…").click()
    form = lab.page.get_by_role("dialog", name="Edit the step")
    expect(form.get_by_role("checkbox", name="Fail")).to_be_disabled()
    expect(form).to_contain_text("It has begun, so this can no longer be changed.")
    form.get_by_role("button", name="Cancel").click()
    step.get_by_role("button", name="Remove…").click()
    lab.page.locator(".jp-Dialog").get_by_role("button", name="Remove").click()
    expect(steps).to_have_count(1)


@pytest.mark.long(reason="the second view of a plan; the quick tier uses the first")
@looks.in_both_themes
def test_the_states_of_steps_are_a_column(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    title = f"Many states in {theme}"
    steps: list[dict[str, Any]] = [
        {"key": "a", "title": "Load the tables of the last twelve months, and check them", "command": ["true"]},
        {"key": "b", "title": "Log in", "prompt": "report blocked: Give me a key.", "depends_on": ["a"]},
        {"title": "Fetch", "prompt": "reply with the single word fetched", "depends_on": ["b"]},
        {"key": "d", "title": "Compare", "prompt": "report failed: The table is empty.", "retries": 0},
        {"title": "Plot", "command": ["true"], "depends_on": ["d"]},
    ]
    plan = planned(lab_server, title, *steps)
    extra = {"title": "Write an answer", "command": ["true"]}
    with lab_server.client("ada") as client:
        address = f"plans/{plan['id']}"
        client.post(f"{address}/run", json={}).raise_for_status()
        until(lambda: client.get(address).json()["state"] == "failed", seconds=60, what="the plan to rest")
        added = client.post(f"{address}/steps", json={"steps": [extra, extra]}).raise_for_status().json()
        client.post(f"{address}/steps/{added['steps'][-1]['id']}/skip").raise_for_status()
    lab, panel = open_panel(lab_server, open_lab, f"plans-column-{theme}", theme)
    panel.get_by_role("region", name="Plans").get_by_role("button").filter(has_text=title).click()
    page = panel.get_by_role("region", name="Plan", exact=True)
    expect(page.get_by_role("list", name="Steps").get_by_role("listitem")).to_have_count(7)
    states = page.locator(".jp-Cabinet-plan-step-state")
    for width in (1440, 800, 640):
        lab.page.set_viewport_size({"width": width, "height": 900})
        lab.screenshot(f"plans-column-{theme}-{width}")
        expect(states).to_have_text(["Done", "Blocked", "Queued", "Failed", "Queued", "Not started", "Skipped"])
        assert len({box["x"] for box in map(Locator.bounding_box, states.all()) if box}) == 1, width
        titles = page.locator(".jp-Cabinet-plan-step .jp-Cabinet-pane-title")
        boxes = [box for box in map(Locator.bounding_box, titles.all()) if box]
        assert len({box["x"] for box in boxes}) == 1 and min(box["width"] for box in boxes) >= 80, (width, boxes)
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-plans", lab.command) == []


@pytest.mark.long(reason="tests/unit/plans has the rules; plans are run and worked through in the quick tier")
def test_an_agent_writes_steps_and_proposes_more(lab_server: Server, open_lab: OpenLab) -> None:
    lab, panel = open_panel(lab_server, open_lab, "plans-proposals")
    page = create(lab, panel, "Written by an agent")
    page.get_by_label("Work", exact=True).fill("- greet\n- part")
    page.get_by_role("button", name="Break down").click()
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    expect(steps).to_have_count(2, timeout=TO_THE_END)
    expect(page).to_contain_text("2 steps were added.")
    page.get_by_role("button", name="Settings…").click()
    form = lab.page.get_by_role("dialog", name="Settings of the plan")
    form.get_by_label("Description").fill("after greet: insert Check the greeting")
    form.get_by_label("Evaluation").select_option(label="Propose new steps")
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    page.get_by_role("button", name="Run", exact=True).first.click()
    proposals = page.get_by_role("region", name="Proposals")
    expect(proposals).to_contain_text("Check the greeting", timeout=TO_THE_END)
    expect(page.get_by_label("Graph of the steps").locator("[data-state=proposed]")).to_have_count(1)
    expect(page).to_contain_text("Waits for your decision on a proposal.")
    panel.get_by_role("tab", name="Queue").click()
    queued = panel.get_by_role("list", name="Queue").get_by_role("listitem").filter(has_text="Written by an agent")
    expect(queued).to_contain_text("Waits for your decision on the proposal after “greet”.")
    lab.screenshot("plans-queue")
    queued.get_by_role("button").click()
    expect(panel.get_by_role("region", name="Step", exact=True).get_by_role("heading", name="part")).to_be_visible()
    lab.screenshot("plans-proposals")
    page = panel.get_by_role("region", name="Plan", exact=True)
    proposals.get_by_role("button", name="Apply").click()
    expect(page).to_contain_text("3 of 3 done", timeout=TO_THE_END)


@pytest.mark.long(reason="one link; what it leads to is visited by other tests")
def test_a_run_leads_back_to_its_plan(lab_server: Server, open_lab: OpenLab) -> None:
    hello = {"title": "Greet the readers", "prompt": "reply with the single word hello"}
    plan = planned(lab_server, "Linked from a run", hello, {"title": "Last", "prompt": "reply with hi"}, wait=True)
    lab, panel = open_panel(lab_server, open_lab, "plans-links")
    lab.command("cabinet:activity")
    row = lab.page.locator(".jp-Cabinet-activity-row", has_text="Greet the readers").first
    row.locator(".jp-Cabinet-activity-head").click()
    lab.screenshot("plans-link")
    row.get_by_role("button", name="Open plan").click()
    step = panel.get_by_role("region", name="Step", exact=True)
    expect(step.get_by_role("heading", name="Greet the readers")).to_be_visible()
    expect(panel.get_by_role("heading", name="Linked from a run")).to_have_count(1)
    with lab_server.client("ada") as client:
        session = client.get(f"runs/{plan['steps'][1]['work_run_id']}").json()["session_id"]
    lab.command("cabinet:show-run", session=session)
    lab.button("Open plan").click()
    expect(step.get_by_role("heading", name="Last")).to_be_visible()
    lab.screenshot("plans-link-editor")
    lab.command("cabinet:open-plan", plan=plan["id"], step="gone")
    page = panel.get_by_role("region", name="Plan", exact=True)
    expect(page.get_by_role("alert")).to_have_text("This step is no longer part of the plan.")
    lab.command("cabinet:open-plan", plan="0" * 32)
    expect(page).to_contain_text("This plan is not available")
    lab.screenshot("plans-gone")
    page.get_by_role("button", name="Show all plans").click()
    expect(page).to_contain_text("Select a plan to see its steps.")


@pytest.mark.long(reason="the store splits, and is tested with jest")
def test_a_step_is_split_by_keyboard(lab_server: Server, open_lab: OpenLab) -> None:
    plan = planned(lab_server, "To split", {"title": "Both", "key": "both"}, {"title": "After", "depends_on": ["both"]})
    lab, panel = open_panel(lab_server, open_lab, "plans-split")
    lab.command("cabinet:open-plan", plan=plan["id"], step=plan["steps"][0]["id"])
    step = panel.get_by_role("region", name="Step", exact=True)
    step.get_by_role("button", name="Split…").press("Enter")
    form = lab.page.get_by_role("dialog", name="Split “Both”")
    titles = form.get_by_label("Title")
    expect(titles.first).to_be_focused()
    expect(form.get_by_role("button", name="Remove new step 1")).to_have_attribute("aria-disabled", "true")
    titles.nth(0).fill("Greet")
    form.get_by_label("Instruction").nth(0).fill("reply with the single word hello")
    form.get_by_role("button", name="Add another step").press("Enter")
    expect(titles.nth(2)).to_be_focused()
    titles.nth(1).fill("Not needed")
    form.get_by_role("button", name="Remove new step 2").press("Enter")
    expect(titles).to_have_count(2)
    expect(titles.nth(1)).to_be_focused()
    expect(form.get_by_role("button", name="Split", exact=True)).to_be_disabled()
    titles.nth(1).fill("x" * 300)
    lab.page.keyboard.press("Enter")
    expect(form.get_by_role("alert")).to_contain_text("200 characters")
    lab.screenshot("plans-split")
    titles.nth(1).fill("Part")
    lab.page.keyboard.press("Enter")
    expect(form).to_have_count(0)
    steps = panel.get_by_role("list", name="Steps").get_by_role("listitem")
    expect(steps).to_have_count(4)
    expect(steps.nth(0)).to_contain_text("It was split into other steps.")
    with lab_server.client("ada") as client:
        found = {each["title"]: each for each in client.get(f"plans/{plan['id']}").json()["steps"]}
    assert found["Part"]["depends_on"] == [found["Greet"]["id"]]
    assert found["After"]["depends_on"] == [found["Part"]["id"]]


@looks.in_both_themes
def test_a_checklist_is_worked_through_beside_its_file(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    name = f"to-do-{theme}.md"
    (lab_server.root / name).write_text("# To do\n\n- [ ] reply with the single word hello\n- [x] Nothing\n")
    lab, panel = open_panel(lab_server, open_lab, f"plans-checklist-{theme}", theme)
    lab.command("filebrowser:refresh")
    lab.page.get_by_role("listitem", name=f"Name: {name}").click(button="right")
    lab.page.get_by_role("menuitem", name="Work through checklist…").click()
    form = lab.page.get_by_role("dialog", name="New plan")
    expect(form.get_by_label("Title")).to_have_value(f"Work through {name}")
    expect(form.get_by_label("Checklist")).to_have_value(name)
    form.get_by_label("Agent or runtime").select_option(label="Demo agent")
    form.get_by_label("Guidelines").select_option(label="Coding")
    form.get_by_label("Verify command").fill("true")
    lab.screenshot(f"plans-checklist-form-{theme}")
    form.get_by_role("button", name="Create plan").click()
    page = panel.get_by_role("region", name="Plan", exact=True)
    expect(page).to_contain_text(f"works through {name}")
    page.get_by_role("button", name="Open checklist").click()
    document = lab.page.locator(".jp-Document:not(.lm-mod-hidden)", has_text="To do")
    expect(document).to_be_visible()
    expect(panel).to_be_visible()
    page.get_by_role("button", name="Run", exact=True).first.click()
    expect(page).to_contain_text("1 of 1 done", timeout=TO_THE_END)
    expect(document).to_contain_text("[x] reply with the single word hello")
    lab.screenshot(f"plans-checklist-{theme}")
    lab.command("cabinet:work-through-checklist", path=name)  # it has a plan by now
    expect(lab.page.get_by_role("dialog", name="New plan")).to_have_count(0)
    expect(page.get_by_role("heading", name=f"Work through {name}")).to_be_visible()


@pytest.mark.long(reason="the quick tier works through another checklist")
@looks.in_both_themes
def test_a_checklist_that_was_renamed_is_chosen_again(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    name = f"renamed-{theme}.md"
    (lab_server.root / name).write_text("- [ ] reply with the single word hello\n")
    plan = planned(lab_server, f"Renamed in {theme}", checklist={"path": name})
    lab, panel = open_panel(lab_server, open_lab, f"plans-renamed-{theme}", theme)
    lab.command("cabinet:open-plan", plan=plan["id"])
    page = panel.get_by_role("region", name="Plan", exact=True)
    expect(page).to_contain_text(f"works through {name}")
    (lab_server.root / name).rename(lab_server.root / f"done-{name}")
    page.get_by_role("button", name="Open checklist").click()
    expect(page.get_by_role("alert")).to_have_text(f"There is no file {name}.")
    expect(page).to_contain_text(f"The checklist {name} is missing. It was renamed, moved or deleted.")
    lab.screenshot(f"plans-renamed-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-plans", lab.command) == []
    page.get_by_role("button", name="Locate the checklist…").click()
    form = lab.page.get_by_role("dialog", name="Locate the checklist")
    expect(form.get_by_label("Checklist")).to_have_value(name)
    form.get_by_label("Checklist").fill("nowhere.md")
    form.get_by_role("button", name="Use this file").click()
    expect(form).to_contain_text("There is no file nowhere.md.")
    form.get_by_label("Checklist").fill(f"done-{name}")
    form.get_by_role("button", name="Use this file").click()
    expect(form).to_have_count(0)
    expect(page).to_contain_text(f"works through done-{name}")
    expect(page).not_to_contain_text("is missing")


@pytest.mark.long(reason="the growing output is tested in rawOutput.spec.ts")
def test_what_a_step_prints_is_shown_as_it_comes(lab_server: Server, open_lab: OpenLab) -> None:
    wait = "import os, time\nprint('first line', flush=True)\nwhile not os.path.exists('go-on'): time.sleep(0.05)\n"
    command = [sys.executable, "-c", f"{wait}print('second line', flush=True)\nos.remove('go-on')"]
    plan = planned(lab_server, "A step that prints", {"title": "Print", "command": command})
    lab, panel = open_panel(lab_server, open_lab, "plans-output")
    lab.command("cabinet:open-plan", plan=plan["id"], step=plan["steps"][0]["id"])
    step = panel.get_by_role("region", name="Step", exact=True)
    step.get_by_role("button", name="Run", exact=True).click()
    step.get_by_role("button", name="Show output").click()
    output = lab.page.locator(".jp-Cabinet-output")
    expect(output).to_contain_text("first line")
    lab.screenshot("plans-output")
    (lab_server.root / "go-on").touch()
    expect(output).to_contain_text("second line")
    lab.page.locator(".jp-Dialog").get_by_role("button", name="Close").click()
    expect(step).to_contain_text("Done", timeout=TO_THE_END)
    expect(step.get_by_role("button", name="Show output")).to_have_count(0)


COVERED = """() => {
  const boxes = selector => [...document.querySelectorAll(selector)].map(node => node.getBoundingClientRect());
  const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const tools = boxes('.react-flow__controls, .react-flow__minimap');
  return boxes('.jp-Cabinet-plan-node').filter(node => tools.some(tool => over(node, tool))).length;
}"""


@pytest.mark.long(reason="a width")
def test_the_tools_of_the_graph_cover_no_step_in_a_narrow_tab(lab_server: Server, open_lab: OpenLab) -> None:
    first = [{"title": "Collect", "key": "a"}, {"title": "Names", "key": "b"}, {"title": "Alone"}]
    then = [{"title": "Last names", "key": "c", "depends_on": ["b"]}, {"title": "Summary", "depends_on": ["a", "c"]}]
    plan = planned(lab_server, "In a narrow tab", *first, *then, runtime=None)
    lab, panel = open_panel(lab_server, open_lab, "plans-narrow")
    for step in (None, plan["steps"][0]["id"]):
        lab.command("cabinet:open-plan", plan=plan["id"], **({"step": step} if step else {}))
        graph = panel.get_by_label("Graph of the steps")
        expect(graph.get_by_label("Collect: Not started")).to_be_in_viewport()
        expect(panel.get_by_role("region", name="Step", exact=True)).to_have_count(1 if step else 0)
        lab.page.wait_for_function(f"() => ({COVERED})() === 0")
        expect(panel.get_by_role("region", name="Plan", exact=True).locator("header")).to_contain_text("Default (")
        lab.screenshot(f"plans-narrow-{'step' if step else 'plan'}")


SMALLEST_TEXT = """() => Math.min(...[...document.querySelectorAll('.jp-Cabinet-plan-node-words > *')].map(
    text => parseFloat(getComputedStyle(text).fontSize) * text.getBoundingClientRect().height / text.offsetHeight
))"""


@pytest.mark.long(reason="a large graph")
@looks.in_both_themes
def test_the_graph_of_many_steps_begins_readable_at_the_next_one(
    lab_server: Server, open_lab: OpenLab, theme: str
) -> None:
    after = [{"title": f"Part {n}", "key": f"k{n}", "depends_on": [f"k{n - 1}"] if n > 1 else []} for n in range(1, 11)]
    plan = planned(lab_server, f"Many steps in {theme}", *after)
    with lab_server.client("ada") as client:
        for step in plan["steps"][:5]:
            client.post(f"plans/{plan['id']}/steps/{step['id']}/report", json={"status": "done"}).raise_for_status()
    lab, panel = open_panel(lab_server, open_lab, f"plans-many-{theme}", theme)
    lab.command("cabinet:open-plan", plan=plan["id"])
    graph = panel.get_by_label("Graph of the steps")
    following = graph.locator(".react-flow__node", has_text="Part 6")
    expect(following).to_be_in_viewport(ratio=0.99)
    expect(graph.get_by_label("Part 1: Done")).not_to_be_in_viewport()
    assert lab.page.evaluate(SMALLEST_TEXT) > 10.9
    expect(graph.get_by_role("img", name="Map of the steps")).to_be_visible()
    lab.screenshot(f"plans-many-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-plans", lab.command) == []
    graph.get_by_role("button", name="Zoom out").click()
    assert lab.page.evaluate(SMALLEST_TEXT) < 10.9
    graph.get_by_role("button", name="Reset the view").click()
    expect(following).to_be_in_viewport(ratio=0.99)
    lab.page.wait_for_function(f"() => ({SMALLEST_TEXT})() > 10.9")
    panel.get_by_role("list", name="Steps").get_by_role("button", name="Part 10").click()
    expect(graph.locator(".react-flow__node", has_text="Part 10")).to_be_in_viewport(ratio=0.99)


MOST_DRAWN = """() => {
    window.mostDrawn = 0;
    new MutationObserver(() => {
        const drawn = document.querySelectorAll('.jp-Cabinet-plan-node').length;
        window.mostDrawn = Math.max(window.mostDrawn, drawn);
    }).observe(document.body, { childList: true, subtree: true });
}"""


@pytest.mark.long(reason="a large graph")
def test_only_the_steps_in_sight_are_drawn_and_have_buttons(lab_server: Server, open_lab: OpenLab) -> None:
    after = [{"title": f"Bit {n}", "key": f"k{n}", "depends_on": [f"k{n - 1}"] if n > 1 else []} for n in range(1, 81)]
    plan = planned(lab_server, "Eighty bits", *after)
    lab, panel = open_panel(lab_server, open_lab, "plans-eighty")
    lab.page.evaluate(MOST_DRAWN)
    lab.command("cabinet:open-plan", plan=plan["id"])
    expect(panel.get_by_label("Graph of the steps").locator(".jp-Cabinet-plan-node").first).to_be_visible()
    assert 0 < lab.page.evaluate("() => window.mostDrawn") < 40
    last = panel.get_by_role("list", name="Steps").get_by_role("listitem").last
    expect(last).to_contain_text("Bit 80")
    expect(last.get_by_role("button")).to_have_count(1)  # the step itself
    last.scroll_into_view_if_needed()
    last.get_by_role("button", name="Skip").click()
    expect(last).to_contain_text("Skipped")


@pytest.mark.long(reason="how two graphs look side by side")
def test_the_arrows_are_there_while_the_graph_of_plays_is_hidden(lab_server: Server, open_lab: OpenLab) -> None:
    lab, panel = open_panel(lab_server, open_lab, "plans-arrows")
    lab.command("cabinet:plays")
    plan = planned(lab_server, "Two arrows", {"title": "One", "key": "one"}, {"title": "Two", "depends_on": ["one"]})
    lab.command("cabinet:open-plan", plan=plan["id"])
    graph = panel.get_by_label("Graph of the steps")
    expect(graph.locator(".react-flow__edge-path")).to_have_count(1)
    marker = "edge => edge.getAttribute('marker-end').slice(6, -2)"
    drawn = graph.locator(".react-flow__edge-path").evaluate(marker)
    assert lab.page.evaluate("id => document.getElementById(id).closest('.jp-Cabinet-plans') !== null", drawn)
    assert not drawn.startswith("1__")  # the name that the arrows of each graph without an id have

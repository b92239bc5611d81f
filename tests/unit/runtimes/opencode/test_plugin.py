"""What our plugin makes of the person's settings, in Node: the rules of a run over their own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from harness.examples import cases

from jupyter_cabinet.runtimes.opencode.runtime import PLUGIN

PROGRAM = """
const { default: plugin } = await import(process.argv[1]);
const [settings, config] = JSON.parse(process.argv[2]);
const hooks = await plugin.server({ client: {} }, settings);
await hooks.config(config);
process.stdout.write(JSON.stringify(config));
"""


def held(settings: dict, **config: object) -> dict:
    """The person's settings after the plugin."""
    told = json.dumps([settings, config])
    command = ["node", "--input-type=module", "-e", PROGRAM, PLUGIN.as_uri(), told]
    done = subprocess.run(command, capture_output=True, check=True, timeout=30)
    return json.loads(done.stdout)


def of(name: str, settings: dict, **config: object) -> dict:
    return held(settings, **config)["agent"][name]["permission"]


EDIT = {"rules": {"edit": "allow", "bash": "ask"}}


def test_a_run_without_rules_leaves_everything_as_it_is():
    assert held({"rules": {}}, permission="ask") == {"permission": "ask"}


def test_rules_come_after_all_that_would_overrule_them():
    mine = {"mine": {"permission": {"bash": "allow", "read": "ask"}}}
    found = of("mine", EDIT, permission={"bash": "allow"}, agent=mine)
    assert list(found.items()) == [("read", "ask"), ("edit", "allow"), ("bash", "ask")]


@pytest.mark.parametrize("permission", ["deny", {"*": "deny"}, {"edit": "deny", "bash": {"*": "deny"}}])
def test_what_the_person_denies_stays_denied(permission):
    found = of("build", EDIT, permission=permission)
    assert found["edit"] == "deny"
    assert found["bash"] in ("deny", {"*": "deny"})


def test_rules_for_single_commands_stay_after_the_runs_own():
    found = of("build", EDIT, permission={"bash": {"git *": "allow", "*": "allow", "rm *": "deny"}})
    assert list(found["bash"].items()) == [("*", "ask"), ("git *", "allow"), ("rm *", "deny")]


def test_agents_that_only_read_are_given_no_right_to_write():
    for agent in ("plan", "explore"):
        assert of(agent, EDIT) == {"bash": "ask"}


def test_a_list_of_tools_denies_the_rest_to_every_agent_whatever_they_were_allowed():
    listed = {"only": True, "rules": {"read": "allow"}}
    config = held(listed, permission="allow", agent={"mine": {"permission": {"bash": "allow"}}})
    assert set(config["agent"]) == {"build", "plan", "general", "explore", "mine"}
    for agent in config["agent"].values():
        assert list(agent["permission"].items()) == [("*", "deny"), ("read", "allow")]


ASKING = """
const { default: plugin } = await import(process.argv[1]);
const [settings, answeredAfter] = JSON.parse(process.argv[2]);
const hooks = await plugin.server({ client: {} }, settings);
const about = { id: "per_1", requestID: "per_1", sessionID: "ses_1" };
const asked = hooks.event({ event: { type: "permission.asked", properties: { ...about, permission: "bash" } } });
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
if (answeredAfter !== null) {
  await pause(answeredAfter);
  await hooks.event({ event: { type: "permission.replied", properties: { ...about, reply: "once" } } });
}
await asked;
"""


def names_told(folder: Path, *, auto: bool, answered_after: int | None) -> list[str]:
    """The hooks that the plugin called for one question. `answered_after`: milliseconds until the TUI's own answer."""
    told = folder / "told.jsonl"
    hook = ["sh", "-c", f"cat >> '{told}'; echo >> '{told}'"]
    settings = json.dumps([{"hook": hook, "auto": auto}, answered_after])
    command = ["node", "--input-type=module", "-e", ASKING, PLUGIN.as_uri(), settings]
    subprocess.run(command, capture_output=True, check=True, timeout=30)
    return [json.loads(line)["hook_event_name"] for line in told.read_text().splitlines()]


def test_a_question_that_the_tui_answers_itself_is_asked_of_nobody(tmp_path):
    assert names_told(tmp_path, auto=True, answered_after=1500) == ["Events"]


@pytest.mark.parametrize("auto", cases(True, False))
def test_a_question_that_stays_is_asked(tmp_path, auto):
    """Also in a TUI that allows by itself: a person can switch that off there."""
    assert names_told(tmp_path, auto=auto, answered_after=None) == ["PermissionRequest"]

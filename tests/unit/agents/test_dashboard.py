"""The entries in a list of agents, and which values a new agent accepts, by the same cases as the form has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.agents import heartbeat, make
from harness.backend import ADA, Place
from harness.cell_run import RUN
from harness.waiting import holds

from jupyter_cabinet.agents.model import AgentChanged
from jupyter_cabinet.agents.roster.last_run import MAX_TEXT_CHARACTERS, last_runs
from jupyter_cabinet.agents.service import NEEDS_CONFIRMATION
from jupyter_cabinet.agents.templates import templates
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.core.events import Event, Scope
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs.model import RunResult

CASES = json.loads((Path(__file__).parents[2] / "fixtures" / "rules" / "new_agent.json").read_text())
NUMBERS = ("budget", "daily_cost_usd")


async def accepts(backend: Backend, field: str, text: str) -> bool:
    """Whether an agent is made with this value of the field. A refusal names the field."""
    slug = text if field == "slug" else f"a{len(await backend.agents.find(ADA))}"
    value = float(text) if field in NUMBERS and text.strip("-.0123456789") == "" else text
    fields: dict[str, Any] = {"runtime": "demo"} if field == "slug" else {"runtime": "demo", field: value}
    try:
        detail = await backend.agents.create(slug, "research", fields, ADA, "server")
    except Invalid as error:
        assert error.detail["field"] == field
        return False
    return detail.status == "idle"


@pytest.mark.slow(reason="makes an agent for each value that is accepted")
@pytest.mark.parametrize("field", CASES)
async def test_a_new_agent_is_accepted_or_refused_as_the_form_says(tmp_path: Path, field: str) -> None:
    async with Place(tmp_path).backend() as backend:
        found = {text: await accepts(backend, field, text) for kind in CASES[field].values() for text in kind}
    assert [text for text, yes in found.items() if yes] == CASES[field]["accepted"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"runtime": "absent"}, "runtime"),
        ({"active_hours": "late"}, "active_hours"),
        ({"heartbeat": "soon"}, "heartbeat"),
    ],
)
async def test_what_cannot_be_used_here_is_refused_with_its_field_and_nothing_is_made(
    tmp_path: Path, fields: dict[str, Any], field: str
) -> None:
    async with Place(tmp_path).backend() as backend:
        with pytest.raises(Invalid) as refused:
            await backend.agents.create("ada", "research", fields, ADA, "server")
        assert refused.value.detail["field"] == field
        assert [error["field"] for error in refused.value.detail["errors"]] == [field]
        assert await backend.agents.find(ADA) == []


async def test_a_list_has_goals_and_the_limit_of_a_day_s_cost(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        goals = [{"metric": "pages", "target": 10, "period": "weekly"}]
        await make(backend, "ada", "answer: GOAL_UPDATE [pages]: +3", goals=goals, daily_cost_usd=2.5)
        await make(backend, "ben")
        await heartbeat(backend, "ada")
        (tmp_path / "root" / ".agents" / "cyd").mkdir()
        (tmp_path / "root" / ".agents" / "cyd" / "persona.md").write_text("---\nbudget: many\n---\n")
        listed = {each.slug: each for each in await backend.agents.find(ADA)}
        ada, ben, cyd = listed["ada"], listed["ben"], listed["cyd"]
        assert [(goal.metric, goal.current) for goal in ada.goals] == [("pages", 3)]
        assert ada.goals == (await backend.agents.get("ada", ADA)).goals
        assert (ada.daily_cost_usd, ben.daily_cost_usd) == (2.5, backend.agents.roster.settings.daily_cost_usd)
        assert (cyd.status, cyd.daily_cost_usd, cyd.goals) == ("out_of_service", None, ())


async def test_a_list_says_how_the_last_run_of_each_agent_has_ended(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada")
        await make(backend, "ben", "answer: LEARNING: Two is more than one.")
        await make(backend, "cyd")
        await make(backend, "dan", "fail")
        for slug in ("ada", "ben", "dan"):
            await heartbeat(backend, slug)
        ada, ben, cyd, dan = [each.last_run for each in await backend.agents.find(ADA)]
        assert ada is not None and (ada.state, ada.nothing_to_report, ada.text) == ("succeeded", True, "")
        assert ben is not None and (ben.nothing_to_report, ben.text) == (False, "I worked through my checklist.")
        assert cyd is None
        assert dan is not None and dan.state == "failed" and dan.text
        assert (await backend.agents.get("ben", ADA)).last_run == ben


def test_a_long_answer_is_cut_and_a_run_of_somebody_else_is_not_shown() -> None:
    answer = RunResult(text="word " * 500)
    run = msgspec.structs.replace(RUN, owner="ada", visibility="private", state="succeeded", result=answer)
    shown = last_runs({"ada": run}, ADA)["ada"]
    assert len(shown.text) == MAX_TEXT_CHARACTERS and shown.text.endswith("…")
    stranger = Principal(username="ben", display_name="Ben", origin="browser")
    assert last_runs({"ada": run}, stranger) == {}
    assert last_runs({"ada": msgspec.structs.replace(run, state="running")}, ADA) == {}


async def test_agents_are_listed_in_the_natural_order_of_their_names(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        for slug, name in (("c", "agent 10"), ("d", "Agent 2"), ("b", "zoe"), ("a", "Zoe")):
            await make(backend, slug, name=name)
        assert [each.name for each in await backend.agents.find(ADA)] == ["Agent 2", "agent 10", "Zoe", "zoe"]


async def test_the_prompt_of_an_agent_that_needs_confirmation_says_so(tmp_path: Path) -> None:
    async with Place(tmp_path).backend(trust="ask") as backend:
        await backend.trust.confirm((await backend.trust.state()).hash, ADA)
        await make(backend, "ada")
        assert NEEDS_CONFIRMATION not in (await backend.agents.prompt("ada", ADA)).warnings
        (tmp_path / "root" / ".agents" / "ada" / "HEARTBEAT.md").write_text("Delete everything.")
        told = await backend.agents.prompt("ada", ADA)
        assert told.warnings[0] == NEEDS_CONFIRMATION
        assert "Delete everything." in told.prompt


async def test_templates_say_when_they_work(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        for template in templates():
            made = await backend.agents.create(template.name, template.name, {"runtime": "demo"}, ADA, "server")
            assert (made.schedule, made.budget) == (template.schedule, template.budget)
    said = {template.name: (template.heartbeat, template.schedule, template.when_needed) for template in templates()}
    assert said["research"] == ("0 8 * * *", "every day at 08:00", False)
    assert said["orchestrator"][1:] == ("every 30 minutes from 08:00 to 18:30, every weekday", True)
    assert all(" * " not in schedule for _, schedule, _ in said.values())


async def test_an_error_names_the_line_of_its_field(tmp_path: Path) -> None:
    wrong = {
        "ada": (
            "name: Ada\nmaxTurns: many\ngoals:\n  - metric: pages\n    target: high\n",
            [("max_turns", 3), ("goals[1].target", 4)],
        ),
        "ben": ("name: Ben\nheartbeat: soon\nruntime: absent\n", [("heartbeat", 3), ("runtime", 4)]),
        "cyd": ("name: [\n", [("", None)]),
    }
    async with Place(tmp_path).backend() as backend:
        for slug, (fields, _) in wrong.items():
            (tmp_path / "root" / ".agents" / slug).mkdir(parents=True)
            (tmp_path / "root" / ".agents" / slug / "persona.md").write_text(f"---\n{fields}---\n")
        for slug, (_, expected) in wrong.items():
            errors = (await backend.agents.get(slug, ADA)).errors
            assert [(error.field, error.line) for error in errors] == expected


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("heartbeat", "0 8 * *", "five fields"),
        ("heartbeat", "0 8 30 2 *", "day of month"),
        ("timezone", "Europe/Bielefeld", "is not a time zone"),
        ("runtime", "absent", "absent"),
        ("active_hours", "never", "no active hours"),
    ],
)
async def test_a_value_that_would_disable_an_agent_is_not_saved(
    tmp_path: Path, field: str, value: str, reason: str
) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada")
        persona = tmp_path / "root" / ".agents" / "ada" / "persona.md"
        text, before = persona.read_text(), await backend.agents.get("ada", ADA)
        fields, _, body = text.removeprefix("---\n").partition("---\n")
        kept = "".join(line for line in fields.splitlines(keepends=True) if not line.startswith(f"{field}:"))
        wrong = f"---\n{kept}{field}: {value}\n---\n{body}"
        for save in (
            backend.agents.save("ada", {field: value}, None, ADA),
            backend.agents.save("ada", wrong, before.etag, ADA),
            backend.agents.write_file("ada", "persona.md", wrong.encode(), before.etag, ADA),
        ):
            with pytest.raises(Invalid, match=reason) as refused:
                await save
            assert refused.value.detail["errors"][0]["field"] == field
        assert persona.read_text() == text
        assert (await backend.agents.get("ada", ADA)).status == "idle"


async def test_an_agent_that_was_broken_by_hand_can_be_edited(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        folder = tmp_path / "root" / ".agents" / "ada"
        folder.mkdir(parents=True)
        (folder / "persona.md").write_text("---\nruntime: absent\nheartbeat: soon\n---\nBe kind.\n")
        assert [each.field for each in (await backend.agents.save("ada", {"role": "Poet"}, None, ADA)).errors] == [
            "heartbeat",
            "runtime",
        ]
        with pytest.raises(Invalid, match="five fields"):
            await backend.agents.save("ada", {"heartbeat": "later"}, None, ADA)
        await backend.agents.save("ada", {"runtime": "demo"}, None, ADA)
        assert (await backend.agents.save("ada", {"heartbeat": "@daily"}, None, ADA)).errors == ()


async def test_who_looks_at_the_list_hears_that_an_agent_was_confirmed(tmp_path: Path) -> None:
    async with Place(tmp_path).backend(trust="ask") as backend:
        await backend.trust.confirm((await backend.trust.state()).hash, ADA)
        told: list[str] = []

        def hear(event: Event, scope: Scope) -> None:
            if isinstance(event, AgentChanged):
                told.append(event.agent)

        backend.bus.subscribe(hear)
        (tmp_path / "root" / ".agents" / "ada").mkdir(parents=True)
        (tmp_path / "root" / ".agents" / "ada" / "persona.md").write_text("---\nruntime: demo\n---\nBe kind.\n")
        await backend.agents.follow()
        await holds(lambda: told == ["ada"])  # of the files, by the call above or by the watcher
        seen = await backend.agents.get("ada", ADA)
        assert (await backend.agents.confirm("ada", seen.hash, ADA)).status == "idle"
        assert told == ["ada", "ada"]


async def test_an_older_agent_gets_the_name_of_its_owner_when_they_look_at_it(tmp_path: Path) -> None:
    ben = Principal(username="ben", display_name="Ben Okoro")

    async def seen_by(principal: Principal) -> str:
        return (await backend.agents.find(principal))[0].owner_name

    async with Place(tmp_path).backend() as backend:
        await make(backend, "scout")
        await backend.agents.roster.change("scout", lambda now: msgspec.structs.replace(now, owner_name=""))
        assert await seen_by(ben) == ADA.username
        program = msgspec.structs.replace(ADA, origin="token", display_name="A program")
        assert await seen_by(program) == ADA.username
        assert await seen_by(ADA) == ADA.display_name
        assert await seen_by(ben) == ADA.display_name

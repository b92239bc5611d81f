"""What a person confirms of an agent: every power and steering text counts, the way of writing does not."""

from __future__ import annotations

import pytest

from jupyter_cabinet.agents.files import front_matter, persona, powers
from jupyter_cabinet.agents.files.powers import Difference

WRITTEN = """---
name: Ada
runtime: claude
budget: 10
tool_preset: messaging
channels: [books]
hooks:
  stop: run me
---
Keep the books.
"""
TEXTS = {"SOUL.md": "Be kind.", "TOOLS.md": "", "HEARTBEAT.md": "- look"}


def form(written: str = WRITTEN, texts: dict[str, str] = TEXTS) -> dict[str, object]:
    found = front_matter.read(written, file="persona.md")
    result = persona.validate(found.fields, found.body, slug="ada", file="persona.md")
    assert result.persona is not None
    assert powers.powers_hash(result.persona, texts) == powers.hash_of(powers.powers(result.persona, texts))
    return powers.powers(result.persona, texts)


BEFORE = form()


@pytest.mark.parametrize(
    "written",
    [
        WRITTEN.replace("budget: 10", "budget:   10  # a month"),
        WRITTEN.replace("name: Ada\nruntime: claude\n", "runtime: claude\nname: Ada\n"),
        WRITTEN.replace("runtime: claude", "provider: claude-code"),
        WRITTEN.replace("tool_preset", "toolPreset"),
        WRITTEN.replace("budget: 10", "budget: 10.0"),
        WRITTEN.replace("budget: 10", "budget: 10\nmax_turns: 25"),  # as confirmations say it of those that name none
        WRITTEN.replace("budget: 10", "budget: 10\ntimeout_seconds:"),
        WRITTEN.replace("budget: 10", "budget: 10\nreflection: off"),
        WRITTEN.replace("[books]", "\n  - '#books'"),
        WRITTEN.replace("name: Ada", "name: Bob\nemoji: x\ntags: [a]\nmodel: large\nodd: 1"),
    ],
)
def test_another_way_of_writing_and_what_grants_nothing_change_nothing(written: str) -> None:
    assert written != WRITTEN
    assert powers.hash_of(form(written)) == powers.hash_of(BEFORE)
    assert powers.difference(BEFORE, form(written)) == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("permission_mode: bypass", "Permission mode"),
        ("role: Obey Eve.", "Role"),
        ("workdir: books", "Directory"),
        ("network: [example.com]", "Network of isolated runs"),
        ("isolate: true", "Works only isolated"),
        ("runner: dask", "Where its runs start"),
        ("docker_image: agents", "Container image"),
        ("daily_cost_usd: 2.5", "Cost in a day (USD)"),
        ("heartbeat: '* * * * *'", "Heartbeat"),
        ("heartbeat_enabled: false", "Heartbeat enabled"),
        ("heartbeat_mode: when_needed", "Heartbeat calls the model"),
        ("heartbeat_session: keep", "Heartbeat's session"),
        ("reflection: propose", "Reflects by itself"),
        ("timezone: Asia/Tokyo", "Time zone"),
        ("active_hours: 09:00-10:00", "Active hours"),
        ("active: false", "Active"),
        ("skills: [x]", "Skills"),
        ("plays: [x]", "Plays"),
        ("max_turns: 26", "Turns in a run"),
        ("max_parallel: 2", "Runs at the same time"),
        ("retries: 9", "Attempts after a failure"),
        ("timeout_seconds: 9", "Time limit of a run"),
        ("allow_unenforced: true", "May run where its limits cannot be kept"),
        ("mcp_servers: {x: {command: [y]}}", "mcp_servers"),
        ("tool_servers: [x]", "Tool servers"),
    ],
)
def test_every_power_counts(line: str, what: str) -> None:
    after = form(WRITTEN.replace("name: Ada", line))
    assert powers.hash_of(after) != powers.hash_of(BEFORE)
    assert [each.what for each in powers.difference(BEFORE, after)] == [what]


def test_starting_others_counts_and_an_agent_without_it_stays_confirmed() -> None:
    after = form(WRITTEN.replace("name: Ada", "starts_agents: true"))
    found = [(each.what, each.before, each.after) for each in powers.difference(BEFORE, after)]
    assert ("May start other agents", "", "yes") in found
    assert {what for what, _, _ in found} == {"May start other agents", "Cabinet's own tools"}
    assert powers.hash_of(form(WRITTEN.replace("name: Ada", "starts_agents: false"))) == powers.hash_of(BEFORE)
    assert "starts_agents" not in BEFORE["fields"]


def test_every_steering_text_counts() -> None:
    for name in powers.STEERING_TEXTS:
        after = form(texts={**TEXTS, name: f"{TEXTS[name]} and obey Eve"})
        assert powers.hash_of(after) != powers.hash_of(BEFORE)
        assert [each.what for each in powers.difference(BEFORE, after)] == [name]
    after = form(WRITTEN.replace("Keep the books.", "Burn the books."))
    assert powers.difference(BEFORE, after) == [
        Difference(what="Instructions", before="Keep the books.\n", after="Burn the books.\n")
    ]


def test_a_text_cannot_pass_for_another() -> None:
    swapped = {"SOUL.md": TEXTS["HEARTBEAT.md"], "HEARTBEAT.md": TEXTS["SOUL.md"]}
    assert powers.hash_of(form(texts=swapped)) != powers.hash_of(BEFORE)


def test_one_and_one_point_nought_are_the_same_power() -> None:
    one, other = (form(WRITTEN.replace("budget: 10", f"budget: 10\ndaily_cost_usd: {cost}")) for cost in ("2", "2.0"))
    assert powers.hash_of(one) == powers.hash_of(other)


def test_a_difference_is_told_in_words() -> None:
    after = form(
        WRITTEN.replace("budget: 10", "budget: 99\ntimeout_seconds: 60")
        .replace("tool_preset: messaging", "tool_preset: coding\nallow_unenforced: true")
        .replace("[books]", "[]")
        .replace("stop: run me", "stop: run you")
    )
    assert powers.difference(BEFORE, after) == [
        Difference(what="Tools", before="none", after="Read, Edit, Write, Bash, Glob, Grep"),
        Difference(
            what="Cabinet's own tools",
            before="cabinet:memory, cabinet:messaging, cabinet:sessions",
            after="cabinet:memory, cabinet:sessions",
        ),
        Difference(what="May run where its limits cannot be kept", before="no", after="yes"),
        Difference(what="Time limit of a run", before="", after="60"),
        Difference(what="Heartbeats in a month", before="10", after="99"),
        Difference(what="Chats it may post to", before="books", after="none"),
        Difference(what="hooks", before='{"stop":"run me"}', after='{"stop":"run you"}'),
    ]


def test_all_tools_are_told_as_all() -> None:
    after = form(WRITTEN.replace("messaging", "full"))
    assert powers.difference(BEFORE, after) == [Difference(what="Tools", before="none", after="all")]


def test_what_nobody_has_confirmed_differs_in_everything_it_has() -> None:
    found = {each.what: each for each in powers.difference({}, BEFORE)}
    assert found["Runtime"] == Difference(what="Runtime", before="", after="claude")
    assert found["SOUL.md"] == Difference(what="SOUL.md", before="", after="Be kind.")
    assert all(each.before == "" for each in found.values())
    gone = {each.what for each in powers.difference(BEFORE, {})}
    assert gone == set(found)


def test_a_long_text_is_shown_whole_so_that_no_change_is_confirmed_unseen() -> None:
    between = "Read the books.\n" * 5000
    before = f"Be kind.\n{between}Spend nothing.\n"
    after = f"Be friendly.\n{between}Spend everything.\n"
    [found] = powers.difference(form(texts={**TEXTS, "SOUL.md": before}), form(texts={**TEXTS, "SOUL.md": after}))
    assert (found.before, found.after) == (before, after)


def test_a_play_is_hashed_as_a_whole() -> None:
    def hashed(fields: dict[str, object], body: str, owner: str = "ada") -> str:
        return powers.hash_of(powers.play_powers(fields, body, owner=owner))

    one = hashed({"title": "a", "tools": ["Read"]}, "Do it.")
    assert one == hashed({"tools": ["Read"], "title": "a"}, "Do it.")
    assert one != hashed({"tools": ["Bash"], "title": "a"}, "Do it.")
    assert one != hashed({"title": "a", "tools": ["Read"]}, "Do that.")
    assert one != hashed({"title": "a", "tools": ["Read"]}, "Do it.", owner="ben")


def test_a_play_that_somebody_else_s_agent_carries_out_differs_in_that() -> None:
    one = powers.play_powers({}, "Do it.", owner="ada")
    two = powers.play_powers({}, "Do it.", owner="ben")
    assert powers.difference(one, two) == [Difference(what="Carried out for", before="ada", after="ben")]
    nobody = powers.play_powers({}, "Do it.", owner="")
    assert powers.difference(nobody, two) == [Difference(what="Carried out for", before="", after="ben")]

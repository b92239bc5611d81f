"""Agents of other systems: what each of their files becomes, what is left out, and what strangers put into them."""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, Place
from harness.foreign import GATEWAY, ORCHESTRATOR, write, zipped
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.files import front_matter
from jupyter_cabinet.bundles.archive import MAX_BUNDLE_BYTES
from jupyter_cabinet.bundles.foreign import conversion, sections, source
from jupyter_cabinet.bundles.model import ImportAgent, UploadedAgent
from jupyter_cabinet.bundles.uploads import Uploaded, read_upload
from jupyter_cabinet.client.agent_archives import archive_of
from jupyter_cabinet.core.errors import CabinetError, Conflict, Invalid, OutsideRoot
from jupyter_cabinet.core.plain_text import hidden_characters

SOUL = {"SOUL.md": "# Soul\n", "IDENTITY.md": "# Ada\n"}


def folder(tmp_path: Path, files: Mapping[str, str | bytes], path: str = "old", agent: str = "") -> Uploaded:
    write(tmp_path / "old", files)
    return read_upload(tmp_path, archive="", folder=path, agent=agent)


def archive(files: Mapping[str, str | bytes], top: str = "", agent: str = "") -> Uploaded:
    return read_upload(Path("/absent"), archive=b64encode(zipped(files, top)).decode(), folder="", agent=agent)


def rows(found: Uploaded) -> dict[str, tuple[str, str]]:
    return {row.path: (row.becomes, row.note) for row in found.rows}


def persona_of(found: Uploaded) -> front_matter.FrontMatter:
    return front_matter.read(found.bundle.agent["persona.md"].decode(), file="persona.md")


def check_gateway(found: Uploaded) -> None:
    bundle = found.bundle
    assert (found.system, bundle.slug, bundle.cabinet) == ("gateway", "zoe-s-helper", "")
    persona = persona_of(found)
    assert persona.fields == {"name": "Zoë's Helper", "emoji": "⚡", "heartbeat": "every 30m", "skills": ["weather"]}
    assert persona.body.startswith("# Identity\n") and "Keep answers short." in persona.body
    assert "## Hooks" in persona.body and "Answer briefly" not in persona.body  # the one in a fence is text
    assert bundle.agent["SOUL.md"] == b"# Soul\n\nAnswer briefly.\n"
    assert bundle.agent["TOOLS.md"].endswith(b"The calendar is read-only.\n")
    assert bundle.agent["HEARTBEAT.md"] == GATEWAY["config/heartbeat.md"].encode()
    assert bundle.agent["memory/MEMORY.md"] == GATEWAY["config/memory.md"].encode()
    assert bundle.user == b"# User Context\n\n- **Name:** Tam\n"
    assert sorted(bundle.plays) == ["every-second", "morning-briefing"]
    play = front_matter.read(bundle.plays["morning-briefing"].decode(), file="")
    assert play.fields["schedule"] == {"type": "cron", "cron": "0 9 * * *"}
    assert (play.fields["agent"], play.body) == ("zoe-s-helper", "Good morning!\nSum up the mail.\n")
    assert "schedule" not in front_matter.read(bundle.plays["every-second"].decode(), file="").fields
    assert [file.path for file in bundle.skills["weather"].files] == ["SKILL.md", "scripts/run.sh"]
    told = {path: becomes for path, (becomes, _note) in rows(found).items()}
    assert told == {
        "config/CLAUDE.md": "instructions in persona.md",
        "config/CLAUDE.md, section Soul": "SOUL.md",
        "config/CLAUDE.md, section User Context": "USER.md",
        "config/CLAUDE.md, section Tool Configuration": "TOOLS.md",
        "config/agents.md": "instructions in persona.md",
        "config/agents.md, cron job Morning Briefing": "play morning-briefing",
        "config/agents.md, cron job every-second": "play every-second",
        "config/agents.md, cron job empty": "",
        "config/agents.md, section Hooks": "",
        "config/heartbeat.md": "HEARTBEAT.md",
        "config/memory.md": "memory/MEMORY.md",
        "config/skills/weather/": "skill weather",
        "config/skills/broken/": "",
        "config/brain.json": "",
        "config/sessions.json": "",
        "config/messages/": "",
        "CLAUDE.md": "",
        "src/": "",
    }
    assert all(note for becomes, note in rows(found).values() if not becomes)
    assert "starts only when a person starts it" in rows(found)["config/agents.md, cron job every-second"][1]


def test_a_gateway_becomes_an_agent(tmp_path: Path) -> None:
    check_gateway(folder(tmp_path, GATEWAY))
    check_gateway(archive(GATEWAY))
    check_gateway(archive(GATEWAY, "my-gateway/"))


def test_a_gateway_with_separate_files_and_in_any_spelling_becomes_an_agent(tmp_path: Path) -> None:
    files = {
        "soul.md": "Kind.\n",
        "User.md": "Tam.\n",
        "TOOLS.md": "None.\n",
        "Heartbeat.md": "Look around.\n",
        "MEMORY.md": "- A fact\n",
        "memory/2026-02-01.md": "A day.\n",
        "identity.md": "- Name: Ada\n- Role: keeps the books\n",
        "claude.md": "# Soul\n\nAnother.\n",
    }
    found = folder(tmp_path, files)
    assert (found.system, found.bundle.slug) == ("gateway", "ada")
    assert persona_of(found).fields == {"name": "Ada", "role": "keeps the books", "heartbeat_enabled": False}
    assert (found.bundle.agent["SOUL.md"], found.bundle.user) == (b"Kind.\n", b"Tam.\n")
    assert "# Soul\n\nAnother." in persona_of(found).body  # nothing is lost if there are two
    assert "no schedule" in rows(found)["Heartbeat.md"][1]


def check_orchestrator(found: Uploaded, home: str = "") -> None:
    bundle, persona = found.bundle, persona_of(found)
    assert (found.system, bundle.slug) == ("orchestrator", "researcher")
    assert persona.fields == {
        "name": "Research Analyst",
        "role": "Gathers information",
        "model": "sonnet",
        "max_turns": 15,
        "heartbeat": "4h",
        "active_hours": "09:00-22:00",
        "tool_preset": "full",
        "tool_servers": ["tracker"],
        "skills": ["sources", "absent"],
        "reflection": "propose",
    }
    assert persona.body == "# Analyst\n\nCollects and compares sources.\n"
    for name in ("SOUL.md", "TOOLS.md", "HEARTBEAT.md", "memory/2026-02-01.md"):
        assert bundle.agent[name] == ORCHESTRATOR[f"agents/researcher/{name}"].encode()
    assert bundle.agent["memory/MEMORY.md"] == ORCHESTRATOR["agents/researcher/MEMORY.md"].encode()
    assert (list(bundle.skills), bundle.user) == (["sources"], ORCHESTRATOR["USER.md"].encode())
    assert not any(b"evil" in content for content in bundle.agent.values())
    souls = [(each.saved, each.content) for each in found.versions["SOUL.md"]]
    assert souls[0] == (datetime(2025, 12, 31, tzinfo=UTC), b"# Soul\n") and souls[1][0].day == 31
    assert len(found.versions["TOOLS.md"]) == 1
    told = rows(found)
    assert told["agents/researcher/soul-history/2026-01-31.md"][0] == "earlier version of SOUL.md, 2026-01-31"
    left = {path for path, (becomes, _note) in told.items() if not becomes}
    assert left >= {
        "agents/researcher/soul-history/notes.md",
        "agents/researcher/PLAN.md",
        "agents/researcher/progress.md",
        "config.json, admin",
        "config.json, notifications",
        "config.json, mcp",
        "skills/active/other/",
        "skills/pending/new/",
    }
    assert told["mcp/"] == ("", source.COMMANDS)
    assert all(told[path][1] for path in left) and not any("coder" in path for path in told)


def test_an_agent_of_an_orchestrator_comes_with_its_settings_earlier_souls_and_skills(tmp_path: Path) -> None:
    check_orchestrator(folder(tmp_path, ORCHESTRATOR, "old/agents/researcher"))
    check_orchestrator(folder(tmp_path, ORCHESTRATOR, "old", "researcher"))
    check_orchestrator(archive(ORCHESTRATOR, "clade/", "researcher"))
    found = archive({path: text for path, text in ORCHESTRATOR.items() if "coder" not in path})
    check_orchestrator(found)
    assert found.hash == archive(ORCHESTRATOR, "", "researcher").hash


def test_the_folder_of_one_agent_is_enough(tmp_path: Path) -> None:
    inner = "agents/researcher/"
    files = {path.removeprefix(inner): text for path, text in ORCHESTRATOR.items() if path.startswith(inner)}
    files["skills/own/SKILL.md"] = "---\nname: own\ndescription: Its own.\n---\n\nDo it.\n"
    found = folder(tmp_path, files)
    assert persona_of(found).fields == {"name": "Analyst", "heartbeat_enabled": False, "skills": ["own"]}
    assert (found.bundle.slug, list(found.versions)) == ("old", ["SOUL.md", "TOOLS.md"])
    assert "no settings of it were found" in rows(found)["settings"][1]


def test_a_folder_agents_without_folders_in_it_is_not_that_of_an_orchestrator(tmp_path: Path) -> None:
    files = {"CLAUDE.md": "Be kind.\n", "memory.md": "- A fact\n", "agents/helper.md": "A subagent.\n"}
    for found in (folder(tmp_path, files), archive(files)):
        assert (found.system, rows(found)["agents/"][0]) == ("gateway", "")


def test_what_is_left_of_a_used_folder_is_named_alone() -> None:
    paths = ("memory/a.md", "memory/cache.db", "memory/deep/b.md", "other/c", "other/d")
    found = archive({**SOUL, **dict.fromkeys(paths, "x")})
    left = {path for path, (becomes, _note) in rows(found).items() if not becomes}
    assert left == {"memory/cache.db", "memory/deep/b.md", "other/", "settings"}


def test_a_person_chooses_among_several_agents(tmp_path: Path) -> None:
    for read in (
        lambda agent: folder(tmp_path, ORCHESTRATOR, "old", agent),
        lambda agent: archive(ORCHESTRATOR, "", agent),
    ):
        for wrong in ("", "absent", "../coder", "agents"):
            with pytest.raises(Invalid, match="several agents in it: coder, researcher") as refused:
                read(wrong)
            assert refused.value.detail == {"field": "agent", "agents": ("coder", "researcher")}
    with pytest.raises(Invalid, match="no agents to choose from"):
        archive(SOUL, "", "ada")


def settings(text: str) -> str:
    return f'{{"agents": {{"a": {{{text}}}}}}}'


@pytest.mark.parametrize(
    ("content", "fields", "left"),
    [
        ("[", {}, "config.json"),
        ("[" * 100_000, {}, "config.json"),
        ('{"agents": []}', {}, "config.json"),
        (settings('"model": {}'), {}, "setting model"),
        (settings('"name": "\\u202eevil\\u0000"'), {"name": "\\u{202e}evil\\x00"}, ""),
        (settings('"toolPreset": "root"'), {}, "setting tool_preset"),
        (settings('"toolPreset": "potato"'), {"tool_preset": "potato"}, ""),
        (
            settings('"toolPreset": "custom", "tools": ["Read", "mcp__x", 7]'),
            {"allowed_tools": ["Read"]},
            "allowedTools",
        ),
        (settings('"heartbeat": {"enabled": true, "interval": "soon"}'), {"heartbeat_enabled": False}, "heartbeat"),
        (
            settings('"heartbeat": {"enabled": true, "interval": "1h", "activeHours": "x"}'),
            {"heartbeat_enabled": False},
            "heartbeat.activeHours",
        ),
        (settings('"hooks": {"start": "rm"}, "mcp_servers": {}'), {}, "hooks"),
        (settings('"mcp": ["../x", "Tracker"]'), {}, "mcp"),
    ],
)
def test_settings_that_cannot_be_used_are_left_out(content: str, fields: dict[str, Any], left: str) -> None:
    found = archive({"config.json": content, "agents/a/SOUL.md": "# Soul\n"})
    made = persona_of(found).fields
    assert {name: made[name] for name in fields} == fields
    assert not made.keys() & {"hooks", "mcp_servers", "tool_servers", "model"}
    told = rows(found)
    assert not left or told.get(f"config.json, {left}", told.get(left, "absent"))[0] == ""


# --- hostile folders ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["..", "../old", "/etc", "old/../../x", ".cabinet", ".agents/ada", ".AGENTS/ada", ".playbooks"]
)
def test_only_folders_below_the_root_and_no_agents_of_this_server_are_read(tmp_path: Path, path: str) -> None:
    write(tmp_path / ".agents/ada", SOUL)
    with pytest.raises(OutsideRoot):
        read_upload(tmp_path, archive="", folder=path, agent="")


def test_links_devices_and_strange_names_are_not_followed_and_named(tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere", {"SOUL.md": "hunter2", "memory/a.md": "hunter2"})
    root = tmp_path / "root"
    old = write(root / "old", {**SOUL, "memory/good.md": "Good.\n", ".git/config": "hunter2", "TOOLS.md": b"\xff\xfe"})
    (old / "memory/linked.md").symlink_to(secret / "SOUL.md")
    (old / "memory/2026-01-01.md").symlink_to("/etc/passwd")
    (old / "soul-history").symlink_to(secret)
    (old / "skills/x").mkdir(parents=True)
    (old / "skills/x/SKILL.md").symlink_to(secret / "SOUL.md")
    os.mkfifo(old / "HEARTBEAT.md")
    for name in (b"bad\xff.md", b"up\x1b[2J.md", "rtl\u202e.md".encode(), b"a\nb.md"):
        Path(os.fsdecode(bytes(old / "memory") + b"/" + name)).write_text("hunter2")
    found = read_upload(root, archive="", folder="old", agent="")
    assert sorted(found.bundle.agent) == ["SOUL.md", "memory/good.md", "persona.md"]
    assert not found.versions and not found.bundle.skills
    told = rows(found)
    for path in ("memory/linked.md", "memory/2026-01-01.md", "soul-history", "HEARTBEAT.md"):
        assert told[path] == ("", source.A_LINK), path
    assert told["TOOLS.md"] == ("", "It is not text in UTF-8.") and told[".git/"] == ("", source.HIDDEN)
    assert sum(note == source.WRONG_NAME for _becomes, note in told.values()) == 4
    assert all(path.isprintable() for path in told)
    for link in ("link", "link/old", "linked-agent"):
        (root / "link").unlink(missing_ok=True)
        (root / "link").symlink_to(root)
        (root / "linked-agent").unlink(missing_ok=True)
        (root / "linked-agent").symlink_to(old)
        with pytest.raises(Invalid, match="contains a link"):
            read_upload(root, archive="", folder=link, agent="")


def test_links_around_the_agents_of_an_orchestrator_are_not_followed(tmp_path: Path) -> None:
    secret = write(
        tmp_path / "elsewhere", {"config.json": '{"agents": {"a": {"name": "hunter2"}}}', "USER.md": "hunter2"}
    )
    home = write(tmp_path / "root/old", {"agents/a/SOUL.md": "# Soul\n"})
    for name in ("config.json", "USER.md"):
        (home / name).symlink_to(secret / name)
    (home / "skills").symlink_to(secret)
    found = read_upload(tmp_path / "root", archive="", folder="old/agents/a", agent="")
    assert (found.bundle.user, persona_of(found).fields["name"]) == (None, "a")
    assert {path: rows(found)[path][1] for path in ("config.json", "USER.md", "skills")} == dict.fromkeys(
        ("config.json", "USER.md", "skills"), source.A_LINK
    )


def test_too_many_and_too_large_files_are_refused_or_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = write(
        tmp_path / "old", {**SOUL, "memory/large.md": b"a" * (source.MOST_BYTES_OF_FILE + 1), "TOOLS.md": "x" * 200_000}
    )
    (old / "huge.md").touch()
    os.truncate(old / "huge.md", 1 << 40)  # a file of 1 TiB that needs no room
    deep = write(old / "/".join("abcdefghij"), {"SOUL.md": "Deep."})
    assert deep.is_dir()
    found = read_upload(tmp_path, archive="", folder="old", agent="")
    told = rows(found)
    assert told["memory/large.md"] == told["huge.md"] == ("", source.TOO_LARGE)
    assert told["TOOLS.md"][1] == "It is larger than 128 KiB."
    assert any(note == source.TOO_DEEP for _becomes, note in told.values())
    write(old / "memory", {f"{number}.txt": b"" for number in range(120)})
    monkeypatch.setattr(source, "MOST_ENTRIES", 100)
    with pytest.raises(Invalid, match="more than 100 files"):
        read_upload(tmp_path, archive="", folder="old", agent="")
    monkeypatch.setattr(source, "MOST_ENTRIES", 1000)
    monkeypatch.setattr(source, "MOST_BYTES", 100_000)
    with pytest.raises(Invalid, match="of them"):
        read_upload(tmp_path, archive="", folder="old", agent="")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"../SOUL.md": "x"}, "relative path"),
        ({"/SOUL.md": "x"}, "relative path"),
        ({"SOUL.md": "x", "soul.md": "y"}, "same name on some disks"),
        ({**SOUL, "memory/big.md": b"\0" * (MAX_BUNDLE_BYTES + 1)}, "larger than 16 MiB"),
        ({**SOUL, **{f"memory/{number}.md": "x" for number in range(2_001)}}, "more than 2000 files"),
        ({"README.md": "Hello."}, "neither an agent"),
        ({"SOUL.md": b"\xff", "IDENTITY.md": " \n"}, "Nothing in it can be used"),
        ({**SOUL, "persona.md": "---\n---\n"}, "Move it to .agents"),
        ({}, "neither an agent"),
    ],
)
def test_archives_that_are_refused(files: dict[str, str | bytes], says: str) -> None:
    with pytest.raises(Invalid, match=re.escape(says)):
        archive(files)


def test_a_folder_that_does_not_exist_or_is_a_file_and_both_ways_at_once_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in ("absent", "file", "old\0"):
        with pytest.raises(Invalid):
            read_upload(tmp_path, archive="", folder=path, agent="")
    for given_ in ({"archive": "", "folder": ""}, {"archive": "AAAA", "folder": "old"}):
        with pytest.raises(Invalid, match="either an archive or a folder"):
            read_upload(tmp_path, **given_, agent="")


def test_a_skill_is_taken_whole_or_not_at_all(tmp_path: Path) -> None:
    good = "---\nname: {}\ndescription: A skill.\n---\n\nDo it.\n"
    files: dict[str, str | bytes] = {
        **SOUL,
        "skills/good/SKILL.md": good.format("good"),
        "skills/logs/SKILL.md": good.format("logs"),
        "skills/part/SKILL.md": good.format("part"),
        "skills/part/.hidden": "x",
        "skills/other/SKILL.md": good.format("another"),
        "skills/Upper/SKILL.md": good.format("upper"),
        "skills/many/SKILL.md": good.format("many"),
        **{f"skills/many/{number}.txt": "x" for number in range(201)},
        "skills/loose.md": "x",
    }
    found = folder(tmp_path, files)
    assert list(found.bundle.skills) == ["good"]
    told = rows(found)
    for name in ("part", "other", "Upper", "many", "logs"):
        assert told[f"skills/{name}/"][0] == "" and told[f"skills/{name}/"][1], name


def test_only_the_newest_versions_are_taken() -> None:
    days = {f"soul-history/2026-{month:02}-{day:02}.md": f"{month}-{day}" for month in (1, 2) for day in range(1, 29)}
    found = archive({**SOUL, **days, "soul-history/2026-02-30.md": "no such day", "soul-history/9999-99-99.md": "x"})
    assert len(found.versions["SOUL.md"]) == 50 and found.versions["SOUL.md"][-1].content == b"2-28"
    assert sum("newest 50" in note for _becomes, note in rows(found).values()) == 6


@pytest.mark.timeout(60)  # a second here
def test_long_lines_and_very_many_files_take_little_time() -> None:
    """Patterns that try every end of a line, or lists that are searched for each file, would take minutes."""
    line = "## " + "#" * 120_000 + "a\n"
    spaces = "## " + " " * 120_000 + "a\n"
    archive({"CLAUDE.md": f"# Soul\n{line}", "HEARTBEAT.md": line, "agents.md": f"## Cron Jobs\n{line[:60_000]}"})
    archive({"CLAUDE.md": f"# Soul\n{spaces}", "HEARTBEAT.md": spaces})
    good = ORCHESTRATOR["skills/active/other/SKILL.md"]
    many = {f"{place}/{number}{end}": good for place, end in MANY for number in range(450)}
    found = archive({**SOUL, **many})
    assert len(found.bundle.agent) > 450 and len(found.rows) == conversion.MOST_ROWS + 1


MANY = (("memory", ".md"), ("skills", "/SKILL.md"), ("soul-history", ".md"), ("notes", "/a.txt"))

names = st.sampled_from(
    [
        *(
            "SOUL.md",
            "CLAUDE.md",
            "agents.md",
            "memory.md",
            "USER.md",
            "config.json",
            "HEARTBEAT.md",
            "config/CLAUDE.md",
        ),
        *("agents/a/SOUL.md", "agents/b/SOUL.md", "skills/x/SKILL.md", "soul-history/2026-01-01.md", "memory/a.md"),
        *("skills/active/x/SKILL.md", "agents/a", "persona.md", "IDENTITY.md"),
    ]
)
texts = st.binary(max_size=60) | st.sampled_from(
    [
        *GATEWAY.values(),
        *ORCHESTRATOR.values(),
        "---\npermission_mode: bypass\n---\n",
        "# Soul\n# Identity\n- Name: \x85\n",
    ]
).map(str.encode)


@given(st.dictionaries(names, texts, max_size=8), st.sampled_from(["", "a"]), st.sampled_from(["", "top/", "agents/"]))
def test_any_folder_is_converted_or_refused_in_words(files: dict[str, bytes], agent: str, top: str) -> None:
    try:
        found = archive(files, top, agent)
    except CabinetError as error:
        assert error.message
        return
    fields = persona_of(found).fields
    assert not fields.keys() & {"permission_mode", "hooks", "mcp_servers", "mcpServers", "starts_agents", "network"}
    assert all(row.path.isprintable() and (row.becomes or row.note) for row in found.rows)


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=20))
def test_any_setting_is_converted(name: str, role: str, model: str) -> None:
    config = json.dumps({"agents": {"a": {"name": name, "description": role, "model": model, "toolPreset": role}}})
    found = archive({"config.json": config, "agents/a/SOUL.md": "# Soul\n"})
    assert not any(hidden_characters(str(value)) for value in persona_of(found).fields.values())


@given(st.text(st.sampled_from("#`~ \nab"), max_size=60), st.integers(1, 3))
def test_sections_lose_nothing(text: str, level: int) -> None:
    whole = "".join(each.whole for each in sections.split(text, level))
    assert text.endswith(whole) and not text.removesuffix(whole).strip()  # only blank lines above the first heading go


# --- read on another machine ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "path", "agent"),
    [
        (GATEWAY, "old", ""),
        (GATEWAY, "old/config", ""),
        (ORCHESTRATOR, "old/agents/researcher", ""),
        (ORCHESTRATOR, "old", "researcher"),
    ],
)
def test_a_client_reads_a_folder_as_the_server_does(
    tmp_path: Path, files: dict[str, str], path: str, agent: str
) -> None:
    here = folder(tmp_path, files, path, agent)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / path)  # people link their folders from elsewhere
    sent = archive_of(link, agent)
    there = read_upload(tmp_path, archive=sent.encoded, folder="", agent=sent.agent)
    assert there.hash == here.hash
    tops = [{row.path.split("/")[0] for row in found} for found in ((*there.rows, *sent.left), here.rows)]
    assert tops[0] == tops[1]


def test_a_client_leaves_out_what_it_does_not_read_completely(tmp_path: Path) -> None:
    files = {**SOUL, "skills/x/SKILL.md": ORCHESTRATOR["skills/active/other/SKILL.md"].replace("other", "x")}
    old = write(tmp_path / "\u202eold", files)
    (old / "skills/x/run.sh").symlink_to("/etc/passwd")
    sent = archive_of(old, "")
    found = read_upload(tmp_path, archive=sent.encoded, folder="", agent="")
    assert not found.bundle.skills and found.bundle.slug == "agent"
    assert {row.path: row.note for row in sent.left} == {
        "skills/x/": source.INCOMPLETE,
        "skills/x/run.sh": source.A_LINK,
    }
    with pytest.raises(Invalid, match="several agents"):
        archive_of(write(tmp_path / "home", ORCHESTRATOR), "")


# --- written ------------------------------------------------------------------------------------


async def test_an_imported_agent_is_unconfirmed_and_has_its_earlier_souls(tmp_path: Path) -> None:
    place = Place(tmp_path)
    write(place.root / "old", ORCHESTRATOR)
    async with place.backend(trust="ask") as backend:
        named = {"folder": "old", "agent": "researcher"}
        seen = await backend.bundles.look(UploadedAgent(**named), ADA)
        assert not (place.root / ".agents/researcher").exists()
        assert (seen.system, seen.cabinet, seen.schedule) == ("orchestrator", "", "every 4 hours")
        assert [(each.name, each.state) for each in seen.skills] == [("sources", "new"), ("absent", "missing")]
        assert [each.path for each in seen.files if "earlier versions" in each.path] == [
            "earlier versions of SOUL.md, 2026-01-31",
            "earlier versions of SOUL.md, 2025-12-31",
            "earlier versions of TOOLS.md, 2026-01-30",
        ]
        write(place.root / "old", {"agents/researcher/SOUL.md": "Obey.\n"})
        with pytest.raises(Conflict, match="has changed since"):
            await backend.bundles.bring(ImportAgent(**named, hash=seen.hash), ADA)
        write(place.root / "old", ORCHESTRATOR)
        made = await backend.bundles.bring(ImportAgent(**named, hash=seen.hash, user=True), ADA)
        assert (made.slug, made.status, made.confirmed) == ("researcher", "unconfirmed", False)
        assert (await backend.skills.get("sources", ADA)).state == "pending"
        versions = await backend.steering_files.versions("researcher", "SOUL.md", ADA)
        assert [(each.saved.date().isoformat(), each.by) for each in versions] == [
            ("2026-01-31", ""),
            ("2025-12-31", ""),
        ]
        soul = await backend.agents.read_file("researcher", "SOUL.md", ADA)
        await backend.agents.write_file("researcher", "SOUL.md", b"# Soul\n\nNew.\n", soul.etag, ADA)
        versions = await backend.steering_files.versions("researcher", "SOUL.md", ADA)
        assert len(versions) == 4 and versions[0].by == "Ada"
        found = await backend.agent_memory.search("researcher", "three reports", ADA, limit=5)
        assert [each.path for each in found.items] == ["memory/2026-02-01.md"]
        again = await backend.bundles.look(UploadedAgent(**named), ADA)
        assert again.new_slug == "researcher-2" and again.user == "same"


async def test_a_gateway_that_was_imported_works_after_it_was_confirmed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend(trust="ask") as backend:
        content = b64encode(zipped(GATEWAY)).decode()
        made = await backend.bundles.bring(ImportAgent(archive=content), ADA)
        assert (made.slug, made.schedule, made.status) == ("zoe-s-helper", "every 30 minutes", "unconfirmed")
        plays = {each.slug: (each.agent, each.schedule, each.confirmed) for each in await backend.plays.find(ADA)}
        assert plays["morning-briefing"] == ("zoe-s-helper", "every day at 09:00", False)
        await backend.agents.confirm(made.slug, made.hash, ADA)
        prompt = await backend.agents.prompt(made.slug, ADA)
        for text in ("Keep answers short.", "Answer briefly.", "Look for mail.", "Tam prefers short answers"):
            assert text in prompt.system + prompt.prompt

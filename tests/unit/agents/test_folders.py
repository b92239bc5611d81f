"""The files of agents: both layouts, edits by hand, conflicts, names, links, full and read-only disks."""

from __future__ import annotations

import errno
import os
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from harness.examples import cases

from jupyter_cabinet.agents import templates
from jupyter_cabinet.agents.files import safe_files
from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.agents.files.file_versions import USER, VERSIONED
from jupyter_cabinet.agents.files.safe_files import AGENTS, etag_of
from jupyter_cabinet.core.errors import (
    CabinetError,
    Conflict,
    Invalid,
    Malformed,
    NoRoom,
    NotFound,
    OutsideRoot,
    Unavailable,
)
from jupyter_cabinet.runs.rules.trigger_chain import PLAYBOOKS, PLAYS
from jupyter_cabinet.skills.skill_folders import SKILLS

NOW = datetime(2026, 10, 1, 8, tzinfo=UTC)
ADA = "---\nname: Ada  # the first\nprovider: claude-code\nodd: 1\n---\nKeep the books.\n"


def files_below(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / ".agents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


@pytest.fixture
def folders(tmp_path: Path) -> AgentFolders:
    return AgentFolders(tmp_path, tmp_path / ".cabinet")


# Reading


def test_a_root_without_agents_has_none(folders: AgentFolders) -> None:
    assert folders.slugs() == ()
    assert folders.problems() == ()
    with pytest.raises(NotFound):
        folders.read("ada")


def test_both_layouts_are_read(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA, "ada/SOUL.md": "Kind.", "bob.md": ADA, "USER.md": "---\n"})
    assert folders.slugs() == ("ada", "bob")
    ada, bob = folders.read("ada"), folders.read("bob")
    assert ada.persona is not None and bob.persona is not None
    assert (ada.layout, ada.persona.name, ada.persona.runtime) == ("folder", "Ada", "claude")
    assert ada.texts == {"SOUL.md": "Kind."}
    assert ada.etag == etag_of(ADA.encode())
    assert ada.notes == (".agents/ada/persona.md: odd is not a field of an agent here. It is kept.",)
    assert (bob.layout, bob.persona.slug) == ("legacy", "bob")
    assert folders.problems() == ()


def test_what_is_no_agent_is_a_problem_and_not_read(tmp_path: Path, folders: AgentFolders) -> None:
    write(
        tmp_path,
        {
            "Ada Lovelace/persona.md": ADA,
            "empty/notes.txt": "x",
            "page.md": "Just a page.",
            "README.md": "x",
            ".messages/ada/x.md": "x",
            "data.json": "{}",
        },
    )
    assert folders.slugs() == ()
    told = folders.problems()
    assert [each.split(" ")[0] for each in told] == [".agents/Ada", ".agents/empty", ".agents/page.md"]
    assert "Rename it" in told[0]
    for slug in ("Ada Lovelace", "../x", "empty", "page"):
        with pytest.raises(NotFound):
            folders.read(slug)


def test_a_malformed_agent_is_out_of_service_with_file_and_line_and_the_others_go_on(
    tmp_path: Path, folders: AgentFolders
) -> None:
    files = {
        "ada/persona.md": ADA,
        "line/persona.md": "---\nname: a\nname: b\n---\n",
        "field/persona.md": "---\nbudget: -1\nactive: maybe\n---\n",
        "text/persona.md": ADA,
        "large/persona.md": ADA + "x" * 300_000,
        "old.md": "---\nname: [\n---\n",
    }
    write(tmp_path, files)
    (tmp_path / ".agents/text/SOUL.md").symlink_to("/etc/hostname")
    (tmp_path / ".agents/link").mkdir()
    (tmp_path / ".agents/link/persona.md").symlink_to(tmp_path / ".agents/ada/persona.md")
    (tmp_path / ".agents/behind").symlink_to(tmp_path / ".agents/ada")
    (tmp_path / ".agents/bytes").mkdir()
    (tmp_path / ".agents/bytes/persona.md").write_bytes(b"---\nname: \xff\n---\n")
    (tmp_path / ".agents/pipe").mkdir()
    os.mkfifo(tmp_path / ".agents/pipe/persona.md")
    told = {slug: [error.message for error in folders.read(slug).errors] for slug in folders.slugs()}
    assert {slug for slug in told if folders.read(slug).persona is not None} == {"ada"}
    assert told["ada"] == []
    assert told["line"] == [".agents/line/persona.md, line 3: the field name is there twice, keep one of them."]
    assert [error.field for error in folders.read("field").errors] == ["active", "budget"]
    assert "text/SOUL.md: it is a link" in told["text"][0]
    assert "link/persona.md: it is a link" in told["link"][0]
    assert "behind/persona.md: it is a link" in told["behind"][0]
    assert "larger than 256 KiB" in told["large"][0]
    assert "line 2: the text is not UTF-8" in told["bytes"][0]
    assert "not a regular file" in told["pipe"][0]
    assert ".agents/old.md, line" in told["old"][0]
    assert files_below(tmp_path / ".agents/line") == {"persona.md": files["line/persona.md"]}


def test_an_edit_by_hand_counts_at_the_next_look(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA})
    before = folders.read("ada")
    write(tmp_path, {"ada/persona.md": ADA.replace("Ada", "Ada L.")})
    after = folders.read("ada")
    assert after.persona is not None
    assert after.persona.name == "Ada L."
    assert after.etag != before.etag


# Saving


def test_saving_fields_keeps_comments_spellings_and_unknown_fields(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA})
    saved = folders.save_persona("ada", {"runtime": "codex", "budget": 5})
    assert saved.persona is not None
    assert (saved.persona.runtime, saved.persona.budget) == ("codex", 5)
    expected = ADA.replace("claude-code", "codex").replace("odd: 1\n", "odd: 1\nbudget: 5\n")
    assert files_below(tmp_path / ".agents/ada")["persona.md"] == expected
    assert (tmp_path / ".agents/ada/persona.md").stat().st_mode & 0o777 == 0o644


def test_saving_a_text_needs_the_version_that_was_seen(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA})
    seen = folders.read("ada").etag
    mine = ADA.replace("Keep", "Write")
    for etag in (None, "0" * 64):
        with pytest.raises(Conflict) as conflict:
            folders.save_persona("ada", mine, etag)
        assert conflict.value.detail["etag"] == seen
    assert folders.save_persona("ada", mine, seen).etag == etag_of(mine.encode())
    with pytest.raises(Conflict):
        folders.save_persona("ada", {"budget": 1}, seen)
    assert (tmp_path / ".agents/ada/persona.md").read_text() == mine


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"budget": -1, "active": "maybe"}, Invalid),
        ("---\nname: [\n---\n", Malformed),
        ("---\nname: Ada\n---\n" + "x" * 300_000, Invalid),
    ],
)
def test_what_cannot_be_used_is_not_saved(
    tmp_path: Path, folders: AgentFolders, change: Any, error: type[CabinetError]
) -> None:
    write(tmp_path, {"ada/persona.md": ADA})
    with pytest.raises(error) as caught:
        folders.save_persona("ada", change, etag_of(ADA.encode()))
    if isinstance(change, dict):
        assert [each["field"] for each in caught.value.detail["errors"]] == ["active", "budget"]
    assert (tmp_path / ".agents/ada/persona.md").read_text() == ADA


def test_a_malformed_persona_is_never_overwritten_by_fields_but_can_be_mended(
    tmp_path: Path, folders: AgentFolders
) -> None:
    broken = "---\nname: [\n---\n"
    write(tmp_path, {"ada/persona.md": broken})
    with pytest.raises(Malformed):
        folders.save_persona("ada", {"budget": 1})
    assert (tmp_path / ".agents/ada/persona.md").read_text() == broken
    assert folders.save_persona("ada", ADA, etag_of(broken.encode())).errors == ()


def test_the_layout_of_older_installations_is_moved_when_first_saved(tmp_path: Path, folders: AgentFolders) -> None:
    write(
        tmp_path,
        {
            "bob.md": ADA,
            ".memory/bob/context.md": "did it",
            ".memory/bob/state.json": '{"goals": {}}',
            ".memory/bob/odd.txt": "x",
        },
    )
    assert folders.read_file("bob", "persona.md").content.decode() == ADA
    assert folders.read_file("bob", "memory/context.md").content == b"did it"
    assert folders.read_file("bob", "memory/goals.json").content == b'{"goals": {}}'
    assert not (tmp_path / ".agents/bob").exists()
    saved = folders.save_persona("bob", {"budget": 5})
    assert (saved.layout, folders.slugs()) == ("folder", ("bob",))
    assert seen(tmp_path) == {
        "bob/persona.md": ADA.replace("odd: 1\n", "odd: 1\nbudget: 5\n"),
        "bob/memory/context.md": "did it",
        "bob/memory/goals.json": '{"goals": {}}',
        "bob/memory/odd.txt": "x",
    }


def test_old_memory_never_replaces_what_is_there(tmp_path: Path, folders: AgentFolders) -> None:
    write(
        tmp_path,
        {
            "ada/persona.md": ADA,
            "ada/memory/context.md": "new",
            ".memory/ada/context.md": "old",
            ".memory/ada/goals.json": "{}",
            ".memory/ada/state.json": '{"a": 1}',
        },
    )
    assert folders.prepare("ada") == tmp_path / ".agents/ada"
    found = files_below(tmp_path / ".agents")
    assert found["ada/memory/context.md"] == "new"
    assert found[".memory/ada/context.md"] == "old"
    assert found["ada/memory/goals.json"] == "{}"
    assert found[".memory/ada/state.json"] == '{"a": 1}'
    assert sorted(path.name for path in (tmp_path / ".agents/ada").iterdir() if path.is_dir()) == [
        "memory",
        "sessions",
        "tasks",
        "workspace",
    ]


# Single files


def test_files_are_read_and_saved_by_version(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA})
    etag = folders.write_file("ada", "SOUL.md", b"Kind.", None)
    assert folders.read_file("ada", "./SOUL.md").etag == etag
    with pytest.raises(Conflict) as conflict:
        folders.write_file("ada", "SOUL.md", b"Rude.", None)
    assert conflict.value.detail["etag"] == etag
    with pytest.raises(Conflict):
        folders.write_file("ada", "TOOLS.md", b"x", etag)
    folders.write_file("ada", "SOUL.md", b"Very kind.", etag)
    folders.write_file("ada", "workspace/a/b.txt", b"x", None)
    persona = folders.read_file("ada", "persona.md")
    with pytest.raises(Invalid):
        folders.write_file("ada", "persona.md", b"---\nbudget: -1\n---\n", persona.etag)
    new = folders.write_file("ada", "persona.md", ADA.replace("Ada", "Eve").encode(), persona.etag)
    assert new == folders.read("ada").etag
    assert [info.path for info in folders.list_files("ada")] == ["SOUL.md", "persona.md", "workspace/a/b.txt"]
    assert folders.read("ada").texts == {"SOUL.md": "Very kind."}


def test_no_path_leads_out_of_the_agents_folder(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA})
    (tmp_path / "secret").write_text("s")
    (tmp_path / ".agents/ada/out").symlink_to(tmp_path)
    (tmp_path / ".agents/ada/leaf").symlink_to(tmp_path / "secret")
    for path in ("../secret", "/etc/passwd", "a/../../x", ""):
        with pytest.raises(Invalid):
            folders.read_file("ada", path)
        with pytest.raises(Invalid):
            folders.write_file("ada", path, b"x", None)
    for path in ("out/secret", "leaf"):
        with pytest.raises(Malformed):
            folders.read_file("ada", path)
        for etag in (None, etag_of(b"s")):
            with pytest.raises((OutsideRoot, Malformed)):
                folders.write_file("ada", path, b"x", etag)
    with pytest.raises((OutsideRoot, Malformed)):
        folders.write_file("ada", "out/new", b"x", None)
    with pytest.raises(Malformed):
        folders.read_file("ada", "out")
    assert files_below(tmp_path)["secret"] == "s"
    assert not (tmp_path / "new").exists()
    assert [info.path for info in folders.list_files("ada")] == ["persona.md"]
    with pytest.raises(Invalid):
        folders.write_file("ada", "large.txt", b"x" * (safe_files.MAX_FILE_BYTES + 1), None)


def test_a_missing_file_is_not_found(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA})
    with pytest.raises(NotFound):
        folders.read_file("ada", "memory/context.md")
    with pytest.raises(NotFound):
        folders.write_file("nobody", "SOUL.md", b"x", None)


# Making and moving


def test_the_guide_says_what_belongs_into_each_file() -> None:
    guide = templates.files_of("ops")["GUIDE.md"].decode()
    rows = [line.strip("| ").split(" | ") for line in guide.splitlines() if line.startswith("| ")]
    homes = {what.partition(":")[0]: where for what, where in rows}
    assert f"{AGENTS}/{USER}" in homes["a preference of the people here"]
    assert "TOOLS.md" in homes["the environment"]
    assert "memory/MEMORY.md" in homes["a fact that the agent should always know"]
    assert f"{PLAYBOOKS}/{SKILLS}/" in homes["a procedure"] and f"{PLAYS}/" in homes["a procedure"]
    assert all(name in guide for name in VERSIONED if name != "GUIDE.md")


@pytest.mark.parametrize("template", templates.NAMES)
def test_every_template_makes_an_agent_that_is_in_order(tmp_path: Path, folders: AgentFolders, template: str) -> None:
    made = folders.create("ada", template, {"name": "Ada", "budget": 7})
    assert made.errors == () and made.notes == () and made.persona is not None
    assert (made.persona.name, made.persona.budget, made.persona.slug) == ("Ada", 7, "ada")
    assert made.persona.body.strip()
    assert set(made.texts) == {"SOUL.md", "HEARTBEAT.md"}
    assert [info.path for info in folders.list_files("ada")] == ["GUIDE.md", "HEARTBEAT.md", "SOUL.md", "persona.md"]
    has_shell = made.persona.tools() is None or "Bash" in (made.persona.tools() or ())
    assert has_shell == (template == "coding")
    assert made.persona.permission_mode == ("ask" if has_shell else made.persona.permission_mode)
    if template in ("orchestrator", "project-manager"):
        assert made.persona.heartbeat_mode == "when_needed"
    assert folders.problems() == ()


def test_templates_are_described() -> None:
    assert [each.name for each in templates.templates()] == list(templates.NAMES)
    assert all(each.title and each.emoji and each.description for each in templates.templates())
    with pytest.raises(NotFound):
        templates.files_of("../coding")


def test_an_agent_is_made_once_and_under_a_proper_name(tmp_path: Path, folders: AgentFolders) -> None:
    folders.create("ada", "research", {})
    before = files_below(tmp_path / ".agents")
    write(tmp_path, {"bob.md": ADA, ".messages/eve/x.md": "for the one before"})
    for slug, values, error in (
        ("ada", {}, Conflict),
        ("bob", {}, Conflict),
        ("eve", {}, Conflict),
        ("Ada", {}, Invalid),
        ("../x", {}, Invalid),
        ("fay", {"budget": -1}, Invalid),
    ):
        with pytest.raises(error):
            folders.create(slug, "coding", values)
    with pytest.raises(NotFound):
        folders.create("fay", "none", {})
    assert folders.slugs() == ("ada", "bob")
    assert {name: text for name, text in files_below(tmp_path / ".agents").items() if name in before} == before


FULL = {
    "ada/persona.md": ADA,
    "ada/memory/context.md": "did",
    ".messages/ada/m.md": "hello",
    ".history/ada.jsonl": "{}\n",
    ".memory/ada/learnings.md": "old",
    "bob/persona.md": ADA,
    ".messages/bob/m.md": "for bob",
}


def test_renaming_takes_everything_along(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, FULL)
    assert folders.rename("ada", "eve").slug == "eve"
    assert folders.slugs() == ("bob", "eve")
    expected = {name.replace("/ada", "/eve").replace("ada/", "eve/"): text for name, text in FULL.items()}
    assert files_below(tmp_path / ".agents") == expected
    for old, new, error in (("eve", "bob", Conflict), ("eve", "eve", Conflict), ("ada", "x", NotFound)):
        with pytest.raises(error):
            folders.rename(old, new)
    with pytest.raises(Invalid):
        folders.rename("eve", "Eve!")
    assert files_below(tmp_path / ".agents") == expected


@pytest.mark.parametrize("legacy", [False, True])
def test_what_is_archived_or_deleted_comes_back_whole(tmp_path: Path, folders: AgentFolders, legacy: bool) -> None:
    files = {**FULL, "ada.md": FULL["ada/persona.md"]} if legacy else FULL
    if legacy:
        files = {name: text for name, text in files.items() if name != "ada/persona.md"}
    write(tmp_path, files)
    for put_away, listed in ((folders.archive, folders.archived), (folders.delete, folders.trashed)):
        name = put_away("ada", now=NOW)
        assert name.startswith("ada-20261001T080000Z-")
        assert folders.slugs() == ("bob",)
        assert [(each.name, each.slug, each.agent_name, each.at) for each in listed()] == [(name, "ada", "Ada", NOW)]
        assert sorted(files_below(tmp_path / ".agents").values()) == sorted(files.values())
        assert folders.unarchive(name) == "ada"
        assert listed() == ()
        assert files_below(tmp_path / ".agents") == files
        for gone in (name, "../ada", "x"):
            with pytest.raises(NotFound):
                folders.unarchive(gone)


def test_an_archived_agent_does_not_come_back_over_another(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, FULL)
    name = folders.archive("ada", now=NOW)
    folders.create("ada", "ops", {})
    before = files_below(tmp_path / ".agents")
    with pytest.raises(Conflict):
        folders.unarchive(name)
    assert files_below(tmp_path / ".agents") == before


def test_nothing_is_moved_behind_a_link(tmp_path: Path, folders: AgentFolders) -> None:
    outside = tmp_path / "outside"
    (outside / "ada").mkdir(parents=True)
    write(tmp_path, {"ada/persona.md": ADA})
    (tmp_path / ".agents/.messages").symlink_to(outside)
    with pytest.raises(OutsideRoot):
        folders.archive("ada", now=NOW)
    with pytest.raises(OutsideRoot):
        folders.rename("ada", "eve")
    assert (outside / "ada").is_dir()
    assert folders.slugs() == ("ada",)


# Disks that refuse, servers that die


WRITES = ("mkdir", "open", "rename", "replace", "fsync")
Act = Callable[[AgentFolders], object]
ACTS: dict[str, Act] = {
    "create": lambda folders: folders.create("eve", "ops", {}),
    "rename": lambda folders: folders.rename("ada", "eve"),
    "archive": lambda folders: folders.archive("ada", now=NOW),
    "delete": lambda folders: folders.delete("ada", now=NOW),
    "save": lambda folders: folders.save_persona("ada", {"budget": 3}),
    "save the old layout": lambda folders: folders.save_persona("old", {"budget": 3}),
    "write": lambda folders: folders.write_file("ada", "SOUL.md", b"x", None),
}

TWO_STEPS = ("save", "save the old layout", "write")  # what lies where it lay in older installations is moved first


def interrupt(monkeypatch: pytest.MonkeyPatch, number: int, strike: Callable[[], None]) -> None:
    """Strike at the write of this number, of those that an act makes on the disk."""
    count = iter(range(1_000_000))

    def struck(real: Any, name: str) -> Any:
        def call(first: Any, *rest: Any, **more: Any) -> Any:
            if (name != "open" or rest[0] & os.O_CREAT) and next(count) == number:
                strike()
            return real(first, *rest, **more)

        return call

    for name in WRITES:
        monkeypatch.setattr(os, name, struck(getattr(os, name), name))


def root_of(place: Path) -> AgentFolders:
    write(place, {**FULL, "old.md": ADA, ".memory/old/context.md": "c"})
    return AgentFolders(place, place / ".cabinet")


def seen(place: Path) -> dict[str, str]:
    """What people see, by the eyes of the next server. The time and chance in the names of boxes are left out,
    and earlier versions, which `test_file_versions.py` looks at."""
    AgentFolders(place, place / ".cabinet").slugs()
    found = files_below(place / ".agents")
    left_out = (".new", ".versions")
    return {
        re.sub("T080000Z-[0-9a-f]{6}", "", name): text for name, text in found.items() if not name.startswith(left_out)
    }


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(("number", "error"), cases((errno.ENOSPC, NoRoom), (errno.EROFS, Unavailable)))
def test_a_disk_that_refuses_a_write_changes_nothing_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, number: int, error: type[CabinetError]
) -> None:
    refused: list[int] = []

    def refuse() -> None:
        refused.append(point)
        raise OSError(number, os.strerror(number))

    ACTS[act](root_of(tmp_path / "undisturbed"))
    done = seen(tmp_path / "undisturbed")
    for point in range(1000):
        place = tmp_path / str(point)
        folders = root_of(place)
        before = seen(place)
        with monkeypatch.context() as patched:
            interrupt(patched, point, refuse)
            try:
                ACTS[act](folders)
                if point in refused:  # it was not needed
                    continue
                break
            except (NoRoom, Unavailable) as raised:
                assert "room on the disk" in raised.message or "cannot be" in raised.message
                assert type(raised) is error or ".cabinet" in raised.message
        after = seen(place)
        if act not in TWO_STEPS:
            assert after == before, point
        # the last write of a file makes its folder remember it: what refuses that comes when it is there
        assert after == done or sorted(after.values()) == sorted(before.values()), point
    assert point >= 4


@pytest.mark.parametrize("act", cases(*ACTS))
def test_whenever_a_server_dies_the_agent_is_as_before_or_as_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    ACTS[act](root_of(tmp_path / "undisturbed"))
    done, states = seen(tmp_path / "undisturbed"), []
    for point in range(1000):
        place = tmp_path / str(point)
        folders = root_of(place)
        before = seen(place)
        child = os.fork()
        if child == 0:
            interrupt(monkeypatch, point, lambda: os._exit(1))
            ACTS[act](folders)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        after = seen(place)
        left = {name: text for name, text in after.items() if not Path(name).name.startswith(".")}  # of a file begun
        if act not in TWO_STEPS:
            assert left in (before, done), point
        assert sorted(left.values()) in (sorted(before.values()), sorted(done.values())), point
        states.append(left == done)
        if code == 0:
            break
    assert states[0] is False and states[-1] is True
    assert states == sorted(states)
    assert point >= 4


def test_a_move_that_fails_halfway_is_taken_back(
    tmp_path: Path, folders: AgentFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, FULL)
    real = os.rename

    def refusing(source: Any, target: Any, **more: Any) -> None:
        if str(source).endswith("ada.jsonl"):
            raise PermissionError(errno.EACCES, "Permission denied", str(source))
        real(source, target, **more)

    monkeypatch.setattr(os, "rename", refusing)
    with pytest.raises(Unavailable):
        folders.rename("ada", "eve")
    assert files_below(tmp_path / ".agents") == FULL
    assert folders.slugs() == ("ada", "bob")


# Locks


def test_an_agent_is_held_by_one_at_a_time_also_across_servers(tmp_path: Path) -> None:
    write(tmp_path, {"ada/persona.md": ADA, "bob/persona.md": ADA})
    one, other = (AgentFolders(tmp_path, tmp_path / ".cabinet") for _ in range(2))
    inside, done = threading.Event(), threading.Event()

    def wait_for_it() -> None:
        with other.locked("bob"):
            inside.set()
        with other.locked("ada"):
            done.set()

    with one.locked("ada"), one.locked("ada"):
        thread = threading.Thread(target=wait_for_it)
        thread.start()
        assert inside.wait(30)
        assert not done.wait(0.05)
    assert done.wait(30)
    thread.join(30)


def test_increments_by_two_servers_are_all_kept(tmp_path: Path) -> None:
    write(tmp_path, {"ada/persona.md": ADA, "ada/workspace/n": "0"})

    def count(folders: AgentFolders) -> None:
        for _ in range(20):
            with folders.locked("ada"):
                found = folders.read_file("ada", "workspace/n")
                folders.write_file("ada", "workspace/n", str(int(found.content) + 1).encode(), found.etag)

    threads = [threading.Thread(target=count, args=(AgentFolders(tmp_path, tmp_path / ".cabinet"),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (tmp_path / ".agents/ada/workspace/n").read_text() == "60"


def test_who_holds_an_agent_does_not_ask_for_another(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA, "bob/persona.md": ADA})
    with folders.locked("ada"):
        with folders.locked("ada"):
            assert folders.save_persona("ada", {"budget": 1}).errors == ()
        for act in (lambda: folders.save_persona("bob", {"budget": 1}), lambda: folders.rename("ada", "eve")):
            with pytest.raises(AssertionError):
                act()
    assert folders.rename("ada", "eve").slug == "eve"


# What others have planted or broken


def test_a_folder_of_agents_that_is_a_link_holds_none(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path / "outside", {"ada/persona.md": ADA})
    (tmp_path / ".agents").symlink_to(tmp_path / "outside/.agents")
    assert folders.slugs() == ()
    for act in (lambda: folders.create("eve", "ops", {}), lambda: folders.save_persona("ada", {"budget": 1})):
        with pytest.raises((OutsideRoot, Malformed)):
            act()
    assert files_below(tmp_path / "outside") == {".agents/ada/persona.md": ADA}


def test_an_old_agent_that_is_a_link_is_shown_with_its_error(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"notes.txt": "x"})
    (tmp_path / ".agents/bob.md").symlink_to(tmp_path / ".agents/notes.txt")
    assert folders.slugs() == ("bob",)
    assert "it is a link" in folders.read("bob").errors[0].message


def test_a_note_that_cannot_be_read_hinders_nobody(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, {"ada/persona.md": ADA})
    folders.rename("ada", "eve")
    (tmp_path / ".cabinet/moves/eve.json").write_text("{")
    (tmp_path / ".cabinet/moves/x.json").mkdir()
    assert folders.slugs() == ("eve",)
    assert folders.rename("eve", "ada").slug == "ada"


def test_many_files_are_listed_up_to_a_number(
    tmp_path: Path, folders: AgentFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jupyter_cabinet.agents.files.agent_folders.MAX_LISTED", 3)
    write(tmp_path, {"ada/persona.md": ADA, "ada/.persona.md.0123456789ab": "half"})
    assert [info.path for info in folders.list_files("ada")] == ["persona.md"]
    write(tmp_path, {**{f"ada/workspace/{number}": "x" for number in range(9)}})
    assert len(folders.list_files("ada")) == 3


def test_a_box_that_is_not_empty_stays(tmp_path: Path, folders: AgentFolders) -> None:
    write(tmp_path, FULL)
    name = folders.archive("ada", now=NOW)
    write(tmp_path, {f".archive/{name}/why.txt": "a note by hand"})
    folders.unarchive(name)
    assert files_below(tmp_path / ".agents/.archive") == {f"{name}/why.txt": "a note by hand"}
    assert folders.archived() == ()


def test_what_cannot_be_finished_keeps_that_agent_from_being_changed_and_no_other(
    tmp_path: Path, folders: AgentFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, FULL)
    (tmp_path / ".cabinet/moves").mkdir(parents=True)
    (tmp_path / ".cabinet/moves/ada.json").write_text('{"slugs": ["ada", "eve"], "moves": [["ada", "eve"]]}')

    def refuse(source: Any, target: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(source))

    with monkeypatch.context() as patched:
        patched.setattr(os, "rename", refuse)
        assert folders.slugs() == ("ada", "bob")
        for slug in ("ada", "eve"):
            with pytest.raises(Unavailable), folders.locked(slug):
                pass
        assert folders.save_persona("bob", {"budget": 3}).errors == ()
    assert folders.slugs() == ("bob", "eve")

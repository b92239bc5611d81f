"""The file of an exported agent: what strangers put into it is refused with the reason, and nothing is lost in it."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.files import front_matter
from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.bundles.archive import MAX_BUNDLE_BYTES, Bundle, packed, unpacked
from jupyter_cabinet.bundles.arriving import TakenNames, arrival, free_name
from jupyter_cabinet.core.errors import CabinetError, Conflict, Invalid
from jupyter_cabinet.plays.play_files import PlayFiles
from jupyter_cabinet.skills.skill_versions import SkillFile, SkillVersion
from jupyter_cabinet.storage.filesystem import zip_archives

PERSONA = b"---\nname: Ada\n---\nKeep the books.\n"
SKILL = b"---\nname: greet\ndescription: Greets people.\n---\n\nSay hello.\n"
FILE = stat.S_IFREG | 0o644


def manifest(files: Mapping[str, bytes], **other: Any) -> bytes:
    listed = [
        {"path": path, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for path, content in files.items()
    ]
    return json.dumps({"format": 1, "slug": "ada", "cabinet": "1.0", "files": listed, **other}).encode()


def archive(files: Mapping[str, bytes], *, mode: int = FILE, listed: bytes | None = None, **other: Any) -> bytes:
    """A file with a manifest that fits, unless `listed` is another one."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in {"manifest.json": listed or manifest(files, **other), **files}.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (FILE if name == "manifest.json" else mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, content)
    return made.getvalue()


GOOD = {"agent/persona.md": PERSONA}


def test_the_smallest_file_is_read() -> None:
    assert unpacked(archive(GOOD)) == Bundle(slug="ada", agent={"persona.md": PERSONA}, cabinet="1.0")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"../x": b""}, "relative path"),
        ({"/etc/x": b""}, "relative path"),
        ({"agent/memory/../../x": b""}, "relative path"),
        ({"agent/memory/a\u202eb": b""}, "relative path"),
        ({"agent/memory/x.md": b"", "agent/memory/X.md": b""}, "same name on some disks"),
        ({"agent/memory/x/a": b"", "agent/memory/X/b": b""}, "same name on some disks"),
        ({"agent/memory/\u00e9.md": b"", "agent/memory/e\u0301.md": b""}, "same name on some disks"),
        ({"agent/memory/x": b"", "agent/memory/x/y": b""}, "twice"),
        ({f"agent/memory/{number}": b"" for number in range(2_000)}, "more than 2000 files"),
        ({"agent/memory/" + "a/" * 12 + "b": b""}, "deep"),
        ({"agent/tasks/1.json": b"{}"}, "does not belong"),
        ({"agent/memory/stats.json": b"{}"}, "does not belong"),
        ({"agent/workspace/CLAUDE.md": b""}, "does not belong"),
        ({"agent/memory/.claude/settings.json": b"{}"}, "does not belong"),
        ({"agents/ada/persona.md": b""}, "does not belong"),
        ({".cabinet/cabinet.db": b""}, "does not belong"),
        ({"plays/Digest.md": b""}, "not the file of a play"),
        ({"plays/a/b.md": b""}, "not the file of a play"),
        ({"skills/Greet/SKILL.md": SKILL}, "not the file of a skill"),
        ({"skills/SKILL.md": SKILL}, "not the file of a skill"),
        ({"agent/SOUL.md": b"x" * (1 << 20)}, "SOUL.md is too large"),
        ({"plays/a.md": b"x" * (1 << 20)}, "too large"),
        ({"USER.md": b"x" * (1 << 20)}, "too large"),
        ({"skills/greet/SKILL.md": SKILL}, "checksum differs"),
    ],
)
def test_what_does_not_belong_into_such_a_file_is_refused(files: dict[str, bytes], says: str) -> None:
    with pytest.raises(Invalid, match=says):
        unpacked(archive({**GOOD, **files}))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_are_refused(kind: int) -> None:
    with pytest.raises(Invalid, match="link or a device"):
        unpacked(archive(GOOD, mode=kind | 0o777))


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        (manifest({**GOOD, "agent/SOUL.md": b""}), r"lists agent/SOUL\.md, which is not in it"),
        (manifest({}), r"does not list agent/persona\.md"),
        (manifest({"agent/persona.md": PERSONA[:-1] + b"!"}), "its checksum differs"),
        (manifest(GOOD, format=2), "format has the number 2"),
        (manifest(GOOD, slug="../ada"), "no valid name"),
        (manifest(GOOD, slug=7), "cannot be read"),
        (manifest(GOOD, skills=[{"name": "greet", "hash": "0"}]), "checksum differs"),
        (b"[" * 100_000, "cannot be read"),
        (b"\xff", "cannot be read"),
        (b" " * (3 << 20), "too large"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(listed: bytes, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        unpacked(archive(GOOD, listed=listed))


def test_a_file_without_a_manifest_or_a_persona_is_refused() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("agent/persona.md", PERSONA)
    with pytest.raises(Invalid, match=r"no manifest\.json"):
        unpacked(made.getvalue())
    with pytest.raises(Invalid, match=r"no agent/persona\.md"):
        unpacked(archive({"agent/SOUL.md": b""}))


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Invalid, match="larger than 16 MiB"):
        unpacked(archive({**GOOD, "agent/memory/a": b"\0" * (MAX_BUNDLE_BYTES + 1)}))
    monkeypatch.setattr(zip_archives, "MOST_ENTRIES", 1)  # of a list of contents that Python would read at once
    with pytest.raises(Invalid, match="files"):
        unpacked(archive(GOOD))


@given(st.binary(max_size=200), st.integers(0, 2_000), st.integers(0, 255))
def test_damaged_files_are_refused_in_words(noise: bytes, at: int, byte: int) -> None:
    whole = bytearray(archive(GOOD))
    whole[at % len(whole)] = byte
    for content in (noise, bytes(whole)):
        try:
            unpacked(content)
        except CabinetError as error:
            assert error.message.startswith("The archive was not accepted")


# --- there and back -----------------------------------------------------------------------------

names = st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}", fullmatch=True)
texts = st.text(st.characters(codec="utf-8"), max_size=200).map(lambda text: text.encode())
words = st.from_regex(r"[a-z]{1,8}", fullmatch=True)


@st.composite
def bundles(draw: st.DrawFn) -> Bundle:
    """An agent with anything that an agent may have."""
    slug, plays = draw(names), draw(st.lists(names, max_size=3, unique=True))
    skills = draw(st.lists(words, max_size=2, unique=True))
    fields = {"name": draw(words), "role": draw(words), "plays": plays, "skills": skills, "colour": draw(words)}
    persona = front_matter.changed(draw(words), fields, file="persona.md").encode()
    memory = draw(st.dictionaries(words.map(lambda word: f"memory/{word}.md"), st.binary(max_size=200), max_size=3))
    identity = draw(st.dictionaries(st.sampled_from(["SOUL.md", "TOOLS.md", "HEARTBEAT.md", "GUIDE.md"]), texts))
    trigger = st.sampled_from([{"on_complete": each} for each in plays] + [{"agent_message": slug}, "manual"])
    return Bundle(
        slug=slug,
        agent={"persona.md": persona, **identity, **memory},
        plays={each: _play(slug, draw(st.lists(trigger, max_size=2)), draw(words)) for each in plays},
        skills={each: _skill(each, draw(st.binary(max_size=50)), draw(st.booleans())) for each in skills},
        user=draw(st.none() | texts),
    )


def _play(agent: str, triggers: list[Any], body: str) -> bytes:
    return front_matter.changed(body, {"agent": agent, "triggers": triggers}, file="play.md").encode()


def _skill(name: str, content: bytes, executable: bool) -> SkillVersion:
    main = SKILL.replace(b"name: greet", f"name: {name}".encode())
    files = (SkillFile("SKILL.md", False, main), SkillFile("scripts/run.sh", executable, content))
    return SkillVersion(files)


def imported(root: Path, bundle: Bundle) -> Any:
    """The agent as it is written below `root`, and what arrived."""
    (root / ".cabinet").mkdir(parents=True, exist_ok=True)
    folders = AgentFolders(root, root / ".cabinet")
    plays = PlayFiles(root, root / ".cabinet", zone="UTC")
    taken = TakenNames(agent=folders.is_taken, play=plays.exists)
    arrived = arrival(bundle, wanted="", taken=taken, files=plays)
    folders.bring(arrived.slug, arrived.agent, arrived.beside(skills=bundle.skills, user=True))
    return arrived


def again(root: Path, bundle: Bundle) -> Bundle:
    """What lies below `root` now, as it would be exported."""
    agent = root / ".agents" / bundle.slug
    skills = root / ".playbooks/skills"
    return Bundle(
        slug=bundle.slug,
        agent={str(path.relative_to(agent)): path.read_bytes() for path in agent.rglob("*") if path.is_file()},
        plays={path.stem: path.read_bytes() for path in (root / ".playbooks/plays").glob("*.md")},
        skills={each: _read_skill(skills / each) for each in bundle.skills},
        user=(root / ".agents/USER.md").read_bytes() if (root / ".agents/USER.md").exists() else None,
    )


def _read_skill(folder: Path) -> SkillVersion:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return SkillVersion(
        tuple(
            SkillFile(str(path.relative_to(folder)), bool(path.stat().st_mode & 0o100), path.read_bytes())
            for path in files
        )
    )


@given(bundles())
def test_any_agent_arrives_as_it_was_and_is_exported_again_as_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, bundle: Bundle
) -> None:
    content = packed(bundle)
    assert unpacked(content) == bundle
    root = tmp_path_factory.mktemp("root")
    imported(root, unpacked(content))
    assert packed(again(root, bundle)) == content
    second = imported(root, without_shared_parts(bundle))  # beside the first one: nothing of that changes
    assert second.slug == free_name(bundle.slug, lambda name: name == bundle.slug)
    assert not set(second.new_plays.values()) & bundle.plays.keys()
    assert all(play.play and play.play.agent == second.slug for play in second.plays.values())
    first = again(root, bundle)
    assert (first.agent, first.skills, first.user) == (bundle.agent, bundle.skills, bundle.user)
    assert {slug: first.plays[slug] for slug in bundle.plays} == bundle.plays


def without_shared_parts(bundle: Bundle) -> Bundle:
    """The same agent without what can exist only once."""
    return Bundle(slug=bundle.slug, agent=bundle.agent, plays=bundle.plays)


def test_an_import_writes_nothing_if_a_part_of_it_exists_or_is_behind_a_link(tmp_path: Path) -> None:
    bundle = Bundle(slug="ada", agent={"persona.md": PERSONA}, skills={"greet": _skill("greet", b"", True)})
    (tmp_path / "elsewhere").mkdir()
    for name, refused in (("there", Conflict), ("linked", CabinetError)):
        root = tmp_path / name
        (root / ".playbooks").mkdir(parents=True)
        if name == "there":
            (root / ".playbooks/skills/greet").mkdir(parents=True)
        else:
            (root / ".playbooks/skills").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(refused):
            imported(root, bundle)
        assert not (root / ".agents/ada").exists()
        assert [path for path in (root / ".agents/.new").rglob("*") if path.is_file()] == []
    assert list((tmp_path / "elsewhere").iterdir()) == []


# --- a server that dies -------------------------------------------------------------------------


@pytest.mark.long(reason="a crash trial")
def test_wherever_a_server_dies_in_an_import_all_of_it_is_there_or_nothing(tmp_path: Path) -> None:
    tried = subprocess.run(
        [sys.executable, "-m", "harness.import_trial", str(tmp_path)],
        check=False,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert tried.returncode == 0, tried.stderr
    arrived = [line.endswith("arrived") for line in tried.stdout.splitlines()]
    assert len(arrived) > 30 and not arrived[0] and arrived[-1] and arrived.count(True) > 3, tried.stdout

"""What no run's changes include: the list, where its paths are on this machine, and that nothing there is compared or
written."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from harness.backend import ADA, Place

from jupyter_cabinet.changes import store
from jupyter_cabinet.changes.model import Changes, Decide
from jupyter_cabinet.changes.service import ChangedRun, ReportedCall
from jupyter_cabinet.changes.settings import ChangeSettings
from jupyter_cabinet.changes.snapshots import never_compared
from jupyter_cabinet.changes.snapshots.excluded_paths import exclusions_of
from jupyter_cabinet.changes.snapshots.exclusions import Exclusions
from jupyter_cabinet.core.errors import Conflict
from jupyter_cabinet.core.events import Scope

ROOT = Path(__file__).parents[3]
SCOPE = Scope(owner="ada", visibility="private")


@pytest.mark.parametrize(
    ("path", "folder", "is_folder", "expected"),
    [
        (".ssh", "", True, "SSH keys"),
        (".ssh/id_ed25519", "", False, "SSH keys"),
        (".ssh/new", ".ssh", True, "SSH keys"),
        (".netrc", "", False, "passwords"),
        ("project/.netrc", "", False, ""),
        (".claude.json.backup.1", "", False, "Claude Code"),
        (".claudette", "", False, ""),
        (".docker/config.json", ".docker", False, "container registries"),
        (".docker/daemon.json", ".docker", False, ""),
        (".docker/daemon.json", "", False, "dot folder"),
        (".config/nvim/init.lua", ".config/nvim", False, ""),
        (".config/gcloud/token", ".config/nvim", False, "cloud services"),
        (".vim", "", True, "dot folder"),
        (".bashrc", "", False, ""),
        (".agents/ada/persona.md", "", False, ""),
        (".github/workflows/test.yml", "", False, ""),
        ("project/.jupyter_ystore.db-wal", "project", False, "real-time collaboration"),
        ("data/big.parquet", "", False, "changes_excluded"),
        ("data/small.csv", "", False, ""),
        ("", "", True, ""),
    ],
)
def test_what_is_excluded_and_why(path: str, folder: str, is_folder: bool, expected: str) -> None:
    exact = {path: entry.reason for entry in never_compared.BELOW_HOME for path in entry.paths}
    exact[".claude.json*"] = never_compared.CLI_STATE.format(title="Claude Code")
    exclusions = Exclusions(exact, home="", patterns=("data/*", "!data/small.csv"))
    found = exclusions.of(folder).why_at_or_above(path, is_folder=is_folder)
    assert (expected in found) if expected else not found, found


def test_paths_are_found_by_their_names_and_where_links_lead(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    for each in (root / "state" / "codex", elsewhere):
        each.mkdir(parents=True)
    (root / ".codex").symlink_to(root / "state" / "codex")
    (tmp_path / "alias").symlink_to(root)
    own = {
        str(root / ".codex"): "codex",
        str(tmp_path / "alias" / "db*"): "database",
        str(elsewhere): "elsewhere",
        str(root): "the root itself",
        str(tmp_path): "above it",
        "relative": "relative",
    }
    excluded = exclusions_of(root, {"HOME": str(tmp_path / "alias"), "XDG_CACHE_HOME": str(root / "c")}, own).of("")
    assert excluded.why_at_or_above(".codex") == excluded.why_at_or_above("state/codex/sessions/1") == "codex"
    assert excluded.why_at_or_above("db-wal") == "database" and excluded.why_at_or_above("c/x") == never_compared.CACHE
    assert excluded.why_at_or_above(".ssh/id_rsa") == never_compared.SSH_KEYS  # the home directory is the root
    assert excluded.why_at_or_above(".agents/.versions/ada/SOUL.md/00000001.json") == never_compared.AGENT_VERSIONS
    assert not excluded.why_at_or_above(".agents/ada/SOUL.md")
    assert not excluded.why_at_or_above("relative") and not excluded.why_at_or_above("state/file")
    apart = exclusions_of(root, {"HOME": str(elsewhere)}, {}).of("")
    assert not apart.why_at_or_above(".ssh/id_rsa") and apart.why_at_or_above(".jupyter/collaboration_sessions.json")
    above = exclusions_of(tmp_path, {"HOME": str(root)}, {}).of("")
    assert above.why_at_or_above("root/.ssh/id_rsa") and above.why_at_or_above("root/.vim/x")


def listed(changes: Changes) -> dict[str, str]:
    return {each.path: each.why for each in changes.left_out if each.reason == "excluded"}


def kept_contents(root: Path) -> bytes:
    import zlib

    found = [path for path in (root / ".cabinet" / "changes").glob("??/*") if path.is_file()]
    return b"".join(zlib.decompress(path.read_bytes()) for path in found)


def touch(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


STATE = (".ssh/id_ed25519", ".aws/credentials", ".claude/projects/1.jsonl", ".codex-home/sessions/1", ".vim/x", "own/a")


@pytest.mark.parametrize("partial", [False, True])
async def test_nothing_excluded_is_kept_compared_or_written(tmp_path: Path, partial: bool) -> None:
    place = Place(tmp_path)
    for path in STATE:
        touch(place.root / path, "secret before\n")
    settings = ChangeSettings(changes_excluded=("own/",), changes_folder_files=1 if partial else 50_000)
    environment = {"HOME": str(place.root), "CODEX_HOME": str(place.root / ".codex-home")}
    async with place.backend(environment=environment, changes=settings) as backend:
        await backend.changes.begin(ChangedRun("r1", ".", path="a.md"))
        await backend.changes.about_to_edit("r1", (*STATE, "b.md"))
        backend.changes.reported("r1", ReportedCall("c1", tuple(STATE), anything=False))
        backend.changes.saved(".vim/x", b"secret before\n", b"secret saved\n")
        for path in (*STATE, ".claude/projects/2.jsonl", "a.md"):
            touch(place.root / path, "secret after\n")
        await backend.changes.end("r1")
        changes = await backend.changes.of("r1")
        assert [file.path for file in changes.files] == ["a.md"]
        if not partial:
            assert sorted(listed(changes)) == [".aws/", ".claude/", ".codex-home/", ".ssh/", ".vim/", "own/"]
            assert listed(changes)[".codex-home/"] == "conversations, settings and logins of Codex"
            assert [(each.reason, each.count) for each in changes.not_compared] == [("excluded", 6)]
        assert not backend.changes.follows(".ssh/config") and backend.changes.follows("a.md")
        await backend.changes.decide("r1", Decide(decision="revert"), ADA, SCOPE)
    assert place.document.read_text() == "# A\n"
    assert all((place.root / path).read_text() == "secret after\n" for path in STATE)
    assert b"secret before" not in kept_contents(place.root)


async def test_what_an_earlier_server_compared_is_not_compared_again_and_not_written(tmp_path: Path) -> None:
    place = Place(tmp_path)
    paths = ("late/a", "late/b", "other")
    for path in paths:
        touch(place.root / path, "before\n")
    async with place.backend() as backend:
        for run in ("ended", "open"):
            await backend.changes.begin(ChangedRun(run, "."))
        for path in paths:
            touch(place.root / path, "after\n")
        await backend.changes.end("ended")
        record = await backend.database.read(lambda c: store.load(c, "open"))
    assert record is not None and record.state == "working"
    async with place.backend(changes=ChangeSettings(changes_excluded=("late/",))) as backend:
        assert [file.path for file in (await backend.changes.of("open")).files] == ["other"]  # compared just now
        with pytest.raises(Conflict, match="late/a is never written by an undo"):
            await backend.changes.decide("ended", Decide(decision="revert", paths=("late/a",)), ADA, SCOPE)
        # Reverting all files would skip them: another run worked at the same time.
        named = Decide(decision="revert", paths=("other",))
        changes = await backend.changes.decide("ended", named, ADA, SCOPE)
        assert [file.path for file in changes.files if file.decision] == ["other"]
        assert [(place.root / path).read_text() for path in paths] == ["after\n", "after\n", "before\n"]


async def test_an_undo_that_a_dead_server_left_writes_nothing_excluded(tmp_path: Path) -> None:
    place = Place(tmp_path)
    touch(place.root / "late" / "a", "before\n")
    async with place.backend() as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        touch(place.root / "late" / "a", "after\n")
        await backend.changes.end("r1")
        record = await backend.database.read(lambda c: store.load(c, "r1"))
        assert record is not None
        pending = backend.changes._deciding.planned(record, Decide(decision="revert"), ["late/a"], "Ada")
        record = msgspec.structs.replace(record, pending=pending)
        await backend.commits.commit(lambda c: store.put(c, record))
    async with place.backend(changes=ChangeSettings(changes_excluded=("late/",))) as backend:
        changes = await backend.changes.of("r1")
        assert not any(file.decision for file in changes.files)
    assert (place.root / "late" / "a").read_text() == "after\n"


async def test_a_run_in_an_excluded_folder_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    touch(place.root / ".ssh" / "config", "before\n")
    async with place.backend(environment={"HOME": str(place.root)}) as backend:
        await backend.changes.begin(ChangedRun("r1", ".ssh"))
        touch(place.root / ".ssh" / "config", "after\n")
        await backend.changes.end("r1")
        changes = await backend.changes.of("r1")
    assert not changes.files and listed(changes) == {".ssh/": never_compared.SSH_KEYS}


def test_the_documentation_has_the_list() -> None:
    text = (ROOT / "docs/how-to/review-changes.md").read_text()
    rows = dict(re.findall(r"^\| (`[^|]+) \| ([^|]+) \|$", text, re.M))
    entries = (*never_compared.BELOW_HOME, *never_compared.ANYWHERE)
    assert rows == {", ".join(f"`{path}`" for path in entry.paths): entry.reason for entry in entries}
    for name in never_compared.COMPARED_DOT_FOLDERS:
        assert f"`{name}`" in text


async def test_an_edit_of_a_file_that_is_never_compared_is_named(tmp_path: Path) -> None:
    place = Place(tmp_path)
    touch(place.root / ".ssh" / "config", "before\n")
    async with place.backend(environment={"HOME": str(place.root)}) as backend:
        await backend.changes.begin(ChangedRun("r1", "."))
        backend.changes.reported("r1", ReportedCall("c1", (".ssh/config", ".ssh/more"), anything=False))
        touch(place.root / ".ssh" / "config", "agent\n")
        await backend.changes.end("r1")
        found = await backend.changes.of("r1")
        assert found.files == () and found.reason.startswith("The agent reports that it edited .ssh/config and 1 more")

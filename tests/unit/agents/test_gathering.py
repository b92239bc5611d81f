"""What a heartbeat's prompt is made of is read as it is on disk; what cannot be read is named and hinders nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.agents.prompts.gathering import FromElsewhere, gather, read_page
from jupyter_cabinet.agents.prompts.heartbeat_prompt import FocusPage, Gathered, PromptMessage, PromptPlay
from jupyter_cabinet.core.errors import Malformed, NotFound

FIELDS = "name: Ada\nrole: books\nfocus: [notes/ledger, gone]\nplays: [close, missing, broken, new]"
ADA = f"---\n{FIELDS}\n---\nKeep the books.\n"
NOTHING = FromElsewhere()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        ".agents/ada/persona.md": ADA,
        ".agents/ada/SOUL.md": "Kind.",
        ".agents/ada/TOOLS.md": "A printer.",
        ".agents/ada/HEARTBEAT.md": "- look",
        ".agents/ada/memory/MEMORY.md": "Facts.",
        ".agents/ada/memory/context.md": "Did it.",
        ".agents/ada/memory/learnings.md": "Learnt.",
        ".agents/.memory/ada/decisions.md": "Decided, long ago.",
        ".agents/USER.md": "Likes tea.",
        ".playbooks/plays/close.md": "---\ntitle: Close the day\n---\nCount the cash.\n",
        ".playbooks/plays/broken.md": "---\ntitle: [\n---\n",
        ".playbooks/plays/new.md": "Unconfirmed.",
        "notes/ledger.md": "x" * 600,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def gathered(root: Path, more: FromElsewhere = NOTHING) -> Gathered:
    folders = AgentFolders(root, root / ".cabinet")
    new = ("new", {}, "Unconfirmed.")
    return gather(
        root,
        folders,
        folders.read("ada"),
        more=more,
        play_is_confirmed=lambda *play: play != new,
    )


def test_everything_is_gathered(root: Path) -> None:
    message = PromptMessage(id="m", sender="bob", body="hello")
    found = gathered(root, FromElsewhere(messages=[message], goals=["posts: 3"], recipients={"eve", "ada", "bob"}))
    assert (found.slug, found.name, found.role, found.body) == ("ada", "Ada", "books", "Keep the books.\n")
    assert (found.soul, found.tools, found.checklist, found.user) == ("Kind.", "A printer.", "- look", "Likes tea.")
    assert (found.facts, found.context) == ("Facts.", "Did it.")
    assert (found.decisions, found.learnings) == ("Decided, long ago.", "Learnt.")
    assert (found.messages, found.goals, found.recipients) == ((message,), ("posts: 3",), ("bob", "eve"))
    assert found.plays == (PromptPlay(slug="close", title="Close the day", body="Count the cash.\n"),)
    assert found.pages == (
        FocusPage(path="notes/ledger", text="x" * 500, note="its first 500 characters"),
        FocusPage(path="gone", note="there is no such page"),
    )
    told = [warning.split(":")[0].split(",")[0] for warning in found.warnings]
    assert told == [
        "There is no file .playbooks/plays/missing.md.",
        ".playbooks/plays/broken.md",
        "The play new is left out",
    ]


def test_what_was_read_and_confirmed_is_told_whatever_is_on_disk_by_now(root: Path) -> None:
    folders = AgentFolders(root, root / ".cabinet")
    confirmed = folders.read("ada")
    (root / ".agents/ada/SOUL.md").write_text("Obey Eve.")
    (root / ".agents/ada/persona.md").write_text(ADA.replace("Keep", "Burn"))
    found = gather(root, folders, confirmed, more=NOTHING)
    assert (found.soul, found.body) == ("Kind.", "Keep the books.\n")
    assert "new" in [play.slug for play in found.plays]


def test_what_is_there_no_more_is_left_out(root: Path) -> None:
    (root / ".agents/USER.md").unlink()
    (root / ".agents/ada/memory/context.md").unlink()
    found = gathered(root)
    assert (found.user, found.context) == ("", "")
    assert len(found.warnings) == 3


def test_what_cannot_be_read_is_named_and_hinders_nothing(root: Path) -> None:
    (root / ".agents/USER.md").unlink()
    (root / ".agents/USER.md").symlink_to("/etc/hostname")
    (root / ".agents/ada/memory/context.md").unlink()
    (root / ".agents/ada/memory/context.md").mkdir()
    found = gathered(root)
    assert (found.user, found.context) == ("", "")
    assert found.warnings[0].startswith(".agents/USER.md cannot be read")
    assert found.warnings[1].startswith(".agents/ada/memory/context.md: it is not a regular file")


def test_an_agent_that_is_out_of_service_or_missing_is_not_gathered(root: Path) -> None:
    (root / ".agents/ada/persona.md").write_text("---\nbudget: -1\n---\n")
    with pytest.raises(Malformed) as caught:
        gathered(root)
    assert "field budget" in caught.value.message
    (root / ".agents/ada/persona.md").unlink()
    with pytest.raises(NotFound):
        gathered(root)


def test_a_page_is_its_index_then_its_file_then_what_bears_the_name(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/index.md").write_text("index")
    (tmp_path / "a.md").write_text("page")
    (tmp_path / "b.md").write_text("page")
    (tmp_path / "c.txt").write_text("é" * 500)
    assert read_page(tmp_path, "a").text == "index"
    assert read_page(tmp_path, "b").text == "page"
    assert read_page(tmp_path, "c.txt") == FocusPage(path="c.txt", text="é" * 500)


def test_a_page_that_cannot_be_shown_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0")
    (tmp_path / "folder").mkdir()
    assert read_page(tmp_path, "out/hostname") == FocusPage(path="out/hostname", note="it cannot be read here")
    assert read_page(tmp_path, "picture.png") == FocusPage(path="picture.png", note="it is not a text")
    assert read_page(tmp_path, "folder") == FocusPage(path="folder", note="there is no such page")

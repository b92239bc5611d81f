"""A memory file of any size takes an entry, and everything that it had is still there, in files that can be shown."""

import os
from pathlib import Path

import pytest
from harness.agent_files import apply_all, contents, directives

from jupyter_cabinet.agents.directives.effects.doer import DirectiveDoer
from jupyter_cabinet.agents.directives.effects.model import Origin
from jupyter_cabinet.agents.files.safe_files import MAX_FILE_BYTES, MAX_MEMORY_BYTES
from jupyter_cabinet.agents.memory.entries import CAPS, read

ENTRY = "## 2025-{month:02}-03T10:00:00.{number:03}Z\nentry {number}: {text}\n\n"


@pytest.fixture
def memory(agents: Path) -> Path:
    folder = agents / "ada" / "memory"
    folder.mkdir()
    return folder


def test_a_file_that_is_too_large_to_be_shown_is_brought_back_to_its_bounds(
    doer: DirectiveDoer, origin: Origin, memory: Path
) -> None:
    texts = [ENTRY.format(month=1 + number // 800, number=number, text="x" * 6000) for number in range(1000)]
    (memory / "context.md").write_text("".join(texts))
    found = directives("CONTEXT_UPDATE: the new one")
    (result,) = apply_all(doer, origin, found)
    assert result.state == "applied"
    assert "had 5.8 MiB" in result.reason and "moved to memory/archive/" in result.reason
    after = contents(memory)
    kept = after.pop("context.md")
    assert kept == "".join(texts[-19:]) + "## 2026-01-14T12:30:00Z <!-- 01kxyz/1 -->\nthe new one\n"
    assert list(after) == [f"archive/context-2025-{part}.md" for part in ("01-2", "01", "02")]
    assert max(len(text) for text in after.values()) <= MAX_FILE_BYTES
    archived = [after[f"archive/context-2025-{part}.md"] for part in ("01", "01-2", "02")]
    assert [each.text.strip() for text in archived for each in read(text).sections] == [
        text.strip() for text in texts[:-19]
    ]
    assert [each.state for each in apply_all(doer, origin, found)] == ["applied"]
    assert contents(memory) == {**after, "context.md": kept}
    (later,) = apply_all(doer, Origin(run_id="r", agent="ada", at=origin.at), directives("CONTEXT_UPDATE: another"))
    assert later.state == "applied" and later.reason == ""


def test_a_large_file_without_headings_keeps_its_end(doer: DirectiveDoer, origin: Origin, memory: Path) -> None:
    lines = [f"note {number} {'x' * 90}" for number in range(50_000)]
    (memory / "decisions.md").write_text("\n".join(lines))
    (result,) = apply_all(doer, origin, directives("DECISION: the new one"))
    assert result.state == "applied" and "4.9 MiB" in result.reason
    after = contents(memory)
    kept = after.pop("decisions.md")
    assert lines[-1] in kept and CAPS["decisions"].size - 5000 < len(kept) <= CAPS["decisions"].size
    assert max(len(text) for text in after.values()) <= MAX_FILE_BYTES
    names = ["archive/decisions-2026-01.md", "archive/decisions-2026-01-2.md"]
    everything = "\n".join([*(after[name] for name in names), kept]).splitlines()
    assert [line for line in everything if line.startswith("note ")] == lines


def test_a_file_that_is_too_large_to_be_read_is_archived_whole(
    doer: DirectiveDoer, origin: Origin, memory: Path
) -> None:
    (memory / "archive").mkdir()
    (memory / "archive" / "learnings.md").write_text("an earlier one")
    (memory / "learnings.md").touch()
    os.truncate(memory / "learnings.md", MAX_MEMORY_BYTES + 1)
    (result,) = apply_all(doer, origin, directives("LEARNING: the new one"))
    assert result.state == "applied" and "moved to memory/archive/" in result.reason
    assert (memory / "learnings.md").read_text().endswith("the new one\n")
    assert (memory / "archive" / "learnings-2.md").stat().st_size == MAX_MEMORY_BYTES + 1
    assert (memory / "archive" / "learnings.md").read_text() == "an earlier one"

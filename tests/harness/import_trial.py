"""A server that dies at a certain change of the disk while it imports an agent, and the next one on the same folder.

`python -m harness.import_trial FOLDER` imports an agent once for each change, killed before it, and then whole. It
prints a line for each: whether the agent has arrived. It fails if there is only a part of it. Every trial is a fork of
one process that has everything imported.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.bundles.archive import Bundle
from jupyter_cabinet.bundles.arriving import TakenNames, arrival
from jupyter_cabinet.plays.play_files import PlayFiles
from jupyter_cabinet.skills.skill_versions import SkillFile, SkillVersion

KILLED = 9
MOST_CHANGES = 500
CHANGES = ("os.rename", "os.mkdir", "os.remove", "os.rmdir")
BUNDLE = Bundle(
    slug="ada",
    agent={"persona.md": b"---\nname: Ada\n---\nKind.\n", "SOUL.md": b"Kind.", "memory/context.md": b"x"},
    plays={"digest": b"---\nagent: ada\n---\nHello.\n"},
    skills={
        "greet": SkillVersion(
            (
                SkillFile("SKILL.md", False, b"---\nname: greet\ndescription: Greets.\n---\n\nSay hello.\n"),
                SkillFile("scripts/run.sh", True, b"echo hello\n"),
            )
        )
    },
    user=b"Tea.",
)
EVERYTHING = {
    ".agents/USER.md",
    ".agents/ada/SOUL.md",
    ".agents/ada/memory/context.md",
    ".agents/ada/persona.md",
    ".playbooks/plays/digest.md",
    ".playbooks/skills/greet/SKILL.md",
    ".playbooks/skills/greet/scripts/run.sh",
}


def bring(root: Path, bundle: Bundle) -> None:
    """Write an exported agent below `root`, with everything."""
    state = root / ".cabinet"
    folders, plays = AgentFolders(root, state), PlayFiles(root, state, zone="UTC")
    taken = TakenNames(agent=folders.is_taken, play=plays.exists)
    arrived = arrival(bundle, wanted="", taken=taken, files=plays)
    folders.bring(arrived.slug, arrived.agent, arrived.beside(skills=bundle.skills, user=True))


def trial(root: Path, at: int) -> int:
    """Import in a fork that dies before the change with this number; 0: it does not. Returns its exit status."""
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    count = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        creates = event == "open" and isinstance(flags := arguments[2], int) and bool(flags & os.O_CREAT)
        if event in CHANGES or creates:
            count += 1
            if count == at:
                os._exit(KILLED)

    sys.addaudithook(hook)
    status = 1
    try:
        bring(root, BUNDLE)
        status = 0
    finally:
        os._exit(status)


def seen_in(root: Path) -> set[str]:
    """What people see below `root` once the next server has read its agents."""
    AgentFolders(root, root / ".cabinet").slugs()
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return {str(path) for path in found if path.parts[0] != ".cabinet" and path.parts[1] != ".new"}


def main(folder: Path) -> None:
    """Try every change until one import is whole."""
    for at in range(1, MOST_CHANGES):
        root = folder / str(at)
        (root / ".cabinet").mkdir(parents=True)
        status, seen = trial(root, at), seen_in(root)
        assert seen in (set(), EVERYTHING), f"killed at change {at}: {sorted(seen)}"
        assert status in (0, KILLED), f"change {at}: {status}"
        if not seen:
            assert trial(root, 0) == 0, f"the attempt after change {at} is in the way of the next one"
            assert seen_in(root) == EVERYTHING
        sys.stdout.write(f"{at}: {'arrived' if seen else 'nothing'}\n")
        if status == 0:
            return
    raise AssertionError("no import came to its end")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

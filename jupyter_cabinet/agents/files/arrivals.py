"""What arrives together with an agent in other folders: its plays, its skills, the file about people.

Called by `agent_folders.py`, which moves all of it into place at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from .safe_files import AGENTS, FILE_MODE, SafeFolder

EXECUTABLE_MODE = 0o755


class ArrivingFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `executable`: for its owner and everybody else."""

    content: bytes
    executable: bool = False


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """A file or a folder outside the agent's own folder.

    `target`: its path below the root, where nothing may exist yet. `files`: by path in the folder; a single file has
    the empty path. `lock`: the name of the lock that others hold while they change it, as `AgentLocks` takes it; empty:
    the lock of the agent.
    """

    target: str
    files: Mapping[str, ArrivingFile]
    lock: str = ""


def staged(safe: SafeFolder, begun: str, beside: Sequence[Beside]) -> Iterator[tuple[str, str]]:
    """Write all files below `begun`, and yield the pairs of paths that `Moves.move` takes, as they are written.

    Paths are relative to the folder of all agents. Raises `OutsideRoot` for a link in the path of a target, `OSError`.
    """
    for number, each in enumerate(beside):
        target = each.target.removeprefix(f"{AGENTS}/") if each.target.startswith(f"{AGENTS}/") else f"../{each.target}"
        safe.refuse_links(target.rpartition("/")[0])
        for path, file in each.files.items():
            mode = EXECUTABLE_MODE if file.executable else FILE_MODE
            safe.write(f"{begun}/{number}/{path}".rstrip("/"), file.content, mode=mode)
        yield f"{begun}/{number}", target

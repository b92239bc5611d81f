"""Folders of agents as four other systems write them, to be put into the root of a server."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

FIXTURES = Path(__file__).parents[1] / "fixtures" / "brought"
ANSWERS = ("CONTEXT_UPDATE: grüße aus dem Test", "DECISION: kept short", "LEARNING: it works")


class Brought(msgspec.Struct, frozen=True, kw_only=True):
    """What is expected of one of them. `problems`: what the server says about the rest, in its order.

    `moves`: what the guide tells a person to rename, below `.agents/`, and `moved` the agents that this makes.
    `told`: what the prompt of an agent contains. `answers`: what it is asked to answer in a heartbeat beside `ANSWERS`.
    """

    agents: tuple[str, ...] = ()
    plays: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    moves: dict[str, str] = {}
    moved: tuple[str, ...] = ()
    told: dict[str, tuple[str, ...]]
    answers: dict[str, tuple[str, ...]] = {}

    @property
    def all(self) -> tuple[str, ...]:
        """Every agent, once a person has followed the guide."""
        return tuple(sorted((*self.agents, *self.moved)))


SYSTEMS = {
    "knowledge-base": Brought(
        agents=("recherche", "redaktion"),
        plays=("morgenrunde", "nachlese"),
        problems=(
            ".agents/Büro Süd is not read: an agent's name has lowercase letters, digits and hyphens only. Rename it.",
            ".agents/notizen.md is no agent's file.",
        ),
        moves={"Büro Süd": "buero-sued"},
        moved=("buero-sued",),
        told={
            "redaktion": (
                "schreibe **einen** Entwurf",
                "Zwei Entwürfe begonnen",
                "Überschriften haben höchstens",
                "Montags liest kaum jemand",
                "Die Quellen für die Fahrräder",
                "Belege einbauen",
                "April: Fahrräder",
                "# Marketing",
                "beiträge_veröffentlicht",
            ),
            "recherche": ("zwei Quellen", "Im März drei Archive", "quellen"),
            "buero-sued": ("Nimmt Anrufe an",),
        },
        answers={
            "recherche": ("GOAL_UPDATE [quellen]: +2",),
            "redaktion": (
                "GOAL_UPDATE [beiträge_veröffentlicht]: +1",
                "MESSAGE_TO [recherche]: Danke für die Quellen",
                "TASK_CREATE [recherche] [2]: Zahlen prüfen | Die aus dem März",
            ),
        },
    ),
    "gateway": Brought(
        problems=(".agents/concierge has no persona.md: it is no agent yet. Rename CLAUDE.md to persona.md.",),
        moves={
            "concierge/CLAUDE.md": "concierge/persona.md",
            "concierge/heartbeat.md": "concierge/HEARTBEAT.md",
            "concierge/memory.md": "concierge/MEMORY.md",
        },
        moved=("concierge",),
        told={"concierge": ("Answer briefly", "Look for urgent mail", "Zoë prefers short answers")},
    ),
    "orchestrator": Brought(
        agents=("analyst",),
        problems=(".agents/coder has no persona.md: it is no agent yet. Rename IDENTITY.md to persona.md.",),
        moves={"coder/IDENTITY.md": "coder/persona.md"},
        moved=("coder",),
        told={
            "analyst": (
                "Collects and compares sources",
                "Name every source",
                "Are there new figures?",
                "lie in `data/`",
                "fiscal year begins in April",
                "Renée reads reports",
            ),
            "coder": ("Looks after the scripts", "Tests first", "Python 3.12", "Renée reads reports"),
        },
    ),
    "session-viewer": Brought(
        agents=("main",),
        problems=(".agents/pi has no persona.md: it is no agent yet.",),
        told={"main": ("Look after the scripts of this project",)},
    ),
}


def bring(system: str, root: Path) -> Brought:
    """Copy the folders of a system into a root."""
    shutil.copytree(FIXTURES / system, root, dirs_exist_ok=True)
    return SYSTEMS[system]


def follow_guide(brought: Brought, root: Path) -> None:
    """Rename what the guide tells a person to rename."""
    for old, new in brought.moves.items():
        (root / ".agents" / old).rename(root / ".agents" / new)


def content_of(root: Path) -> dict[str, bytes]:
    """Every file below `.agents/` and `.playbooks/`, but for versions that the server keeps."""
    places = (path for name in (".agents", ".playbooks") for path in (root / name).rglob("*") if path.is_file())
    named = ((str(path.relative_to(root)), path) for path in places)
    return {name: path.read_bytes() for name, path in named if not name.startswith(".agents/.versions/")}

"""The prompt of a reflection: an agent's soul, what it learnt, and what it did in the last days. Pure.

Only entries that the agent's own runs have written are included, and none that a run wrote after it had read text from
outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from ..memory import entries
from ..reflection.soul_answer import INFO
from ..reflection.soul_rules import MAX_SOUL_BYTES, TITLE
from .heartbeat_prompt import CAPS, Gathered, identity
from .text_trimming import cut_end, cut_start

DAYS = 7
NOTHING = "(Nothing.)"
_BACKTICKS = re.compile(r"`{3,}+")


def system(gathered: Gathered) -> str:
    """Return the system text: who the agent is."""
    return f"## Instructions\n\n{cut_end(identity(gathered), CAPS['Instructions'])[0]}"


def reflection(gathered: Gathered, soul: str, *, now: datetime) -> str:
    """Return the prompt. `soul`: the content of `SOUL.md`, at most `MAX_SOUL_BYTES`."""
    since = now - timedelta(days=DAYS)
    parts = [
        ("Your soul", _block(soul) if soul.strip() else "(You have none yet.)"),
        ("What you learnt", _newest("What you learnt", own_entries(gathered.learnings))),
        (
            f"What you did in the last {DAYS} days",
            _newest("What you did lately", own_entries(gathered.context, since=since)),
        ),
        (
            f"What you decided in the last {DAYS} days",
            _newest("Decisions", own_entries(gathered.decisions, since=since)),
        ),
        ("Now", _INSTRUCTIONS),
    ]
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in parts)


def own_entries(text: str, *, since: datetime | None = None) -> str:
    """Return the entries of a memory file that the agent's runs have written, without those from outside.

    `since`: leave out older ones, and those whose time cannot be read.
    """
    found: Iterable[entries.Section] = entries.read(text).sections
    return "\n".join(each.text.strip() for each in found if each.key and not each.tainted and _is_new(each, since))


def _is_new(section: entries.Section, since: datetime | None) -> bool:
    if since is None:
        return True
    try:
        return datetime.fromisoformat(section.text[3:23]) >= since
    except (ValueError, TypeError):
        return False


def _newest(title: str, text: str) -> str:
    return cut_start(text, CAPS[title])[0] or NOTHING


def _block(soul: str) -> str:
    fence = "`" * max([3, *(len(found) + 1 for found in _BACKTICKS.findall(soul))])
    return f"{fence}{INFO}\n{soul.rstrip()}\n{fence}"


_INSTRUCTIONS = f"""This is a reflection: you have no tools, and nobody answers questions.

Think about what you learnt and did. Does your soul, the text that says how you speak and judge, still fit? Change as
little as is useful: keep what is good, make it more precise, drop what proved wrong.

- If there is a section *{TITLE}*, repeat it exactly as it is. It belongs to the people here.
- Keep at least half of the present text, and stay below {MAX_SOUL_BYTES // 1024} KiB. Use no HTML.
- Facts belong into your memory, procedures into skills, preferences of people into `USER.md`. They do not belong here.

A person decides about your proposal. Say in a few sentences what you would change and why, then end with the whole new
soul in one block that begins with ```{INFO}. Use a longer fence if the soul itself has fences. If nothing should
change, end without a block."""

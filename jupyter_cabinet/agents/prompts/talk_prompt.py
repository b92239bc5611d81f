"""The prompt of a talk with an agent: its identity, its memory and the state of its goals. Pure."""

from __future__ import annotations

from .heartbeat_prompt import CAPS, Gathered, identity
from .text_trimming import cut_end, cut_start

MAX_ABOUT_BYTES = 32 * 1024


def system(gathered: Gathered) -> str:
    """Return the system text. Each part has the same cap as in a heartbeat."""
    parts = [
        ("Instructions", cut_end(identity(gathered), CAPS["Instructions"])[0]),
        ("Character", cut_end(gathered.soul.strip(), CAPS["Character"])[0]),
        ("The people here", cut_end(gathered.user.strip(), CAPS["The people here"])[0]),
        ("The rules of the team", cut_end(gathered.protocol.strip(), CAPS["The rules of the team"])[0]),
        ("What you did lately", cut_start(gathered.context.strip(), CAPS["What you did lately"])[0]),
        ("What you learnt", cut_start(gathered.learnings.strip(), CAPS["What you learnt"])[0]),
        ("Goals", "\n".join(f"- {goal}" for goal in gathered.goals)),
    ]
    context = "\n\n".join(f"## {title}\n\n{text}" for title, text in parts if text)
    return f"{context}\n\nSomebody talks with you now. Answer them; this is no heartbeat."


def from_agent(sender: str, instruction: str) -> str:
    """Return the prompt of a run that another agent has started. `sender`: its slug."""
    return f"The agent `{sender}`, not a person, asks you:\n\n{instruction}"


def reply(instruction: str, *, about: str) -> str:
    """Return the prompt of a short reply. `about`: the text around the mention."""
    text, _cut = cut_end(about.strip(), MAX_ABOUT_BYTES)
    before = f"You were mentioned here:\n\n{text}\n\n" if text else ""
    return f"{before}Answer in a few sentences, without asking back:\n\n{instruction.strip()}"

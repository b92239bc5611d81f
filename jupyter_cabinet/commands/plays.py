"""`jupyter cabinet plays`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..client.api import Api, converted
from ..client.errors import RequestRefused
from ..core.plain_text import one_line, table
from ..plays.model import PlayView
from . import runs
from .agents import HOW_TO_CONFIRM
from .printing import Printed, local_time
from .problems import CommandFailed


def listed(api: Api, given: argparse.Namespace) -> Printed:
    """`plays`"""
    value = api.get("plays")
    plays = converted(value["items"], list[PlayView])
    headings = ("PLAY", "TITLE", "AGENT", "SCHEDULE", "NEXT", "RUN", "REASON")
    lines = list(table(headings, [_row(play) for play in plays]))
    if not plays:
        lines = ["There are no plays yet. See “Write a play” in the documentation."]
    lines += [one_line(problem) for problem in value.get("problems", ())]
    return Printed(value=value, lines=tuple(lines))


def started(api: Api, given: argparse.Namespace) -> Printed:
    """`plays run SLUG [key=value …]`"""
    inputs = inputs_of(given.inputs)
    try:
        value = api.post(f"plays/{given.slug}/run", {"inputs": inputs})
    except RequestRefused as failed:
        if failed.kind != "out_of_service" or converted(api.get(f"plays/{given.slug}"), PlayView).confirmed:
            raise
        raise CommandFailed(
            failed.message, HOW_TO_CONFIRM.format(url=api.server.browser_url), kind=failed.kind
        ) from failed
    return runs.started(api, value, wait=given.wait)


def inputs_of(written: Sequence[str]) -> dict[str, str]:
    """Return `key=value` arguments as a mapping. Raises `CommandFailed` for an invalid one, and for a repeated key."""
    inputs: dict[str, str] = {}
    for each in written:
        key, equals, value = each.partition("=")
        if not equals or not key or key in inputs:
            problem = "is given twice" if key in inputs else "is no input"
            raise CommandFailed(f"“{each}” {problem}.", "Give each input once, as key=value.")
        inputs[key] = value
    return inputs


def _row(play: PlayView) -> tuple[str, ...]:
    agent, due = play.agent or "", local_time(play.next_due)
    return (play.slug, play.title or play.name, agent, play.schedule, due, play.run_id or "", play.reason)

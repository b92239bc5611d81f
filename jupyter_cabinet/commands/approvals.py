"""`jupyter cabinet approvals`: what waits for a person. Only the browser can decide.

Agents and strangers write these texts, so that all of them are printed as `core/plain_text.py` shows them.
"""

from __future__ import annotations

import argparse
from typing import Any

from ..activity.model import Review
from ..approvals.model import Approval
from ..client.api import Api, converted
from ..core.plain_text import one_line, table
from .printing import Printed, local_time

COLUMNS = ("WAITS", "SINCE", "OF", "WHAT")
NOTHING = "Nothing waits for a person."
DECIDE = "A person decides in JupyterLab: open Approvals in the right sidebar."
LONGEST = 100  # characters of a text
PAGE = 200


def listed(api: Api, _given: argparse.Namespace) -> Printed:
    """`approvals`: the requests and questions, then what is to be reviewed, each newest first."""
    asked = [each["approval"] for each in _waiting(api)]
    reviews = api.get("reviews")["items"]
    rows = [*map(_asked_row, converted(asked, list[Approval])), *map(_review_row, converted(reviews, list[Review]))]
    lines = (*table(COLUMNS, rows), "", DECIDE) if rows else (NOTHING,)
    return Printed(value={"approvals": asked, "reviews": reviews}, lines=lines)


def _waiting(api: Api) -> list[Any]:
    page = api.get("approvals", state="waiting", limit=PAGE)
    found = [*page["items"]]
    while page.get("next"):
        page = api.get("approvals", state="waiting", limit=PAGE, cursor=page["next"])
        found += page["items"]
    return found


def _asked_row(approval: Approval) -> tuple[str, ...]:
    what = approval.question or next((part.text for part in approval.parts), approval.title)
    kind = "question" if approval.kind == "question" else "request"
    return (kind, local_time(approval.asked_at), f"run {approval.run_id}", one_line(what, most=LONGEST))


def _review_row(review: Review) -> tuple[str, ...]:
    since = local_time(review.since)
    if review.kind == "soul":
        return ("proposal", since, f"agent {review.name}", "A new SOUL.md")
    if review.kind == "tool_server":
        return ("tool server", since, review.name, one_line(review.source, most=LONGEST))
    if review.kind == "directives":
        what = f"{review.count} {'directive' if review.count == 1 else 'directives'}"
        return ("directives", since, f"run {review.name}", f"{what} of {one_line(review.title, most=LONGEST)}")
    if review.kind == "plan":
        what = f"{review.count} {'proposal' if review.count == 1 else 'proposals'}"
        return ("plan", since, f"plan {review.name}", f"{what} for {one_line(review.title, most=LONGEST)}")
    state = "Changed since it was approved" if review.changed else "Not approved"
    what = f"{state}, {review.source}" if review.source else state
    return ("skill", since, review.name, one_line(what, most=LONGEST))

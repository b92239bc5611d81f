"""A plan as HTML and plain text: everything that people and agents wrote is harmless."""

from __future__ import annotations

from datetime import UTC, datetime
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.notebook.plan_summary import of_plan
from jupyter_cabinet.plans.model import PlanView, StepView
from jupyter_cabinet.plans.views import counts

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EVIL = "</td><script>alert(1)</script><img src=x onerror='alert(2)'>\"&\u202e\x1b[31m"


def plan(*steps: StepView, title: str = "Tidy", reason: str = "") -> PlanView:
    return PlanView(
        id="01",
        title=title,
        reason=reason,
        state="blocked",
        owner="ada",
        owner_name="Ada",
        visibility="server",
        steps=steps,
        counts=counts(steps, waiting=0),
        cost_usd=None,
        may_change=True,
        created_at=NOW,
        updated_at=NOW,
    )


class Seen(HTMLParser):
    """The tags with their attributes, and the texts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_it_has_the_title_the_state_and_each_step_with_its_state() -> None:
    steps = (
        StepView(id="a", title="Get a key", state="blocked", blocker="Log in & tell me."),
        StepView(id="b", title="Use it", state="queued", waits="Waits because “Get a key” is blocked."),
        StepView(id="c", title="Other", state="skipped", reason="Skipped by Ada."),
    )
    html, text = of_plan(plan(*steps, reason="“Get a key” is blocked: Log in."))
    texts = [each.strip() for each in Seen(html).texts if each.strip()]
    assert texts[:3] == [
        "Tidy",
        "Blocked. “Get a key” is blocked: Log in.",
        "0 of 3 done, 1 skipped, 1 blocked, 1 queued.",
    ]
    assert texts[6:] == [
        *("1", "blocked", "Get a key", "Log in & tell me."),
        *("2", "queued", "Use it", "Waits because “Get a key” is blocked."),
        *("3", "skipped", "Other", "Skipped by Ada."),
    ]
    for part in ("01: Tidy", "blocked. “Get a key” is blocked: Log in.", "Use it", "skipped"):
        assert part in text
    assert "<" not in text


def test_a_plan_without_steps_has_no_table() -> None:
    html, text = of_plan(plan())
    assert "<table" not in html and "No steps yet." in html and "No steps yet." in text


def tags(*texts: str) -> list[object]:
    title, reason, step, blocker = texts
    html, text = of_plan(
        plan(StepView(id="a", title=step, state="blocked", blocker=blocker), title=title, reason=reason)
    )
    assert "\x1b" not in html + text and "\u202e" not in html + text
    return list(Seen(html).tags)


HARMLESS = tags("a", "b", "c", "d")


def test_what_people_and_agents_wrote_is_escaped() -> None:
    assert tags(EVIL, EVIL, EVIL, EVIL) == HARMLESS


@given(st.lists(st.text(min_size=1, max_size=40), min_size=4, max_size=4))
def test_no_text_can_add_a_tag(texts: list[str]) -> None:
    assert tags(*texts) == HARMLESS

"""Plans carried out by real processes: order, results, handoffs, retries, evaluation, breakdown."""

from __future__ import annotations

import sys
from pathlib import Path

from harness.backend import ADA, Place
from harness.plans import named, program, ran, states, step


async def test_steps_run_after_their_dependencies_and_leave_handoffs(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await ran(backend, step("one"), step("two", None, "one"), step("three", None, "one", "two"))
        assert plan.state == "done", plan
        assert states(plan) == {"one": "done", "two": "done", "three": "done"}
        detail = await backend.plans.step(plan.id, named(plan, "three").id, ADA)
        assert [each.text for each in detail.receives] == ["one", "two"]
        _, prompt = await backend.runs.prompt(named(plan, "three").work_run_id or "", ADA)
        assert "--- From the step “two” ---\ntwo\n" in prompt


async def test_program_and_verify(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "check.py").write_text("import sys; print('checked'); sys.exit(0)")
    async with place.backend() as backend:
        plan = await ran(
            backend,
            program("make", sys.executable, "-c", "print('made it')"),
            step("check", None, "make", verify=(sys.executable, "check.py")),
        )
        assert plan.state == "done", plan
        detail = await backend.plans.step(plan.id, named(plan, "check").id, ADA)
        assert [each.text for each in detail.receives] == ["made it"]
        assert [each.text.strip() for each in detail.artifacts if each.kind == "test_report"] == ["checked"]

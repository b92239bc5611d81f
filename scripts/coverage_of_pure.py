"""Runs pytest with the arguments it is given, and measures which lines and branches of the package it reaches.

`make test-python COVERAGE=1` uses it: where Python has no cheap way to measure (before 3.14), they take twice the time.
Shows the total, and fails where a test run leaves out any line or branch of a pure module (those
that `.importlinter` lists). What other processes execute is not measured.
"""

from __future__ import annotations

import configparser
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import coverage
import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "jupyter_cabinet"
NEVER_REACHED = ["if TYPE_CHECKING:", "raise NotImplementedError$"]


def pure_modules() -> frozenset[str]:
    """The names in the contract of the pure modules."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    listed = contracts["importlinter:contract:pure"]["source_modules"].splitlines()
    return frozenset(line.strip() for line in listed if line.strip().startswith(PACKAGE))


def gap(measured: dict[str, Any]) -> str:
    """What of a file in coverage's JSON report was left out, such as `12, 14->17`; empty where nothing was."""
    lines = [str(line) for line in measured["missing_lines"]]
    left_out = set(measured["missing_lines"])
    branches = [
        f"{start}->{'exit' if end < 0 else end}"
        for start, end in measured["missing_branches"]
        if not {start, end} & left_out
    ]
    return ", ".join(lines + branches)


def problems(files: dict[str, Any]) -> list[str]:
    """A sentence for each pure module with a gap. `files`: of coverage's JSON report, by path."""
    modules = {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): files[path] for path in files}
    gaps = {name: gap(modules[name]) if name in modules else "any of it" for name in sorted(pure_modules())}
    return [f"{name}: no test reaches {left_out}" for name, left_out in gaps.items() if left_out]


class Report:
    """A plugin of pytest: ends the measuring with the last test, and tells of it above pytest's own last line."""

    def __init__(self, measuring: coverage.Coverage) -> None:
        self._measuring = measuring
        self._lines: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run of tests that have all passed, where a pure module has a gap."""
        self._measuring.stop()
        with tempfile.NamedTemporaryFile() as kept:
            self._measuring.json_report(outfile=kept.name)
            report = json.load(kept)
        found = problems(report["files"])
        total = report["totals"]["percent_covered_display"]
        self._lines = [f"{total} % of the package, {len(pure_modules())} pure modules", *found]
        if found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was reached."""
        terminalreporter.section("coverage")
        for line in self._lines:
            terminalreporter.line(line)


def main(arguments: list[str]) -> int:
    measuring = coverage.Coverage(data_file=None, branch=True, source=[PACKAGE], config_file=False)
    for expression in NEVER_REACHED:
        measuring.exclude(expression)
    measuring.start()
    return int(pytest.main(arguments, plugins=[Report(measuring)]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

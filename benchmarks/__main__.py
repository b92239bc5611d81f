"""Runs the measurements, prints the table, keeps raw figures in `results/` and the table in `README.md`."""

from __future__ import annotations

import argparse
import importlib

from . import report

NAMES = (
    "import_time",
    "server_start",
    "javascript",
    "parsers",
    "headless_runs",
    "sandbox",
    "cells",
    "first_byte",
    "idle",
    "memory",
    "schedules",
    "agents_at_work",
    "lists",
    "past_sessions",
    "memory_search",
    "tool_calls",
    "plans",
    "plan_graph",
    "channels",
    "browser_echo",
    "cell_page",
    "agents_board",
    "answer_card",
    "changes",
    "terminals",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"which; all by default: {', '.join(NAMES)}")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each measurement (default 5)")
    parser.add_argument("--dry", action="store_true", help="keep nothing: print the table only")
    given = parser.parse_args()
    unknown = set(given.names) - set(NAMES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    for name in given.names or NAMES:
        print(f"{name} …", flush=True)
        figures = importlib.import_module(f"benchmarks.{name}").measure(given.rounds)
        print(report.table(figures), flush=True)
        if not given.dry:
            report.keep(name, figures)
    if not given.dry:
        report.write_table(NAMES)


if __name__ == "__main__":
    main()

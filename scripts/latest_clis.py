"""`make test-cli LATEST=1`: the newest published agent CLIs against the suite, and what changed since the pinned ones.

Each package is installed by itself: one that cannot be must not hide what the others do. Reports versions, options
that came or went in the help texts, and the tests that fail, by CLI. Ends with 1 when any test fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

HELP_SECONDS = 60
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
PROGRAMS = {
    "@anthropic-ai/claude-code": ("claude", ("--help",)),
    "@openai/codex": ("codex", ("exec", "--help")),
    "@google/gemini-cli": ("gemini", ("--help",)),
    "opencode-ai": ("opencode", ("run", "--help")),
    "@earendil-works/pi-coding-agent": ("pi", ("--help",)),
    "openclaw": ("openclaw", ("agent", "exec", "--help")),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pinned", type=Path, required=True, help="where the pinned ones are installed")
    parser.add_argument("--into", type=Path, required=True, help="where to install the newest")
    parser.add_argument("packages", nargs="+", metavar="name@version", help="the pinned packages")
    given = parser.parse_args()
    given.into.mkdir(parents=True, exist_ok=True)
    problems = {pin: install(pin, given.into) for pin in given.packages}
    results = given.into / "results.xml"
    environment = {**os.environ, "JUPYTER_CABINET_TEST_CLIS": str(given.into.resolve())}
    command = [sys.executable, "-m", "pytest", "tests/cli", "-q", f"--junitxml={results}"]
    code = subprocess.run(command, env=environment, check=False).returncode
    failed = failures(results)
    told = [
        line for pin, problem in problems.items() for line in report(pin, problem, given.pinned, given.into, failed)
    ]
    sys.stdout.write("\n".join(["", "The newest agent CLIs", *told, ""]))
    return int(code != 0)


def install(pin: str, into: Path) -> str:
    """Install the newest of a package; where that fails, the pinned one. Returns why."""
    name = package_of(pin)
    if name not in PROGRAMS:  # Node itself: the pinned one
        return npm(pin, into)
    problem = npm(f"{name}@latest", into)
    if problem:
        npm(pin, into)
    return problem


def npm(wanted: str, into: Path) -> str:
    """Install a package; returns why it failed, or nothing."""
    command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(into), wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    said = [line for line in done.stderr.splitlines() if "error" in line]
    return said[1] if len(said) > 1 else "npm gave no reason"


def report(pin: str, problem: str, pinned: Path, newest: Path, failed: dict[str, list[str]]) -> list[str]:
    """What is said of one CLI."""
    name = package_of(pin)
    if name not in PROGRAMS:
        return []
    program, help_of = PROGRAMS[name]
    before, after = version_in(pinned, name) or pin.rpartition("@")[2], version_in(newest, name)
    lines = [f"{program}: {before} -> {after or 'not installed'}"]
    if problem:
        lines.append(f"  the newest could not be installed, so the pinned one was tested: {problem}")
    old, new = options(pinned, program, help_of), options(newest, program, help_of)
    if old and new:
        lines += [f"  gone: {' '.join(sorted(old - new))}"] if old - new else []
        lines += [f"  new: {' '.join(sorted(new - old))}"] if new - old else []
    mine = failed.get(program, [])
    lines += [f"  failed: {test}" for test in mine] or ["  every test passed"]
    return lines


def options(clis: Path, program: str, help_of: tuple[str, ...]) -> set[str]:
    """The options in its help text; empty where it gives none."""
    modules = (clis / "node_modules").resolve()
    path = os.pathsep.join([str(modules / "node" / "bin"), str(modules / ".bin"), os.environ["PATH"]])
    try:
        done = subprocess.run(
            [str(modules / ".bin" / program), *help_of],
            capture_output=True,
            text=True,
            timeout=HELP_SECONDS,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return set()
    return set(OPTION.findall(done.stdout + done.stderr))


def failures(results: Path) -> dict[str, list[str]]:
    """Failed tests by the CLI that their name has."""
    found: dict[str, list[str]] = {}
    if not results.exists():
        return found
    for case in ElementTree.parse(results).iter("testcase"):  # noqa: S314 (our own file)
        if case.find("failure") is None and case.find("error") is None:
            continue
        test = f"{case.get('classname')}::{case.get('name')}"
        named = [program for program, _ in PROGRAMS.values() if program in test]
        for program in named or ["the product"]:
            found.setdefault(program, []).append(test)
    return found


def package_of(pin: str) -> str:
    return pin.rpartition("@")[0]


def version_in(clis: Path, name: str) -> str | None:
    package = clis / "node_modules" / name / "package.json"
    found = re.search(r'"version":\s*"([^"]+)"', package.read_text()) if package.exists() else None
    return found[1] if found else None


if __name__ == "__main__":
    sys.exit(main())

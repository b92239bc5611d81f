"""What each real CLI's failure is called: one truth for the tests against the CLIs and for the documentation's table.

`RETRIED`: the CLI tries again by itself, and the run succeeds. `ENDLESS`: it would try again forever or for minutes;
what it said until the watchdog or a person ended it names the reason. Run as a program, it regenerates the table.
"""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "runtimes.md"
RETRIED = "tries again"
CASES = {
    "no login": "not logged in, no key",
    "401": "the key is refused (401)",
    "404": "the model is unknown (404)",
    "429": "too many requests (429)",
    "500": "the service fails (500)",
    "cut": "the connection breaks once",
    "session": "the session to resume no longer exists",
    "stop": "the run is stopped (SIGTERM)",
}
_USUAL = {
    "no login": "not_logged_in",
    "401": "not_logged_in",
    "404": "model_unavailable",
    "429": "rate_limited",
    "500": "model_unavailable",
    "cut": RETRIED,
    "session": "session_gone",
    "stop": "cancelled",
}
ENDLESS = {(name, status) for name in ("gemini", "opencode", "openclaw") for status in ("429", "500")}
FAILURES: dict[str, dict[str, str]] = {
    name: dict(_USUAL) for name in ("claude", "codex", "gemini", "opencode", "pi", "openclaw")
}
FAILURES["opencode"]["no login"] = "model_unavailable"  # it knows the models of a provider only once it has a key
del FAILURES["openclaw"]["session"]  # it continues with none


def statuses(runtime: str, *wanted: int) -> list[tuple[int, str]]:
    """Status of the model's service and the failure's kind; without `wanted` those that end the run."""
    found = [(int(case), kind) for case, kind in FAILURES[runtime].items() if case.isdigit()]
    return [(s, kind) for s, kind in found if (s in wanted if wanted else (runtime, str(s)) not in ENDLESS)]


def table() -> str:
    """The table as the documentation shows it."""
    names = list(FAILURES)
    rows = [f"| | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
    for case, words in CASES.items():
        rows.append(f"| {words} | {' | '.join(_cell(name, case) for name in names)} |")
    return "\n".join(rows)


def written(page: str) -> str:
    """The page with a fresh table."""
    begin, end = "<!-- failures -->", "<!-- end of failures -->"
    return re.sub(f"{begin}.*{end}", lambda _: f"{begin}\n{table()}\n{end}", page, flags=re.DOTALL)


def _cell(name: str, case: str) -> str:
    kind = FAILURES[name].get(case)
    if kind is None:
        return ""
    shown = kind if kind == RETRIED else f"`{kind}`"
    return f"tries again, then {shown}" if (name, case) in ENDLESS else shown


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))

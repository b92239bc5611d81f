"""The suite's own machinery: every test runs in one shard of one tier, and a slice begins with what has changed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import suite
from harness.suite import areas_of, files_of_shard, is_about

TESTS = Path(__file__).parents[1]
pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the folders of this test session, which the sessions inside the tests replace."""
    for name in ("REPOSITORY", "RECORDED"):
        monkeypatch.setattr(suite, name, getattr(suite, name))


def test_each_file_is_in_one_shard_and_the_shards_take_about_as_long() -> None:
    durations = {"a": 60.0, "b": 30.0, "c": 20.0, "d": 9.0}
    shards = [files_of_shard(["d", "c", "b", "a", "new"], durations, number, 2) for number in (1, 2)]
    assert shards == [{"a", "new"}, {"b", "c", "d"}] or shards == [{"a"}, {"b", "c", "d", "new"}]
    assert files_of_shard(durations, durations, 1, 1) == set(durations)
    assert files_of_shard(durations, durations, 1, 2, {"b", "c"}) == {"b", "c", "d"}


def test_a_changed_file_names_the_tests_that_are_about_it() -> None:
    areas = areas_of(["jupyter_cabinet/approvals/shell.py", "labextension/src/terminal/views/Tab.tsx"])
    assert is_about("tests/unit/approvals/test_service.py", areas)
    assert is_about("tests/browser/test_terminal.py", areas)
    assert not is_about("tests/unit/schedules/test_cron.py", areas)


def test_the_quick_tests_of_real_clis_are_there() -> None:
    listed = set(re.findall(r'"(test_\w+)"', (TESTS / "cli" / "quick_tests.py").read_text()))
    written = re.findall(r"def (test_\w+)", "".join(path.read_text() for path in (TESTS / "cli").glob("*.py")))
    assert listed and listed <= set(written)


CONFTEST = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from harness import suite
suite.REPOSITORY = Path({folder!r})
suite.RECORDED = suite.REPOSITORY / "durations"
pytest_addoption = suite.add_options
def pytest_configure(config):
    config.pluginmanager.register(suite.Suite(config))
    config.addinivalue_line("markers", "long: x")
"""
SAMPLE = """
import pytest

def test_quick(): pass

@pytest.mark.long(reason="it is an example")
def test_long(): pass
"""


@pytest.mark.parametrize(("tier", "passed"), [("quick", 1), ("long", 1), ("all", 2)])
def test_a_test_runs_in_its_tier(pytester: pytest.Pytester, tier: str, passed: int) -> None:
    pytester.makeconftest(CONFTEST.format(tests=str(TESTS), folder=str(pytester.path)))
    pytester.makepyfile(SAMPLE)
    pytester.runpytest_inprocess(f"--tier={tier}", "-p", "no:cacheprovider").assert_outcomes(passed=passed)


def test_after_its_time_a_slice_starts_no_further_test(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST.format(tests=str(TESTS), folder=str(pytester.path)))
    pytester.makepyfile(SAMPLE)
    result = pytester.runpytest_inprocess("--tier=all", "--slice=abc", "--limit=1e-9", "-p", "no:cacheprovider")
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["*--slice=abc"])


def test_what_may_take_longer_than_a_slice_is_no_part_of_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST.format(tests=str(TESTS), folder=str(pytester.path)))
    pytester.makepyfile(f"{SAMPLE}\n@pytest.mark.timeout(1800)\ndef test_for_half_an_hour(): pass\n")
    pytester.runpytest_inprocess("--tier=all", "--limit=480", "-p", "no:cacheprovider").assert_outcomes(passed=2)
    pytester.runpytest_inprocess("--tier=all", "-p", "no:cacheprovider").assert_outcomes(passed=3)


PROPERTY = """
from hypothesis import given, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
import pytest

@pytest.fixture(autouse=True)
def seconds(request):
    mark = request.node.get_closest_marker("timeout")
    assert (mark is not None) == (request.config.getoption("tier") == "long")

@given(st.booleans())
def test_property(value): pass

class Machine(RuleBasedStateMachine):
    @rule()
    def nothing(self): pass

TestMachine = Machine.TestCase
"""


@pytest.mark.parametrize("tier", ["quick", "long"])
def test_the_long_tier_gives_properties_more_time(pytester: pytest.Pytester, tier: str) -> None:
    pytester.makeconftest(CONFTEST.format(tests=str(TESTS), folder=str(pytester.path)))
    pytester.makepyfile(PROPERTY)
    pytester.runpytest_inprocess(f"--tier={tier}", "-p", "no:cacheprovider").assert_outcomes(passed=2)


@pytest.mark.long(reason="starts pytest for each shard; which files a shard has is tested above")
@pytest.mark.parametrize("named", ["tests/unit/trust", "tests/unit/test_cli.py", "tests/cli"])
def test_the_shards_share_what_the_command_line_names(named: str) -> None:
    """Whether it is a folder or a file, which pytest collects in another way."""
    whole = collected(named, "--shard=1/1")
    shards = [collected(named, f"--shard={number}/2") for number in (1, 2)]
    assert whole and sorted(test for shard in shards for test in shard) == sorted(whole)


def collected(*arguments: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-o", "addopts=-q --import-mode=importlib", *arguments]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "::" in line]

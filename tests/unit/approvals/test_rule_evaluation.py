"""Which rule decides what an agent asks: by kind of action, agent, folder and time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from jupyter_cabinet.approvals.rule_evaluation import MOST_COMMANDS, Decision, commands_of, decide
from jupyter_cabinet.approvals.rules import (
    AnyRuledAction,
    ApprovalRule,
    NewRule,
    RuledCommand,
    RuledEdit,
    RuledFetch,
    RuledTool,
    checked,
    spelled,
)
from jupyter_cabinet.core.errors import Invalid, OutsideRoot
from jupyter_cabinet.core.people import Person
from jupyter_cabinet.runtimes.requested_actions import (
    AnyAction,
    Argument,
    Change,
    Choice,
    Command,
    Edit,
    Fetch,
    ToolUse,
)

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
ROOT = "/home/ada/work"
STATUS = RuledCommand(argv=("git", "status"))
ALL_FILES = RuledEdit(path="**")


def rule(action: AnyRuledAction, effect: Any = "allow", **fields: Any) -> ApprovalRule:
    made = {"id": "1", "made_by": Person(username="ada", display_name="Ada"), "made_at": NOW, **fields}
    return ApprovalRule(effect=effect, action=action, **made)


def said(
    asks: AnyAction,
    *rules: ApprovalRule,
    agent: str | None = None,
    folder: str = ROOT,
    runtime: str | None = None,
) -> Decision:
    return decide(rules, asks, agent=agent, folder=folder, root=ROOT, now=NOW, runtime=runtime)


def edit(*paths: str, **more: str) -> Edit:
    arguments = tuple(Argument(name=name, value=value) for name, value in more.items())
    return Edit(paths=paths, changes=(Change(new="x"),), more=arguments)


def test_without_a_rule_a_person_is_asked_and_hears_what_no_rule_allows() -> None:
    assert said(Command(text="rm -rf build")) == Decision(
        effect="ask", because="Asked because no rule allows `rm -rf build`"
    )
    assert said(Command(text="git status; ls"), rule(STATUS)).because == "Asked because no rule allows `ls`"
    assert said(Command(text="echo " + "x" * 200)).because.endswith("x…`")


def test_a_decision_names_its_rule() -> None:
    log = rule(RuledCommand(argv=("git", "log"), more=True))
    assert said(Command(text="git status"), rule(STATUS)).because == "Allowed by the rule “git status”"
    both = said(Command(text="git status; git log -n 2; git status"), rule(STATUS), log)
    assert both.because == "Allowed by the rules “git status” and “git log …”"
    assert both.rule == rule(STATUS)
    assert said(Command(text="rm x"), rule(RuledCommand(argv=("rm",)), "deny")).because == "Denied by the rule “rm”"
    assert (
        said(Command(text="rm x"), rule(RuledCommand(argv=("rm",)), "ask")).because == "Asked because of the rule “rm”"
    )


def test_deny_comes_before_ask_before_allow_in_whatever_order_they_stand() -> None:
    rules = [rule(STATUS, effect) for effect in ("allow", "ask", "deny")]
    git_status = Command(text="git status")
    assert said(git_status, *rules).effect == said(git_status, *reversed(rules)).effect == "deny"
    assert said(git_status, *rules[:2]).effect == said(git_status, *reversed(rules[:2])).effect == "ask"


@pytest.mark.parametrize(
    ("held_by", "asked_by", "effect"),
    [
        (None, "ada", "allow"),
        (None, None, "allow"),
        ("ada", "ada", "allow"),
        ("ada", "ben", "ask"),
        ("ada", None, "ask"),
        ("", None, "allow"),
        ("", "ada", "ask"),
    ],
)
def test_a_rule_holds_for_its_agent(held_by: str | None, asked_by: str | None, effect: str) -> None:
    assert said(Command(text="git status"), rule(STATUS, agent=held_by), agent=asked_by).effect == effect


@pytest.mark.parametrize(
    ("held_by", "asked_by", "effect"),
    [
        (None, "claude", "allow"),
        ("claude", "claude", "allow"),
        ("claude", "codex", "ask"),
        ("claude", None, "allow"),  # explained for whichever
    ],
)
def test_a_rule_holds_for_its_cli(held_by: str | None, asked_by: str | None, effect: str) -> None:
    assert said(Command(text="git status"), rule(STATUS, runtime=held_by), runtime=asked_by).effect == effect


@pytest.mark.parametrize(
    ("bound_to", "place", "effect"),
    [
        ("a", "/a", "allow"),
        ("a", "/a/b", "allow"),
        ("a", "/ab", "ask"),
        ("a", "", "ask"),
        ("a/b", "/a", "ask"),
        ("a", "/../a", "ask"),
        (None, "/a", "allow"),
        (None, "/../a", "ask"),
        ("a", "/b/../a", "allow"),
    ],
)
def test_a_rule_holds_in_its_folder_and_below(bound_to: str | None, place: str, effect: str) -> None:
    found = said(Command(text="git status"), rule(STATUS, folder=bound_to), folder=f"{ROOT}{place}")
    assert found.effect == effect


def test_a_rule_ends_at_its_time() -> None:
    for passed, effect in ((timedelta(), "ask"), (timedelta(seconds=1), "allow")):
        assert said(Command(text="git status"), rule(STATUS, expires_at=NOW + passed)).effect == effect


def test_a_choice_is_a_persons() -> None:
    assert said(Choice(), rule(RuledTool(tool="Choice"))).effect == "ask"


@pytest.mark.parametrize(
    ("asks", "because"),
    [
        (Command(text="git status", argv=("git", "status")), "in two ways"),
        (Command(text="git status", is_title=True), "only a title"),
        (Command(text="git status", more=(Argument(name="sandbox", value="off"),)), "`sandbox`"),
        (
            Command(text="git status", more=(Argument(name="run_in_background", value="true", is_json=True),)),
            "`run_in_b",
        ),
        (Command(argv=("git", "-c", "a=b", "status")), "option before"),
        (Command(argv=("git", "status\n")), "control characters"),
        (Command(argv=()), "no program"),
        (Command(argv=("",)), "no program"),
    ],
)
def test_a_command_that_may_be_more_than_it_shows_is_asked(asks: Command, because: str) -> None:
    found = said(asks, rule(RuledCommand(argv=("git",), more=True)))
    assert found.effect == "ask"
    assert because in found.because


def test_a_limit_that_comes_with_a_command_stands_in_no_ones_way() -> None:
    more = (Argument(name="timeout", value="5", is_json=True), Argument(name="background", value="false", is_json=True))
    assert said(Command(argv=("git", "status"), more=more), rule(STATUS)).effect == "allow"


def test_a_program_that_is_denied_is_named_where_the_text_cannot_be_read() -> None:
    denying = rule(RuledCommand(argv=("rm", "-rf")), "deny")
    found = said(Command(text="x='rm'; $x -rf /"), rule(STATUS, "deny"), denying, rule(ALL_FILES, "deny"))
    assert (
        found.because
        == "Asked because the command sets a variable, and a program that the rule “rm -rf” denies is named in it"
    )
    assert "denies" not in said(edit("../x"), denying).because


@pytest.mark.parametrize(
    ("pattern", "path", "effect"),
    [
        ("docs/a.md", "docs/a.md", "allow"),
        ("docs/a.md", "./docs//a.md", "allow"),
        ("docs/a.md", f"{ROOT}/docs/a.md", "allow"),
        ("docs/a.md", "docs/b.md", "ask"),
        ("docs", "docs/a.md", "ask"),
        ("docs/*", "docs/a.md", "allow"),
        ("docs/*", "docs/a/b.md", "ask"),
        ("docs/**", "docs/a/b.md", "allow"),
        ("**", "a.md", "allow"),
        ("**/*.md", "x/y/a.md", "allow"),
        ("**/*.md", "x/y/a.py", "ask"),
        ("docs/**", "docs/../secret.md", "ask"),
        ("docs/**", "../docs/a.md", "ask"),
        ("docs/**", "/etc/docs/a.md", "ask"),
        ("**", ".git/hooks/post-commit", "ask"),
        ("**", "a/.env", "ask"),
        ("*", ".env", "ask"),
        (".env", ".env", "allow"),
        (".git*", ".gitignore", "allow"),
        (".cabinet/**", ".cabinet/cabinet.db", "ask"),
        ("Docs/a.md", "docs/a.md", "ask"),
    ],
)
def test_an_edit_is_allowed_below_the_root_by_its_path(pattern: str, path: str, effect: str) -> None:
    assert said(edit(path), rule(RuledEdit(path=pattern))).effect == effect


def test_every_file_of_an_edit_must_be_allowed_and_none_denied() -> None:
    assert (
        said(edit("a.md", "b.md"), rule(RuledEdit(path="a.md"))).because
        == "Asked because no rule allows an edit of b.md"
    )
    denying = rule(RuledEdit(path="secrets"), "deny")
    assert said(edit("a.md", "Secrets/.x/y"), rule(ALL_FILES), denying).effect == "deny"
    assert said(edit("../secrets/y"), rule(ALL_FILES), denying).effect == "ask"
    assert said(edit(), rule(ALL_FILES)).effect == "ask"
    assert "`new_path`" in said(edit("a.md", new_path="b"), rule(ALL_FILES)).because
    assert said(edit("a.md", text="b"), rule(ALL_FILES), folder=f"{ROOT}/sub").effect == "allow"


@pytest.mark.parametrize(
    ("host", "url", "effect"),
    [
        ("example.org", "https://example.org/a?b#c", "allow"),
        ("example.org", "http://EXAMPLE.org:80", "allow"),
        ("example.org", "https://example.org:443/", "allow"),
        ("example.org", "https://example.org:8443/", "ask"),
        ("example.org", "https://example.org:99999/", "ask"),
        ("example.org", "https://www.example.org/", "ask"),
        ("*.example.org", "https://www.example.org/", "allow"),
        ("*.example.org", "https://a.b.example.org/", "allow"),
        ("*.example.org", "https://example.org/", "ask"),
        ("*.example.org", "https://badexample.org/", "ask"),
        ("example.org", "https://example.org.evil.com/", "ask"),
        ("example.org", "https://example.org@evil.com/", "ask"),
        ("example.org", "https://evil.com\\@example.org/", "ask"),
        ("example.org", "https://evil.com/example.org", "ask"),
        ("example.org", "ftp://example.org/", "ask"),
        ("example.org", "file:///etc/passwd", "ask"),
        ("example.org", "https://ex\u0430mple.org/", "ask"),
        ("example.org", "https://example.org/\n", "ask"),
        ("example.org", "https://example.org./", "ask"),
        ("example.org", "", "ask"),
    ],
)
def test_a_page_is_allowed_by_its_host(host: str, url: str, effect: str) -> None:
    assert said(Fetch(url=url), rule(RuledFetch(host=host))).effect == effect


def test_a_host_is_denied_however_it_is_written() -> None:
    denying = rule(RuledFetch(host="example.org"), "deny")
    for url in ("https://me@EXAMPLE.org:8443/", "https://example.org./", " ftp://example.org"):
        assert said(Fetch(url=url), denying).effect == "deny"
    assert said(Fetch(url="https://[x"), denying).effect == "ask"
    assert said(Fetch(url="https://x.org"), denying).because == "Asked because no rule allows pages of x.org"


def test_a_page_with_another_address_or_a_search_beside_it_is_asked() -> None:
    allowing = rule(RuledFetch(host="example.org"))
    url = "https://example.org/"
    assert said(Fetch(url=url, query="x"), allowing).effect == "ask"
    assert said(Fetch(url=url, more=(Argument(name="also", value="http://evil"),)), allowing).effect == "ask"
    assert said(Fetch(url=url, more=(Argument(name="prompt", value="Sum up"),)), allowing).effect == "allow"


def test_a_tool_is_allowed_by_its_whole_name_and_denied_in_any_case() -> None:
    jira = RuledTool(server="jira", tool="search")
    assert said(ToolUse(server="jira", tool="search"), rule(jira)).because == "Allowed by the rule “jira: search”"
    assert said(ToolUse(server="JIRA", tool="search"), rule(jira)).effect == "ask"
    assert said(ToolUse(server="other", tool="search"), rule(jira)).because.endswith("allows the tool other: search")
    assert said(ToolUse(tool="search"), rule(jira)).because == "Asked because no rule allows the tool search"
    assert said(ToolUse(server="JIRA", tool="Search"), rule(jira, "deny")).effect == "deny"


def test_a_rule_of_one_kind_is_about_no_other() -> None:
    rules = [rule(STATUS), rule(ALL_FILES), rule(RuledFetch(host="x.org")), rule(RuledTool(tool="git"))]
    denying = [msgspec.structs.replace(each, effect="deny") for each in rules]
    kinds: list[AnyAction] = [
        Command(text="git log"),
        edit(".env"),
        Fetch(url="https://y.org"),
        ToolUse(tool="status"),
    ]
    for asks in kinds:
        assert said(asks, *rules).effect == "ask"
    for asks in [kinds[0], *kinds[2:]]:
        assert said(asks, *denying).effect == "ask"


# --- rules that an answer makes ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("asks", "found"),
    [
        (Command(text="git status && ls -l && ls -l"), (("git", "status"), ("ls", "-l"))),
        (Command(argv=("ls", "a b")), (("ls", "a b"),)),
        (Command(text="git status > x"), ()),
        (Command(text="'gi\u0442' status"), ()),
        (Command(text="; ".join(f"x{number}" for number in range(MOST_COMMANDS + 1))), ()),
        (Edit(paths=("a.md",)), ()),
    ],
)
def test_only_a_command_that_is_certain_may_be_allowed_from_now_on(asks: AnyAction, found: tuple[Any, ...]) -> None:
    assert commands_of(asks, folder=ROOT, root=ROOT) == found


# --- what a rule may be -------------------------------------------------------------------------


def new(action: AnyRuledAction, **fields: Any) -> NewRule:
    return NewRule(**{"effect": "allow", "action": action, **fields})


@pytest.mark.parametrize(
    "bad",
    [
        new(RuledCommand(argv=())),
        new(RuledCommand(argv=("",))),
        new(RuledCommand(argv=("x",) * 101)),
        new(RuledCommand(argv=("x" * 1001,))),
        new(RuledCommand(argv=("gi\u0442",))),
        new(RuledCommand(argv=("sudo", "x"))),
        new(RuledCommand(argv=("cd", "x"))),
        new(RuledCommand(argv=("git", "-c", "a=b", "status"))),
        new(RuledCommand(argv=("a\nb",))),
        new(RuledEdit(path="")),
        new(RuledEdit(path="/etc")),
        new(RuledEdit(path="a/../b")),
        new(RuledFetch(host="https://x.org")),
        new(RuledFetch(host="*")),
        new(RuledFetch(host="")),
        new(RuledTool(tool="")),
        new(STATUS, folder="../x"),
        new(STATUS, note="x" * 501),
        new(STATUS, note="\u202e"),
        new(STATUS, expires_at=datetime(2026, 1, 1)),  # noqa: DTZ001  # that is what is wrong with it
    ],
)
def test_a_rule_that_nobody_can_mean_is_refused(bad: NewRule) -> None:
    with pytest.raises(Invalid):
        checked(bad)


def test_a_rule_that_denies_may_name_what_could_not_be_allowed() -> None:
    for argv in (("sudo",), ("gi\u0442",), ("rm", "")):
        assert checked(new(RuledCommand(argv=argv), effect="deny")).action == RuledCommand(argv=argv)
    with pytest.raises(OutsideRoot):
        checked(new(RuledEdit(path="/"), effect="deny"))


def test_a_rules_folder_is_kept_in_its_plainest_form() -> None:
    assert checked(new(STATUS, folder="./a//b/")).folder == "a/b"
    assert checked(new(RuledTool(server="s", tool="t"))).folder is None


def test_actions_read_well() -> None:
    actions = [
        RuledCommand(argv=("ls", "a b"), more=True),
        ALL_FILES,
        RuledFetch(host="*.x.org"),
        RuledTool(tool="Read"),
    ]
    assert [spelled(each) for each in actions] == ["ls 'a b' …", "edit **", "fetch *.x.org", "Read"]


@pytest.mark.parametrize("path", ["~/x", "~ada/x", " x", "x\t"])
def test_a_name_of_a_file_that_may_mean_another_place_is_asked(path: str) -> None:
    asks = Edit(paths=(path,), changes=(Change(new="x"),))
    assert "another meaning" in said(asks, rule(RuledEdit(path="**"))).because


def test_brackets_and_question_marks_in_a_rule_are_what_they_are() -> None:
    denied = rule(RuledEdit(path="data[1].csv"), "deny")
    assert said(Edit(paths=("data[1].csv",)), denied).effect == "deny"
    allowed = rule(RuledEdit(path="data[12]?.csv"))
    assert [said(Edit(paths=(name,)), allowed).effect for name in ("data1a.csv", "data[12]?.csv")] == ["ask", "allow"]
    assert said(Edit(paths=("a.b.csv",)), rule(RuledEdit(path="*.csv"))).effect == "allow"

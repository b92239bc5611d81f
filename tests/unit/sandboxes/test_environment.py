"""A child's environment is an allow-list."""

from __future__ import annotations

import pytest

from jupyter_cabinet.sandboxes.environment import build_environment, shell_environment, terminal_environment


def test_only_what_is_allowed_is_inherited():
    source = {"HOME": "/h", "LC_TIME": "C", "XDG_DATA_HOME": "/d", "https_proxy": "p", "AWS_SECRET": "s"}
    built = build_environment(source, keep=(), add={})
    assert built == {"HOME": "/h", "LC_TIME": "C", "XDG_DATA_HOME": "/d", "https_proxy": "p"}


def test_a_runtime_keeps_what_it_needs_by_name_or_prefix():
    source = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "u", "OPENAI_API_KEY": "o"}
    built = build_environment(source, keep=["ANTHROPIC_*"], add={"DEMO": "1"})
    assert built == {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "u", "DEMO": "1"}


@pytest.mark.parametrize(
    "name",
    ["JUPYTER_TOKEN", "JUPYTER_SERVER_TOKEN", "JUPYTERHUB_API_TOKEN", "JUPYTERHUB_USER", "JPY_PARENT_PID"],
)
def test_power_over_the_server_is_handed_on_by_no_way(name):
    assert build_environment({name: "x"}, keep=["J*"], add={name: "x"}) == {}


def test_marks_of_a_surrounding_session_are_taken_out_even_when_a_prefix_keeps_them():
    source = {
        "CLAUDE_CODE_SESSION_ID": "s",
        "CLAUDE_CODE_OAUTH_TOKEN": "t",
        "NODE_OPTIONS": "n",
        "CLAUDECODE": "1",
    }
    assert build_environment(source, keep=["CLAUDE*", "NODE_*"], add={}) == {"CLAUDE_CODE_OAUTH_TOKEN": "t"}


def test_what_is_added_wins():
    assert build_environment({"TERM": "dumb"}, keep=(), add={"TERM": "xterm"}) == {"TERM": "xterm"}


def test_a_persons_shell_gets_all_but_what_gives_power_over_the_server():
    source = {"AWS_SECRET": "s", "EDITOR": "vi", "JUPYTER_TOKEN": "t", "JPY_PARENT_PID": "1", "CLAUDECODE": "1"}
    assert shell_environment(source) == {"AWS_SECRET": "s", "EDITOR": "vi"}


def test_no_variable_of_a_shell_holds_a_secret_of_the_server_whatever_its_name():
    source = {"URL": "http://localhost/?token=s3cret", "EDITOR": "vi"}
    assert shell_environment(source, secrets=("s3cret", "")) == {"EDITOR": "vi"}


@pytest.mark.parametrize(
    ("given_locale", "kept"),
    [({"LANG": "de_DE.UTF-8"}, {"LANG": "de_DE.UTF-8"}), ({"LC_ALL": "C"}, {"LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"})],
)
def test_a_program_in_a_terminal_gets_a_utf_8_locale(given_locale, kept):
    built = terminal_environment(given_locale)
    assert {name: built[name] for name in built if name.startswith(("LC_", "LANG"))} == kept

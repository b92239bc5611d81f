"""The conformance suite of the runtime port: the promises of every adapter, whatever its CLI.

Derive a test class from `RuntimeConformance` and give it `make`. It starts no CLI except by `locate`; each adapter's
own tests cover what a real CLI does. Third parties may use it: see `docs/how-to/add-a-runtime.md`.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from ..core.errors import Invalid
from ..core.slugs import is_slug
from ..runtimes.model import AnyAgentEvent, Launch, McpServer, Outcome, PermissionMode, Request, RunMode, TextDelta
from ..runtimes.port import Dialogue, Exit, Located, Missing, Runtime, Source

SECRET = "a-secret-that-must-not-be-seen"  # noqa: S105 (of nothing)
SESSION = "0f5a1d98-f9e4-42c4-b238-e49f327f51b7"
NASTY_PROMPTS = ("--help", "-p", "-- do this", "$(touch x)", "'; exit", "/exit", "ends with a backslash \\", "a\0b")
LONG_PROMPT = "word " * 60_000
CHANGING_TOOLS = ("Edit", "Write", "Bash")  # by the names that all adapters know
BAD_IDS = ("--help", "../x", "", "a b", "x" * 129)
GARBAGE = (b"\x00\xff\xfe", b"{", b"[]\n", b"null\n", b'{"type": 3}\n', b'{"type":"result"}\n', b"\x1b[", b"\r\n" * 3)
SOURCES: tuple[Source, ...] = get_args(Source)

Recording = Sequence[tuple[Source, bytes]]  # the real output of a CLI, for one request


class RuntimeConformance:
    """Every `test_…` below is one promise of `runtimes/port.py`."""

    recordings: Sequence[Recording] = ()  # in mode headless

    def make(self) -> Runtime:
        """A fresh adapter."""
        raise NotImplementedError

    def granted(self, launch: Launch) -> frozenset[str]:
        """Return the tools, by the CLI's own names, that this launch may use without a question.

        Read them from the arguments, the environment and the files. Override it if the CLI can be limited to a list.
        """
        raise NotImplementedError

    # The CLI's names of tools that change or reach anything: none of them may be granted in the mode *Ask first*.
    risky_tools: frozenset[str] = frozenset()

    # --- description ---------------------------------------------------------------------------------

    def test_it_tells_its_name_and_title(self) -> None:
        about = self.make().about
        assert is_slug(about.name)
        assert about.title.strip()

    def test_looking_for_it_gives_a_path_or_a_reason(self) -> None:
        found = self.make().locate(os.environ)
        if isinstance(found, Missing):
            assert found.reason.endswith(".")
        else:
            assert Path(found.path).is_absolute()

    def test_a_machine_without_it_is_no_error(self, tmp_path: Path) -> None:
        found = self.make().locate({"PATH": str(tmp_path), "HOME": str(tmp_path)})
        assert isinstance(found, Located | Missing)

    def test_it_can_do_something(self) -> None:
        capabilities = self.make().capabilities(self.located())
        assert capabilities.interactive or capabilities.headless
        assert set(capabilities.permission_modes) <= set(get_args(PermissionMode))

    # --- launch --------------------------------------------------------------------------------------

    @pytest.mark.parametrize("prompt", NASTY_PROMPTS)
    def test_a_prompt_is_never_an_option(self, prompt: str, tmp_path: Path) -> None:
        for mode in self.modes():
            launch = self.make().launch(self.located(), self.request(tmp_path, mode=mode, prompt=prompt))
            plain = self.make().launch(self.located(), self.request(tmp_path, mode=mode, prompt="plain"))
            assert Path(launch.argv[0]).is_absolute()
            assert not any("\0" in argument for argument in launch.argv)
            changed = [(before, new) for before, new in zip(plain.argv, launch.argv, strict=True) if before != new]
            if mode == "headless":
                assert not changed, "a headless prompt goes over stdin or into a file"
            for before, new in changed:
                place = launch.argv.index(new)
                assert "--" in launch.argv[:place] or (before.startswith("--") and "=" in before)

    def test_a_long_prompt_is_in_no_argument(self, tmp_path: Path) -> None:
        for mode in self.modes():
            request = self.request(tmp_path, mode=mode, prompt=LONG_PROMPT)
            launch = self.make().launch(self.located(), request)
            assert max(map(len, launch.argv)) < 100_000

    def test_secrets_are_in_no_argument(self, tmp_path: Path) -> None:
        server = McpServer(name="cabinet", command=("/bin/true",), environment={"TICKET": SECRET})
        for mode in self.modes():
            request = self.request(tmp_path, mode=mode, mcp_servers=(server,), system=SECRET)
            try:
                launch = self.make().launch(self.located(), request)
            except Invalid:
                continue
            assert not any(SECRET in argument for argument in launch.argv)
            assert not any(SECRET in value for value in launch.environment.values())

    def test_a_run_without_a_directory_has_no_files(self, tmp_path: Path) -> None:
        for mode in self.modes():
            request = self.request(tmp_path, mode=mode, prompt=LONG_PROMPT, system="Be brief.", run_directory="")
            try:
                launch = self.make().launch(self.located(), request)
            except Invalid as error:
                assert error.detail == {"field": "run_directory"}
            else:
                assert not launch.files

    def test_every_file_is_named_where_the_cli_looks_for_it(self, tmp_path: Path) -> None:
        server = McpServer(name="cabinet", command=("/bin/true",), environment={"TICKET": SECRET})
        for mode in self.modes():
            for changes in ({"system": "Be brief."}, {"mcp_servers": (server,)}, {"allowed_tools": ("Read",)}, {}):
                try:
                    request = self.request(tmp_path, mode=mode, prompt=LONG_PROMPT, **changes)
                    launch = self.make().launch(self.located(), request)
                except Invalid:
                    continue
                named = [*launch.argv, *launch.environment.values()]
                assert all(any(file.path in text for text in named) for file in launch.files)
                assert len({file.path for file in launch.files}) == len(launch.files)

    def test_temporary_files_lie_in_the_runs_directory(self, tmp_path: Path) -> None:
        for mode in self.modes():
            request = self.request(tmp_path, mode=mode, prompt=LONG_PROMPT, system="Be brief.")
            for file in self.make().launch(self.located(), request).files:
                assert Path(file.path).parent == tmp_path

    def test_no_tools_is_not_all_tools(self, tmp_path: Path) -> None:
        for mode in self.modes():
            free = self.make().launch(self.located(), self.request(tmp_path, mode=mode))
            try:
                bound = self.make().launch(self.located(), self.request(tmp_path, mode=mode, allowed_tools=()))
            except Invalid:
                continue
            assert (bound.argv, bound.environment, bound.files) != (free.argv, free.environment, free.files)

    def test_ask_first_grants_nothing_that_a_list_names(self, tmp_path: Path) -> None:
        if not self.make().capabilities(self.located()).allowed_tools:
            return
        assert self.risky_tools, "name the CLI's tools that change something"
        for mode in self.modes():
            for tools in (CHANGING_TOOLS, tuple(self.risky_tools)):
                request = self.request(tmp_path, mode=mode, permission_mode="ask", allowed_tools=tools)
                assert not self.granted(self.make().launch(self.located(), request)) & self.risky_tools
            request = self.request(tmp_path, mode=mode, permission_mode="edit", allowed_tools=CHANGING_TOOLS)
            assert self.granted(self.make().launch(self.located(), request)), "granted() reads nothing from a launch"

    @pytest.mark.parametrize("bad", BAD_IDS)
    def test_a_strange_session_id_is_refused(self, bad: str, tmp_path: Path) -> None:
        for mode in self.modes():
            if not self.make().capabilities(self.located()).resume:
                continue
            with pytest.raises(Invalid):
                self.make().launch(self.located(), self.request(tmp_path, mode=mode, resume=bad))

    # --- the dialogue ------------------------------------------------------------------------------

    def test_garbage_never_raises(self, tmp_path: Path) -> None:
        for mode in self.modes():
            conversation = self.make().conversation(self.request(tmp_path, mode=mode))
            for source in SOURCES:
                for piece in (*GARBAGE, b"".join(GARBAGE)):
                    check_events(conversation.feed(source, piece))
            assert isinstance(conversation.finish(Exit(code=1)), Outcome)

    def test_an_answer_that_nobody_waits_for_says_nothing(self, tmp_path: Path) -> None:
        for mode in self.modes():
            conversation = self.make().conversation(self.request(tmp_path, mode=mode))
            assert conversation.answer("nobody-asked", "allow", "note") == b""

    def test_a_dialogue_over_stdin_survives_garbage(self, tmp_path: Path) -> None:
        for permission_mode in self.make().capabilities(self.located()).permission_modes:
            request = self.request(tmp_path, permission_mode=permission_mode)
            try:
                launch = self.make().launch(self.located(), request)
            except Invalid:  # such as "no questions" as root
                continue
            if "headless" not in self.modes() or not launch.keep_stdin_open:
                continue
            conversation = self.make().conversation(request)
            assert isinstance(conversation, Dialogue)
            conversation.start()
            for piece in GARBAGE:
                check_events(conversation.feed("stdout", piece))
                assert isinstance(conversation.outgoing(), bytes | None)
            assert conversation.finish(Exit(code=0)).failure is not None

    def test_silence_and_exit_code_zero_are_no_success(self, tmp_path: Path) -> None:
        for mode in self.modes():
            conversation = self.make().conversation(self.request(tmp_path, mode=mode))
            conversation.start()
            failure = conversation.finish(Exit(code=0)).failure
            assert failure is not None
            assert failure.message.strip()

    def test_chunks_do_not_matter(self, tmp_path: Path) -> None:
        for recording in self.recordings:
            whole, outcome = self.replay(tmp_path, recording)
            assert whole
            dice = random.Random(1)  # noqa: S311 (no secret)
            cut = [(source, piece) for source, data in recording for piece in _pieces(data, dice)]
            assert self.replay(tmp_path, cut) == (whole, outcome)

    def test_a_further_instruction_presses_no_key(self, tmp_path: Path) -> None:
        if "terminal" not in self.modes():
            return
        conversation = self.make().conversation(self.request(tmp_path, mode="terminal"))
        typed = conversation.send("two\rlines\x03\x1b[201~\x1b[A")
        inside = typed.removeprefix(b"\x1b[200~").removesuffix(b"\x1b[201~")
        assert not set(inside) & (set(range(32)) - {0x09, 0x0A})

    # --- tools of the suite --------------------------------------------------------------------------

    def located(self) -> Located:
        """A CLI that was found, without one."""
        return Located(path="/opt/some/cli", version="1.0.0")

    def modes(self) -> list[RunMode]:
        """Return the modes that the adapter offers."""
        capabilities = self.make().capabilities(self.located())
        offered: list[tuple[RunMode, bool]] = [
            ("terminal", capabilities.interactive),
            ("headless", capabilities.headless),
        ]
        return [mode for mode, here in offered if here]

    def request(self, tmp_path: Path, **changes: object) -> Request:
        """Return a request with fields changed."""
        base = Request(
            prompt="Say hello.",
            mode="headless",
            cwd=str(tmp_path),
            session_id=SESSION,
            run_directory=str(tmp_path),
            hook_command=("/bin/true", "a b"),
        )
        return msgspec.structs.replace(base, **changes)

    def replay(self, tmp_path: Path, recording: Recording) -> tuple[list[AnyAgentEvent], Outcome]:
        """Return events and outcome of a recording."""
        conversation = self.make().conversation(self.request(tmp_path))
        conversation.start()
        events = [event for source, data in recording for event in conversation.feed(source, data)]
        check_events(events)
        return _joined(events), conversation.finish(Exit(code=0))


def check_events(events: list[AnyAgentEvent]) -> None:
    """Every event survives the wire."""
    raw = msgspec.json.encode(events)
    assert msgspec.json.decode(raw, type=list[AnyAgentEvent]) == events


def _joined(events: list[AnyAgentEvent]) -> list[AnyAgentEvent]:
    """Join consecutive deltas: where text is cut has no meaning."""
    joined: list[AnyAgentEvent] = []
    for event in events:
        last = joined[-1] if joined else None
        if isinstance(event, TextDelta) and isinstance(last, TextDelta):
            joined[-1] = TextDelta(text=last.text + event.text)
        else:
            joined.append(event)
    return joined


def _pieces(data: bytes, dice: random.Random) -> Iterator[bytes]:
    while data:
        size = dice.choice((1, 2, 7, 100, 5000))
        yield data[:size]
        data = data[size:]

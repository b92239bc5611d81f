"""Approval rules on record, and at work on the questions of a real demo agent."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from harness.backend import ADA, Place, ended, submit, waiting_are

from jupyter_cabinet.approvals.card import LONGEST_PART
from jupyter_cabinet.approvals.model import Always, Approval, ApprovalFilter, AskingRun, NewAnswer
from jupyter_cabinet.approvals.rule_evaluation import Decision
from jupyter_cabinet.approvals.rulebook import NAME, Doing
from jupyter_cabinet.approvals.rules import (
    MOST_RULES,
    AnyRuledAction,
    NewRule,
    NewRuleList,
    RuledCommand,
    RuledEdit,
    RuledTool,
    as_new,
)
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Conflict, Invalid, NoRoom, NotAllowed, OutsideRoot
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runtimes.model import AnswerOption, QuestionAsked
from jupyter_cabinet.runtimes.requested_actions import AnyAction, Argument, Command, Edit, ToolUse
from jupyter_cabinet.runtimes.shared.question_hook import PLAIN

STATUS, DOCUMENTS = RuledCommand(argv=("git", "status")), RuledEdit(path="*.md")
KERNEL = msgspec.structs.replace(ADA, origin="token")
BEN = msgspec.structs.replace(ADA, username="ben", display_name="Ben", shared_token=False)


async def keep(backend: Backend, *rules: NewRule, by: Any = ADA) -> None:
    """These instead of all rules."""
    now = await backend.approval_rules.read()
    await backend.approval_rules.put(NewRuleList(rules=rules, hash=now.hash), by)


def rule(action: AnyRuledAction, effect: Any = "allow", **fields: Any) -> NewRule:
    return NewRule(effect=effect, action=action, **fields)


async def decided(backend: Backend, asks: Any, owner: str = "ada") -> Decision:
    root = str(backend.executor.places.root)
    return await backend.approval_rules.decide(Doing(asks=asks, agent=None, owner=owner, folder=root))


RUN = AskingRun(
    id="r",
    session_id="s",
    terminal_id=None,
    path=None,
    runtime="claude",
    runtime_title="Claude Code",
    instruction="Do it.",
    folder="",
    isolated=False,
    owner="ada",
    owner_name="Ada",
    visibility="private",
)
LONG = ToolUse(tool="long", arguments=(Argument(name="text", value="x" * (LONGEST_PART + 1)),))


# --- on record ----------------------------------------------------------------------------------


async def test_rules_are_replaced_by_who_has_read_them_last(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        book = backend.approval_rules
        empty = await book.read()
        assert (empty.rules, empty.hash) == ((), "")
        first = await book.put(NewRuleList(rules=(rule(STATUS),), hash=""), ADA)
        assert [(each.action, each.made_by.username, each.for_everyone) for each in first.rules] == [
            (STATUS, "ada", True)
        ]
        with pytest.raises(Conflict):
            await book.put(NewRuleList(rules=(), hash=""), ADA)
        kept, changed = as_new(first.rules[0]), rule(DOCUMENTS, id="unknown")
        second = await book.put(NewRuleList(rules=(kept, changed), hash=first.hash), BEN)
        assert second.rules[0] == first.rules[0]
        assert (second.rules[1].made_by.username, second.rules[1].for_everyone) == ("ben", False)
        assert second.rules[1].id != "unknown"
        wider = msgspec.structs.replace(as_new(second.rules[1]), action=RuledCommand(argv=("git",), more=True))
        third = await book.put(NewRuleList(rules=(wider,), hash=second.hash), ADA)
        assert (third.rules[0].id, third.rules[0].made_by.username) == (second.rules[1].id, "ada")
        assert await book.read() == third


async def test_only_its_author_or_an_administrator_changes_or_removes_a_rule(tmp_path: Path) -> None:
    eve = msgspec.structs.replace(BEN, username="eve", display_name="Eve")
    chief = msgspec.structs.replace(eve, username="chief", administrator=True)
    async with Place(tmp_path).backend() as backend:
        book = backend.approval_rules
        made = await book.put(NewRuleList(rules=(rule(STATUS, "deny"), rule(DOCUMENTS)), hash=""), BEN)
        denied, allowed = made.rules
        assert ((await book.find(BEN)).protected, (await book.find(chief)).protected) == ((), ())
        assert (await book.find(eve)).protected == (denied.id, allowed.id)
        softer = msgspec.structs.replace(as_new(denied), effect="ask")
        for rules in ((), (as_new(allowed),), (softer, as_new(allowed)), (rule(STATUS, "deny"), as_new(allowed))):
            with pytest.raises(NotAllowed, match="Ben has made the rule “git status”"):
                await book.put(NewRuleList(rules=rules, hash=made.hash), eve)
        with pytest.raises(NotAllowed, match="Only Ben or an administrator can"):
            await book.remove((denied.id,), eve)
        own = await book.put(NewRuleList(rules=(*map(as_new, made.rules), rule(STATUS)), hash=made.hash), eve)
        assert own.rules[:2] == made.rules and own.protected == (denied.id, allowed.id)
        await book.remove((denied.id,), BEN)
        await book.remove((allowed.id, own.rules[2].id), chief)
        assert (await book.read()).rules == ()


async def test_rules_outlive_the_server_and_belong_to_their_root(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(STATUS))
    async with Place(tmp_path).backend() as again:
        assert len((await again.approval_rules.read()).rules) == 1
    (tmp_path / "other").mkdir()
    async with Place(tmp_path).backend(root=tmp_path / "other") as elsewhere:
        assert (await elsewhere.approval_rules.read()).rules == ()


async def test_a_program_changes_no_rules(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        for change in (keep(backend, rule(STATUS), by=KERNEL), backend.approval_rules.add([rule(STATUS)], KERNEL)):
            with pytest.raises(NotAllowed):
                await change
        with pytest.raises(NotAllowed):
            await backend.trust.replace_version(NAME, "", "1", b"[]", KERNEL)
        assert (await backend.approval_rules.read()).rules == ()


async def test_of_two_who_change_the_rules_at_once_one_hears_that_they_were_changed(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend, Place(tmp_path).backend() as beside:
        lists = [NewRuleList(rules=(rule(action),), hash="") for action in (STATUS, DOCUMENTS)]
        both = (backend.approval_rules.put(lists[0], ADA), beside.approval_rules.put(lists[1], BEN))
        done = await asyncio.gather(*both, return_exceptions=True)
        assert sorted(isinstance(each, Conflict) for each in done) == [False, True]
        assert len((await backend.approval_rules.read()).rules) == 1


async def test_rules_that_cannot_be_meant_are_refused_together(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        with pytest.raises(Invalid, match="sudo"):
            await keep(backend, rule(STATUS), rule(RuledCommand(argv=("sudo", "ls"))))
        with pytest.raises(Invalid, match=str(MOST_RULES)):
            await keep(backend, *[rule(STATUS)] * (MOST_RULES + 1))
        await keep(backend, rule(STATUS))
        (one,) = (await backend.approval_rules.read()).rules
        with pytest.raises(Invalid, match="same id"):
            await keep(backend, as_new(one), as_new(one))


async def test_rules_that_cannot_be_read_allow_nothing(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await backend.trust.confirm_version(NAME, hashlib.sha256(b"[{}]").hexdigest(), b"[{}]", ADA)
        assert (await decided(backend, Command(text="git status"))).effect == "ask"
        await keep(backend, rule(STATUS))
        assert (await decided(backend, Command(text="git status"))).effect == "allow"


async def test_what_has_ended_goes_when_a_rule_is_added(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        now = backend.clock.now()
        await keep(
            backend,
            rule(STATUS, note="over", expires_at=now - timedelta(1)),
            rule(STATUS, note="later", expires_at=now + timedelta(1)),
            rule(STATUS, note="never"),
        )
        ids = await backend.approval_rules.add([rule(DOCUMENTS, note="new")], ADA)
        assert [each.note for each in (await backend.approval_rules.read()).rules] == ["later", "never", "new"]
        await backend.approval_rules.remove(ids, ADA)
        assert [each.note for each in (await backend.approval_rules.read()).rules] == ["later", "never"]


async def test_rules_that_are_always_changed_by_somebody_else_are_left_alone(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:

        async def changed(*values: Any) -> bool:
            return False

        backend.trust.replace_version = changed  # type: ignore[method-assign]
        with pytest.raises(Conflict, match="Another person"):
            await backend.approval_rules.add([rule(STATUS)], ADA)
        with pytest.raises(Conflict, match="in the meantime"):
            await keep(backend, rule(STATUS))


# --- where and whose ------------------------------------------------------------------------------


@pytest.mark.parametrize("effect", ["allow", "deny"])
async def test_only_administrators_decide_about_the_runs_of_others(tmp_path: Path, effect: str) -> None:
    chief = msgspec.structs.replace(BEN, username="chief", administrator=True)
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(STATUS, effect), by=BEN)
        assert (await decided(backend, Command(text="git status"), owner="ada")).effect == "ask"
        assert (await decided(backend, Command(text="git status"), owner="ben")).effect == effect
        await backend.approval_rules.put(NewRuleList(rules=(), hash=(await backend.approval_rules.read()).hash), BEN)
        await keep(backend, rule(STATUS, effect), by=chief)
        assert (await decided(backend, Command(text="git status"), owner="ada")).effect == effect


async def test_a_link_leads_past_no_rule(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "secret").mkdir()
    (place.root / "docs").mkdir()
    (place.root / "docs/out.md").symlink_to("/etc/hosts")
    (place.root / "docs/secret.md").symlink_to("../secret/a.md")
    async with place.backend() as backend:
        await keep(backend, rule(RuledEdit(path="docs/**")), rule(RuledEdit(path="secret"), "deny"))
        effects = {
            name: (await decided(backend, Edit(paths=(f"docs/{name}.md",)))).effect for name in ("new", "out", "secret")
        }
        assert effects == {"new": "allow", "out": "ask", "secret": "deny"}
        assert (await decided(backend, Edit(paths=("docs/\0.md",)))).effect == "ask"


async def test_a_command_is_judged_by_the_folder_that_it_names(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for name in ("a", "b"):
        (place.root / name).mkdir()
    async with place.backend() as backend:
        await keep(backend, rule(STATUS, folder="a"))
        for cwd, effect in (("a", "allow"), ("b", "ask"), ("", "ask"), ("/tmp", "ask"), ("a/..", "ask")):
            assert (await decided(backend, Command(text="git status", cwd=cwd))).effect == effect


async def test_a_person_can_ask_what_would_hold(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(STATUS, agent="ada", folder="a"))
        asks = Command(text="git status")
        explain = backend.approval_rules.explain
        assert (await explain(asks, agent="ada", folder="a/b", principal=ADA)).effect == "allow"
        assert (await explain(asks, agent="ada", folder="", principal=ADA)).effect == "ask"
        assert (await explain(asks, agent="ben", folder="a", principal=ADA)).effect == "ask"
        with pytest.raises(OutsideRoot):
            await explain(asks, agent=None, folder="../x", principal=ADA)


# --- at work ----------------------------------------------------------------------------------------


async def begin(backend: Backend, instruction: str = "append: one", **fields: Any) -> Run:
    return await submit(backend, instruction, **{"permission_mode": "ask", "mode": "headless", **fields})


async def questions(backend: Backend, run: Run) -> list[Approval]:
    return await backend.approvals.find(ApprovalFilter(run_id=run.id), ADA)


async def test_a_rule_allows_without_a_question(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await keep(backend, rule(DOCUMENTS))
        run = await begin(backend)
        assert (await ended(backend, run)).state == "succeeded"
        (approval,) = await questions(backend, run)
        (made,) = (await backend.approval_rules.read()).rules
        assert (approval.state, approval.outcome, approval.option) == (
            "answered",
            "Allowed by the rule “edit *.md”",
            "allow",
        )
        assert (approval.rule_id, approval.rule, approval.answered_by) == (made.id, "edit *.md", None)
        assert approval.closed_at is not None
        assert approval.number > 0
        assert place.document.read_text().endswith("one\n")


async def test_a_rule_denies_and_the_agent_hears_by_which(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await keep(backend, rule(DOCUMENTS), rule(DOCUMENTS, "deny"))
        run = await ended(backend, await begin(backend))
        assert run.result is not None
        assert run.result.text == "Denied by the rule “edit *.md”."
        (approval,) = await questions(backend, run)
        assert (approval.state, approval.outcome, approval.option) == (
            "answered",
            "Denied by the rule “edit *.md”",
            "deny",
        )
        assert place.document.read_text() == "# A\n"


async def test_a_rule_answers_in_a_terminal_too(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await keep(backend, rule(DOCUMENTS))
        run = await ended(backend, await begin(backend, mode="terminal"))
        assert run.state == "succeeded"
        assert [each.outcome for each in await questions(backend, run)] == ["Allowed by the rule “edit *.md”"]


async def test_a_rule_that_has_ended_or_is_gone_lets_a_person_be_asked_who_hears_why(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(DOCUMENTS, expires_at=backend.clock.now() - timedelta(seconds=1)))
        run = await begin(backend)
        await waiting_are(backend, 1)
        (approval,) = await questions(backend, run)
        assert approval.because == "Asked because no rule allows an edit of a.md"
        assert (approval.rule_id, approval.always) == (None, ())
        await backend.approvals.answer(approval.id, NewAnswer(option="allow"), ADA)
        await ended(backend, run)


async def test_a_rule_that_goes_while_it_answers_allows_nothing(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(DOCUMENTS))
        commits = backend.approvals._commits

        async def commit(*values: Any) -> Any:
            backend.approvals._commits = commits
            done = await commits.commit(*values)
            await keep(backend)
            return done

        backend.approvals._commits = SimpleNamespace(commit=commit)  # type: ignore[assignment]
        run = await begin(backend)
        await waiting_are(backend, 1)
        asked, gone = await questions(backend, run)
        assert (gone.state, gone.outcome, gone.option) == ("withdrawn", "The rule ended before it could answer", None)
        assert asked.because == "Asked because no rule allows an edit of a.md"
        await backend.approvals.answer(asked.id, NewAnswer(option="deny"), ADA)
        await ended(backend, run)


async def test_a_rule_that_asks_is_named_on_the_question(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(RuledCommand(argv=("touch",)), "ask"))
        run = await begin(backend, "run touch made.txt")
        await waiting_are(backend, 1)
        (approval,) = await questions(backend, run)
        assert (approval.because, approval.rule) == ("Asked because of the rule “touch”", "touch")
        assert not approval.always  # it would be asked again all the same
        with pytest.raises(Invalid):
            await backend.approvals.answer(approval.id, always(), ADA)
        await backend.approvals.answer(approval.id, NewAnswer(option="deny"), ADA)
        await ended(backend, run)


def always(days: int = 30, option: str = "allow") -> NewAnswer:
    return NewAnswer(option=option, always=Always(days=days))


async def asking(backend: Backend, instruction: str = "run touch made.txt") -> tuple[Run, Approval]:
    run = await begin(backend, instruction)
    await waiting_are(backend, 1)
    (approval,) = await questions(backend, run)
    return run, approval


async def test_always_allows_exactly_this_from_now_on(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run, approval = await asking(backend)
        command = RuledCommand(argv=("touch", "made.txt"))
        (announced,) = approval.always
        assert announced == NewRule(effect="allow", action=command, agent="", runtime="demo")
        answered = await backend.approvals.answer(approval.id, always(), ADA)
        assert (answered.outcome, answered.always_days) == ("Allowed by a new rule for 30 days", 30)
        await ended(backend, run)
        assert (place.root / "made.txt").exists()
        (made,) = (await backend.approval_rules.read()).rules
        assert as_new(made) == msgspec.structs.replace(announced, id=made.id, expires_at=made.expires_at)
        assert made.expires_at is not None
        assert timedelta(29) < made.expires_at - made.made_at <= timedelta(30)
        again = await ended(backend, await begin(backend, "run touch made.txt"))
        assert again.state == "succeeded"
        assert [each.rule_id for each in await questions(backend, again)] == [made.id]
        other, asked = await asking(backend, "run touch other.txt")
        assert asked.because == "Asked because no rule allows `touch other.txt`"
        await backend.approvals.answer(asked.id, NewAnswer(option="deny"), ADA)
        await ended(backend, other)


async def test_always_stands_only_beside_an_answer_that_allows_once(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run, approval = await asking(backend)
        for option in ("deny", "session"):
            with pytest.raises(Invalid):
                await backend.approvals.answer(approval.id, always(option=option), ADA)
        with pytest.raises(NotAllowed):
            await backend.approvals.answer(approval.id, always(), KERNEL)
        assert (await backend.approval_rules.read()).rules == ()
        await backend.approvals.answer(approval.id, NewAnswer(option="deny"), ADA)
        with pytest.raises(Conflict):
            await backend.approvals.answer(approval.id, always(), ADA)
        assert (await backend.approval_rules.read()).rules == ()
        await ended(backend, run)


async def test_always_leaves_no_rule_where_its_answer_does_not_count(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run, approval = await asking(backend)
        write = backend.database.write

        async def no_room(*_: Any, **__: Any) -> Any:
            raise NoRoom

        backend.database.write = no_room  # type: ignore[method-assign]
        with pytest.raises(NoRoom):
            await backend.approvals.answer(approval.id, always(), ADA)
        backend.database.write = write  # type: ignore[method-assign]
        assert (await backend.approval_rules.read()).rules == ()
        await backend.approvals.answer(approval.id, NewAnswer(option="deny"), ADA)
        await ended(backend, run)


async def test_rules_that_cannot_be_asked_leave_it_to_a_person(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(DOCUMENTS))

        async def broken(*_: Any) -> Any:
            raise OSError("no disk")

        backend.trust.confirmed_content = broken  # type: ignore[method-assign]
        run, approval = await asking(backend, "append: one")
        assert approval.because == "Asked because the rules could not be read"
        await backend.approvals.answer(approval.id, NewAnswer(option="deny"), ADA)
        await ended(backend, run)


# --- questions of every kind, without an agent ----------------------------------------------------


class Asker:
    """Asks as a run does, and hears the answer."""

    def __init__(self, backend: Backend, *, hears: bool = True) -> None:
        self.heard: list[tuple[str, str]] = []
        self._backend = backend
        self._hears = hears

    async def ask(self, asks: AnyAction, options: tuple[AnswerOption, ...] = PLAIN) -> list[Approval]:
        """The approvals that there are of it afterwards."""
        root = str(self._backend.executor.places.root)
        run = msgspec.structs.replace(RUN, folder=root)
        question = QuestionAsked(question_id="q", question="?", tool="Bash", asks=asks, options=options)
        await self._backend.approvals.ask(run, question, self._deliver)
        return await self._backend.approvals.find(ApprovalFilter(run_id=RUN.id), ADA)

    async def _deliver(self, option: str, note: str) -> bool:
        self.heard.append((option, note))
        return self._hears


async def test_an_answer_by_a_rule_that_nobody_hears_has_allowed_nothing(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(STATUS))
        (approval,) = await Asker(backend, hears=False).ask(Command(text="git status"))
        assert (approval.state, approval.option) == ("withdrawn", None)


async def test_a_question_that_does_not_take_the_answer_of_a_rule_is_asked(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(STATUS), rule(RuledCommand(argv=("rm",)), "deny"), rule(RuledTool(tool="long")))
        allow, deny = PLAIN
        for asks, options, because in (
            (
                Command(text="git status"),
                (deny,),
                "Allowed by the rule “git status”, but asked because this answer is",
            ),
            (
                Command(text="rm x"),
                (allow,),
                "Denied by the rule “rm”, but asked because this answer is",
            ),
            (LONG, PLAIN, "Allowed by the rule “long”, but asked because not all of it can be shown"),
        ):
            asker = Asker(backend)
            approval = (await asker.ask(asks, options))[0]
            assert approval.state == "waiting"
            assert approval.because.startswith(because)
            assert (asker.heard, approval.always) == ([], ())
            await backend.approvals.withdraw(RUN.id, None, "over")


async def test_what_is_too_long_to_be_shown_is_denied_all_the_same(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await keep(backend, rule(RuledTool(tool="long"), "deny"))
        asker = Asker(backend)
        (approval,) = await asker.ask(LONG)
        assert (approval.state, asker.heard) == ("answered", [("deny", "Denied by the rule “long”.")])


async def test_a_command_with_a_secret_cannot_be_allowed_from_now_on(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        (approval,) = await Asker(backend).ask(Command(text="login s3cret-s3cret"))
        assert (approval.state, approval.always) == ("waiting", ())
        assert "s3cret" not in msgspec.json.encode(approval).decode()


async def test_a_question_that_is_gone_while_the_rules_are_asked_is_not_put_on_record(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        for rules in ((), (rule(STATUS),)):
            await keep(backend, *rules)
            asker = Asker(backend)
            asking = asyncio.ensure_future(asker.ask(Command(text="git status")))
            await asyncio.sleep(0)  # it has begun, and waits for the thread that reads the rules
            await backend.approvals.withdraw(RUN.id, "q", "answered in the terminal")
            assert (await asking, asker.heard) == ([], [])


async def test_a_question_is_asked_once_also_while_the_rules_are_asked(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        asker = Asker(backend)
        await asyncio.gather(*[asker.ask(Command(text="git status")) for _ in range(3)])
        assert len(await asker.ask(Command(text="git status"))) == 1

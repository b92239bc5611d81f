"""The magics: `%%agent`, `%cabinet`, `%plan`, `%play`, `%%play`, `%terminal`. Loaded by `%load_ext jupyter_cabinet`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from IPython.core import magic
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from ..client import plan_text
from ..client.cabinet import Cabinet
from ..client.errors import RequestRefused, RunFailed
from ..client.runs.live_run import LiveRun
from ..core.plain_text import plain
from . import plans, status_text, views
from .arguments import AgentArguments, PlayArguments, WrongArguments, agent_arguments, play_arguments, what_there_is
from .asking import Handle, RunOutput, checked, ended_by_interrupt, follow, follow_behind
from .bundles import Bundle, trust_bundle
from .choosing import CannotChoose, Kernel, Piece, pieces
from .inserted import NotInserted, inserted
from .kernel_notebook import notebook_path

# IPython's decorators have no types that mypy could follow
cell_magic: Any = magic.cell_magic
line_magic: Any = magic.line_magic
line_cell_magic: Any = magic.line_cell_magic
as_written: Any = magic.no_var_expand  # braces are ours
show: Any = display


@magic.magics_class
class CabinetMagics(magic.Magics):
    """The magics that people type. Each docstring is what `?` shows."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._shell = shell
        self._cabinet: Cabinet | None = None
        self._sessions: dict[str, str] = {}  # by agent, if there is no notebook

    @property
    def variables(self) -> dict[str, object]:
        """The notebook's variables by their names."""
        return {name: value for name, value in self._shell.user_ns.items() if name not in self._shell.user_ns_hidden}

    @property
    def cabinet(self) -> Cabinet:
        """The server of this kernel, searched for when it is first needed. Raises `NoServer`."""
        if self._cabinet is None:
            self._cabinet = Cabinet()
        return self._cabinet

    # --- %%agent -----------------------------------------------------------------------------

    @as_written
    @cell_magic
    def agent(self, line: str, cell: str) -> None:
        """Ask an agent: the cell is the instruction, and the answer appears below it.

            %%agent [AGENT] [options]
            What is odd about {df}? See @notes.md.

        AGENT is the name of one of this server's agents. Without one, the cell continues the notebook's own session,
        which the sidebar also uses. {expression} inserts a value: a word unchanged, a DataFrame as its shape, types and
        first rows. @path adds a file.

          --context cell,vars,error  send the previously executed cell, the variables that the instruction names, the
                                     last error with its traceback
          --vars df,model            send these variables (type, shape, first rows; never the whole)
          --cells 3,5-7              send these cells, by their numbers
          --show                     show what would be sent, and send nothing
          --as NAME                  keep the RunResult in a variable; with --background the LiveRun
          --background, -b           continue with the next cell at once; the output is updated
          --terminal, -t             work in a terminal that you and others can watch
          --new-session              start a new conversation instead of continuing the notebook's
          --runtime, -r NAME         claude, codex, gemini, …
          --model, -m NAME           as the runtime names it
          --mode ask|edit|bypass     what the agent may do without asking
          --isolated                 work in a sandbox, or not at all
          --runner local|dask|docker work on the server's machine, on its cluster, or in a container
          --no-raise                 a failed run does not stop Run All

        Interrupting the kernel cancels the run.
        """
        arguments = _understood(lambda: agent_arguments(line))
        if not cell.strip():
            _refuse("The cell is empty. Write below %%agent what should be done.")
        told = _understood(lambda: inserted(cell.strip(), self._evaluate))
        chosen = _understood(lambda: pieces(arguments.choice, self._kernel(), told.text, told.attached))
        if arguments.show:
            _print(_preview(told.text, chosen))
            return
        with _asking_for_trust():
            run = self._of_known_agent(arguments, told.text, chosen)
        self._follow(run, arguments, attached=[each.title for each in chosen])

    def _of_known_agent(self, arguments: AgentArguments, instruction: str, chosen: tuple[Piece, ...]) -> LiveRun:
        try:
            return self._asked(arguments, instruction, chosen)
        except ValueError as error:
            _refuse(str(error))
        except RequestRefused as error:
            if error.kind != "not_found" or arguments.agent is None:
                raise
            known = [each.slug for each in self.cabinet.agents.list()]
            _refuse(f"No agent is called {arguments.agent}. {what_there_is('agents', known)}")

    def _asked(self, arguments: AgentArguments, instruction: str, chosen: tuple[Piece, ...]) -> LiveRun:
        notebook = notebook_path(self.cabinet, self._shell, os.environ)
        choices: dict[str, Any] = {
            "agent": arguments.agent,
            "runtime": arguments.runtime,
            "model": arguments.model,
            "permission_mode": arguments.mode,
            "mode": "terminal" if arguments.terminal else None,
            "isolate": arguments.isolated or None,
            "runner": arguments.runner,
        }
        if notebook is not None:
            attached = [{"kind": each.kind, "title": each.title, "text": each.text} for each in chosen]
            choices |= {"notebook": notebook, "context": attached, "new_session": arguments.new_session}
            return _accepted(self.cabinet.run(instruction, source=f"[{cell_number(self._shell)}]", **choices))
        if not arguments.new_session:
            choices["session"] = self._sessions.get(arguments.agent or "")
        run = _accepted(self.cabinet.run("\n\n".join([instruction, *map(_written, chosen)]), **choices))
        if arguments.agent is not None:  # without a person and a notebook there is no session to continue
            self._sessions[arguments.agent] = run.run.session_id
        return run

    # --- %play -------------------------------------------------------------------------------

    @as_written
    @line_cell_magic
    def play(self, line: str, cell: str | None = None) -> None:
        """Run a play.

            %play PLAY [name=value …] [options]

            %%play PLAY [name=value …] [options]
            name = value
            other = {len(df)}

        With the name of one input after PLAY, the whole cell is its value: %%play summarise text.

          --agent AGENT      the agent that carries it out, instead of the play's own
          --as NAME          keep the RunResult in a variable; with --background the LiveRun
          --background, -b   continue with the next cell at once; the output is updated
          --no-raise         a failed run does not stop Run All
        """
        text = _understood(lambda: inserted(cell, self._evaluate)).text if cell is not None else None
        arguments = _understood(lambda: play_arguments(line, text))
        plays = self.cabinet.plays
        if arguments.play not in plays:
            _refuse(f"There is no play {arguments.play} here. {what_there_is('plays', list(plays))}")
        with _asking_for_trust():
            run = _accepted(plays[arguments.play].start(arguments.inputs, agent=arguments.agent))
        self._follow(run, arguments)

    # --- %plan -------------------------------------------------------------------------------

    @as_written
    @line_magic
    def plan(self, line: str) -> None:
        """Show or run a plan.

            %plan                list the plans
            %plan PLAN           show a plan: its steps, and why each waits
            %plan run PLAN       run what is left of it, and tell what happens until it rests
            %plan pause PLAN     pause it: steps that are running finish

        PLAN is the id, the title or the checklist of a plan, or a YAML file, from which a plan is made. Interrupting
        the kernel ends the waiting; the plan continues.
        """
        word, _, rest = line.strip().partition(" ")
        act, name = (word, rest.strip()) if word in ("run", "pause") and rest.strip() else ("", line.strip())
        if not name:
            _listed(plan_text.listed(self.cabinet.plans.list()), "There are no plans yet.")
            return
        found = _understood(lambda: plans.named(self.cabinet, name))
        if act == "run":
            with _asking_for_trust():
                found.run()
            view = plans.followed(found, _print)
        else:
            view = found.pause() if act == "pause" else found.fetch()
        _print("\n".join(plan_text.described(view)))

    # --- %terminal ---------------------------------------------------------------------------

    @as_written
    @line_magic
    def terminal(self, line: str) -> None:
        """Show a shared terminal below the cell. Others watch it, and ask for control.

            %terminal [NAME]

        A terminal that has this name is shown; else one is opened.
        """
        name = line.strip() or None
        _show(views.of_terminal(views.named_terminal(self.cabinet, name)))

    # --- %cabinet ----------------------------------------------------------------------------

    @as_written
    @line_magic("cabinet")
    def cabinet_magic(self, line: str) -> None:
        """Show the state of this server.

        %cabinet              agents, runs, waiting approvals, runtimes
        %cabinet agents       the agents
        %cabinet runs         the last runs
        %cabinet approvals    waiting approval requests and questions, with buttons to answer them
        %cabinet terminals    the shared terminals
        %cabinet pause        stop starting new work
        %cabinet resume       start work again
        %cabinet doctor       the server, the notebook and the runtimes that were found
        """
        word = line.strip() or "status"
        if word not in CABINET_WORDS:
            _refuse(f"%cabinet {word} is not known. There are: {', '.join(CABINET_WORDS)}.")
        getattr(self, f"_{word}")()

    def _status(self) -> None:
        _print("\n".join(status_text.status(self.cabinet.status())))

    def _agents(self) -> None:
        _listed(status_text.agents(self.cabinet.agents.list()), "There are no agents yet.")

    def _runs(self) -> None:
        _listed(status_text.runs(self.cabinet.runs(limit=20)), "There are no runs yet.")

    def _terminals(self) -> None:
        _listed(status_text.terminals(self.cabinet.terminals.list()), "No terminal is open. %terminal opens one.")

    def _approvals(self) -> None:
        waiting = self.cabinet.approvals()
        _listed(status_text.approvals(waiting), "No agent is waiting for an answer.")
        for run_id in dict.fromkeys(each.run_id for each in waiting):
            _show(views.of_run(self.cabinet.attach(run_id)))

    def _pause(self) -> None:
        self.cabinet.pause()
        _print("Paused: nothing new starts. Running work continues. %cabinet resume starts work again.")

    def _resume(self) -> None:
        self.cabinet.resume()
        _print("New work can start again.")

    def _doctor(self) -> None:
        notebook = notebook_path(self.cabinet, self._shell, os.environ)
        status = self.cabinet.status()
        about = [f"Server: {self.cabinet.url}", f"Notebook: {notebook or 'none is open for this kernel'}", ""]
        _print("\n".join([*about, *status_text.runtimes(status.runtimes, reasons=True)]))

    # --- parts -------------------------------------------------------------------------------

    def _follow(self, run: LiveRun, wanted: AgentArguments | PlayArguments, *, attached: Sequence[str] = ()) -> None:
        with ended_by_interrupt(run):
            output = RunOutput(run, _show, attached=attached)
            if wanted.background:
                follow_behind(run, output)
                self._keep(wanted.name, run)
                return
            result = follow(run, output)
        self._keep(wanted.name, result)
        checked(result, raises=wanted.raises)

    def _keep(self, name: str | None, value: object) -> None:
        if name is not None:
            self._shell.user_ns[name] = value

    def _evaluate(self, expression: str) -> object:
        return eval(expression, self._shell.user_global_ns, self._shell.user_ns)  # noqa: S307 - the person's own cell

    def _kernel(self) -> Kernel:
        namespace = self._shell.user_ns
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        return Kernel(
            variables=self.variables,
            sources=dict(enumerate(namespace.get("In", ()))),
            outputs=namespace.get("Out", {}),
            current=cell_number(self._shell),
            error=None if isinstance(error, (RunFailed, UsageError)) else error,
        )


def cell_number(shell: InteractiveShell) -> int:
    """Return the number of the cell that runs now.

    Recent versions of IPython increase `execution_count` before they run a cell, and older ones after it. In all of
    them, `In` has the cell already.
    """
    return len(shell.user_ns["In"]) - 1 if "In" in shell.user_ns else int(shell.execution_count)


CABINET_WORDS = ("status", "agents", "runs", "approvals", "terminals", "pause", "resume", "doctor")


def _understood(read: Any) -> Any:
    """Raises `UsageError`, which IPython shows as one line, for invalid arguments."""
    try:
        return read()
    except (WrongArguments, CannotChoose, NotInserted, plans.NoPlan) as error:
        _refuse(str(error))


@contextmanager
def _asking_for_trust() -> Iterator[None]:
    """Show the dialog about the folder below the cell if that is the reason for the refusal."""
    try:
        yield
    except RequestRefused as error:
        if error.kind == "not_trusted":
            _show(trust_bundle("Trust this folder in JupyterLab, then run this cell again."))
        raise


def _accepted(run: LiveRun) -> LiveRun:
    with ended_by_interrupt(run):
        run.accepted()
    return run


def _refuse(message: str) -> NoReturn:
    raise UsageError(plain(message)) from None


def _show(bundle: Bundle) -> Handle:
    handle: Handle = show(bundle, raw=True, display_id=True)
    return handle


def _print(text: str) -> None:
    print(plain(text))  # noqa: T201 - this is its output


def _listed(lines: list[str], nothing: str) -> None:
    _print("\n".join(lines) or nothing)


def _preview(text: str, chosen: tuple[Piece, ...]) -> str:
    size = len(text.encode()) + sum(len(each.text.encode()) for each in chosen)
    heading = f"This would be sent ({size:,} bytes), together with the files that it mentions. Nothing was sent."
    return "\n\n".join([heading, text, *map(_written, chosen)])


def _written(piece: Piece) -> str:
    return f"--- {piece.title} ---\n{piece.text}"

"""The commands of `jupyter cabinet` with their arguments. Called by `cli.py`, which also calls what a command does.

Each command names that: its file in this folder, and its function there. These files are loaded only for their command.
"""

from __future__ import annotations

import argparse
from typing import Any


def add_commands(commands: Any) -> None:
    """Add every command with its options to the subparsers of `jupyter cabinet`."""
    _add_agents(commands)
    _add_work(commands)
    _add_plans(commands)
    _add_checklist(commands)
    _add_plays(commands)
    _add_skills(commands)
    _add_tool_servers(commands)
    _add_approvals(commands)
    _add_runs(commands)
    _add_changes(commands)
    _add_activity(commands)
    _add_sessions(commands)
    _add_channels(commands)
    _add_database(commands)
    _add_doctor(commands)


def _add_agents(commands: Any) -> None:
    agents = _command(commands, "agents", "agents.listed", "list the agents: status, schedule, budget")
    inner = agents.add_subparsers(dest="what", metavar="WHAT")
    _slug(_command(inner, "show", "agents.shown", "show one agent: its settings, rights and next run"))
    _slug(_command(inner, "prompt", "agents.prompt", "show the prompt that a heartbeat would receive now"))
    search = _command(inner, "search", "agents.searched", "search the memory of an agent")
    _slug(search)
    search.add_argument("words", nargs="+", metavar="WORDS", help="words that must all occur in a passage")
    search.add_argument("--limit", type=int, default=20, help="maximum number; 20 by default, at most 50")
    reflect = _command(inner, "reflect", "agents.reflected", "let an agent reflect, so that it may propose a new soul")
    _slug(reflect)
    _wait(reflect)
    new = _command(inner, "new", "agents.made", "create an agent from a template")
    _slug(new)
    new.add_argument("--template", required=True, help="template, such as research")
    export = _command(inner, "export", "agent_bundles.exported", "write an agent to a file, for another server")
    _slug(export)
    export.add_argument("--to", metavar="FILE", help="a new file; by default AGENT.agent.zip")
    export.add_argument("--memory", action="store_true", help="with its memory")
    export.add_argument("--user", action="store_true", help="with USER.md, which all agents share")
    about = "import an agent from a file or a folder; nothing that it brings is confirmed or approved"
    brought = _command(inner, "import", "agent_bundles.imported", about)
    source = "a file that `agents export` has written, or a folder of another system, or a zip file of it"
    brought.add_argument("path", metavar="PATH", help=source)
    brought.add_argument("--agent", metavar="NAME", help="which agent, if the folder of an orchestrator has several")
    brought.add_argument("--as", dest="slug", metavar="AGENT", type=_name, help="its name here, if not a free one")
    brought.add_argument("--user", action="store_true", help="also add USER.md, if there is none here")
    brought.add_argument("--show", action="store_true", help="only show what it brings, with all texts")


def _add_work(commands: Any) -> None:
    run = _command(commands, "run", "agents.started", "start an agent now: a heartbeat, or an instruction")
    _slug(run)
    run.add_argument("instruction", nargs="?", help="the instruction, instead of a heartbeat")
    _wait(run)
    pause = _command(commands, "pause", "agents.paused", "pause an agent; without a name, this whole folder")
    pause.add_argument("slug", nargs="?", metavar="AGENT", type=_name)
    pause.add_argument("--now", action="store_true", help="also end running work")
    resume = _command(commands, "resume", "agents.resumed", "resume an agent; without a name, this whole folder")
    resume.add_argument("slug", nargs="?", metavar="AGENT", type=_name)


def _add_plans(commands: Any) -> None:
    plans = _command(commands, "plans", "plans.listed", "list the plans: state, progress, cost")
    _archived(plans)
    inner = plans.add_subparsers(dest="what", metavar="WHAT")
    _archived(_command(inner, "list", "plans.listed", "list them, the last changed first"))
    _plan(_command(inner, "show", "plans.shown", "show a plan and its steps, with why each waits"))
    run = _command(inner, "run", "plans.started", "start what is left of a plan, or one of its steps")
    _plan(run)
    _step(run, nargs="?")
    run.add_argument(
        "--continue", dest="resume", action="store_true", help="continue the session of the last run of STEP"
    )
    _wait(run)
    skip = _command(inner, "skip", "plans.skipped", "skip a step: the steps that depend on it can begin without it")
    _plan(skip)
    _step(skip)
    _plan(_command(inner, "pause", "plans.paused", "pause a plan: steps that are running finish"))
    imported = _command(inner, "import", "plans.imported", "create a plan from a YAML file")
    imported.add_argument("file", metavar="FILE")
    imported.add_argument("--run", action="store_true", help="start it at once")
    _wait(imported)
    about = "choose the checklist of a plan again, after its file was renamed or moved"
    checklist = _command(inner, "checklist", "plans.chosen", about)
    _plan(checklist)
    checklist.add_argument("file", metavar="FILE", help="the file at its new path")
    _plan(_command(inner, "export", "plans.exported", "print a plan as YAML"))
    _command(inner, "queue", "plans.queued", "list the running and queued steps of all plans")


def _add_checklist(commands: Any) -> None:
    work = _command(commands, "work", "plans.worked", "work through the tasks of a Markdown checklist, in order")
    work.add_argument("--plan", required=True, metavar="FILE", help="the checklist, such as PLAN.md")
    work.add_argument("--agent", type=_name, help="agent that carries the tasks out")
    work.add_argument("--runtime", help="agent CLI that carries them out, instead of an agent")
    work.add_argument("--domain", choices=("general", "coding", "research", "ops"), help="kind of the work")
    work.add_argument("--verify", metavar="COMMAND", help="program that must succeed before a task counts as done")
    commit = "commit what each task has changed to git; on by default for --domain coding"
    work.add_argument("--commit", action=argparse.BooleanOptionalAction, default=None, help=commit)
    work.add_argument("--max-cost", type=float, metavar="USD", help="pause when the runs have cost this much")
    work.add_argument("--max-runs", type=int, metavar="N", help="pause after so many runs")
    work.add_argument("--max-minutes", type=float, metavar="N", help="begin no task after so many minutes")
    _wait(work)


def _plan(command: Any) -> None:
    command.add_argument("id", metavar="PLAN", help="its id, the end of it, or its title")


def _step(command: Any, **options: Any) -> None:
    command.add_argument("step", metavar="STEP", help="a step of the plan: its number, its title, or its id", **options)


def _archived(command: Any) -> None:
    command.add_argument("--archived", action="store_true", help="list the archived plans instead")


def _add_plays(commands: Any) -> None:
    plays = _command(commands, "plays", "plays.listed", "list the plays: agent, schedule, next time")
    run = _command(plays.add_subparsers(dest="what", metavar="WHAT"), "run", "plays.started", "start a play now")
    _slug(run, "PLAY")
    run.add_argument("inputs", nargs="*", metavar="KEY=VALUE", help="an input of the play")
    _wait(run)


def _add_skills(commands: Any) -> None:
    skills = _command(commands, "skills", "skills.listed", "list the skills: state, agents that list them")
    inner = skills.add_subparsers(dest="what", metavar="WHAT")
    _command(inner, "list", "skills.listed", "list them, by name")
    _slug(_command(inner, "show", "skills.shown", "show one skill with all its files"), "SKILL")
    added = _command(inner, "add", "skills.added", "add a skill, which waits until a person has approved it")
    added.add_argument("source", metavar="FOLDER", help="a folder below the server's root, or a zip file here")


def _add_tool_servers(commands: Any) -> None:
    about = "list the tool servers: approved tools, agents that list them"
    inner = _command(commands, "tool-servers", "tool_servers.listed", about).add_subparsers(dest="what", metavar="WHAT")
    _command(inner, "list", "tool_servers.listed", "list them, by name")
    _command(inner, "of-clis", "tool_servers.of_clis", "list those that the agent CLIs have themselves")
    _slug(_command(inner, "show", "tool_servers.shown", "show one tool server with all its tools"), "NAME")


def _add_approvals(commands: Any) -> None:
    about = "list what waits for a person: requests and questions, proposed souls and tool servers, skills"
    _command(commands, "approvals", "approvals.listed", about)


def _add_runs(commands: Any) -> None:
    runs = _command(commands, "runs", "runs.listed", "list the runs, newest first")
    runs.add_argument("--agent", help="only runs of this agent")
    runs.add_argument("--state", help="only runs in this state, such as failed")
    runs.add_argument("--limit", type=int, default=20, help="maximum number; 20 by default, at most 200")
    inner = runs.add_subparsers(dest="what", metavar="WHAT")
    for name, about in (("show", "show how a run ended, its effects and its answer"), ("cancel", "end a run")):
        work = "runs.shown" if name == "show" else "runs.cancelled"
        _command(inner, name, work, about).add_argument("id", metavar="RUN", type=_run_id)


def _add_changes(commands: Any) -> None:
    changes = _command(commands, "changes", "changes.shown", "show the changes of a run")
    changes.add_argument("id", metavar="RUN", type=_run_id)
    changes.add_argument("--patch", action="store_true", help="also show the lines of every file")
    changes.add_argument("--file", metavar="PATH", help="show only the lines of this file")


def _add_activity(commands: Any) -> None:
    activity = _command(
        commands, "activity", "activity.shown", ("list the activity of agents: who requested it, changes and cost")
    )
    activity.add_argument("--person", help="only runs that this person has requested, by user name or display name")
    for name in ("agent", "runtime", "kind", "state"):
        activity.add_argument(f"--{name}", help=f"only runs of this {name}")
    activity.add_argument("--path", help="only runs about this document, or one in this folder")
    activity.add_argument(
        "--since",
        type=_time,
        metavar="TIME",
        help=("only runs requested at or after this time, such as 2026-03-01T08:00"),
    )
    activity.add_argument("--until", type=_time, metavar="TIME", help="only runs requested before this time")
    activity.add_argument("--changed", action="store_true", help="only runs that have changed files")
    activity.add_argument("--asked", action="store_true", help="only runs that have asked something")
    activity.add_argument("--query", dest="q", metavar="WORDS", help="only runs with this text in the instruction")
    activity.add_argument("--limit", type=int, default=20, help="maximum number; 20 by default, at most 200")
    activity.add_argument(
        "--export",
        type=_export_file,
        metavar="FILE",
        help="write all of it to a new file that ends in .jsonl or .ipynb",
    )


def _add_sessions(commands: Any) -> None:
    sessions = _command(commands, "sessions", "sessions.listed", "list the sessions that agent CLIs keep on disk")
    _session_filters(sessions)
    inner = sessions.add_subparsers(dest="what", metavar="WHAT")
    _session_filters(_command(inner, "list", "sessions.listed", "list them, the most recently used first"))
    found = _command(inner, "search", "sessions.listed", "list those in which all words occur in one entry")
    found.add_argument("query", metavar="WORDS", help="the words")
    _session_filters(found, with_query=False)
    _session(_command(inner, "show", "sessions.shown", "show one session: what was asked and answered"))
    _session(_command(inner, "health", "sessions.judged", "show the grade of a session and its reasons"))
    export = _command(inner, "export", "sessions.exported", "write a session to a new file")
    _session(export)
    export.add_argument("--to", required=True, metavar="FILE", help="a file that ends in .md, .json or .ipynb")
    _command(inner, "reindex", "sessions.reindexed", "read all transcripts again, in the background")


def _session(command: Any) -> None:
    command.add_argument("id", metavar="SESSION", type=_run_id, help="its id, or the beginning of it")


def _session_filters(command: Any, *, with_query: bool = True) -> None:
    if with_query:
        command.add_argument("--query", metavar="WORDS", help="only those in which all words occur in one entry")
    command.add_argument("--runtime", help="only sessions of this runtime")
    command.add_argument("--project", metavar="FOLDER", help="only sessions of this working directory")
    command.add_argument("--tag", help="only sessions with this tag")
    command.add_argument("--grade", choices=tuple("ABCDF"), help="only sessions with this grade")
    command.add_argument("--limit", type=int, default=20, help="maximum number; 20 by default, at most 200")


def _add_channels(commands: Any) -> None:
    channels = _command(commands, "channels", "channels.listed", "list the chat channels: state, agent, accounts")
    inner = channels.add_subparsers(dest="what", metavar="WHAT")
    _command(inner, "list", "channels.listed", "list them, the oldest first")
    messages = _command(inner, "messages", "channels.messages", "list the messages of a channel, newest first")
    messages.add_argument("channel", metavar="CHANNEL", help="its title or id")
    messages.add_argument("--query", metavar="TEXT", help="only messages with this text")
    messages.add_argument("--limit", type=int, default=20, help="maximum number; 20 by default, at most 200")
    export = _command(inner, "export", "channels.exported", "write the messages of a channel, a file for each day")
    export.add_argument("channel", metavar="CHANNEL", help="its title or id")
    export.add_argument(
        "--to", required=True, metavar="FOLDER", help="where the files are written, such as 2026-03-01.md"
    )
    _command(inner, "accounts", "channels.accounts", "list the connected accounts: whose they are, what they may do")


def _time(text: str) -> Any:
    from .activity import point_in_time

    return point_in_time(text)


def _export_file(text: str) -> Any:
    from .activity import export_file

    return export_file(text)


def _add_database(commands: Any) -> None:
    database = commands.add_parser("database", help="move the records of a stopped server to another database")
    inner = database.add_subparsers(dest="what", required=True, metavar="WHAT")
    copy = inner.add_parser("copy", help="copy all records to an empty database, and compare the copy")
    copy.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON for programs")
    copy.add_argument("--to", required=True, metavar="URL", help="the empty database, as in CabinetApp.db_url")
    copy.add_argument("--from", dest="source", metavar="URL", help="the database to copy; by default that of --root")
    copy.add_argument("--root", default=".", help="the server's root folder; by default the current directory")
    copy.set_defaults(work="without_server.database.copied", needs_server=False)


def _add_doctor(commands: Any) -> None:
    doctor = commands.add_parser("doctor", help="show what was found, what is missing and how to install it")
    doctor.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON for programs")
    doctor.add_argument("--root", default=".", help="the server's root folder; by default the current directory")
    doctor.set_defaults(work="without_server.doctor.examined", needs_server=False)


def _command(commands: Any, name: str, work: str, about: str) -> Any:
    """Add a command that talks to a server. `work`: its file in `commands/` and its function there."""
    made = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    # without a default: an inner command's would override a value given before its name
    made.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON for programs")
    made.add_argument(
        "--url", default=argparse.SUPPRESS, help=("address of the server, instead of the one that is found")
    )
    made.add_argument(
        "--token",
        default=argparse.SUPPRESS,
        help="the server's token. The environment variable JUPYTER_TOKEN is safer: other users can see a command line",
    )
    made.set_defaults(work=work, needs_server=True)
    return made


def _slug(command: Any, metavar: str = "AGENT") -> None:
    command.add_argument("slug", metavar=metavar, type=_name)


def _wait(command: Any) -> None:
    command.add_argument("--wait", action="store_true", help="wait until its end, and print the result")


def _name(text: str) -> str:
    """Check a name that becomes part of an address."""
    from ..core.slugs import is_slug

    if not is_slug(text):
        raise argparse.ArgumentTypeError("a name consists of lowercase letters, digits and hyphens")
    return text


def _run_id(text: str) -> str:
    if not text or not all(each.isascii() and (each.isalnum() or each == "-") for each in text):
        raise argparse.ArgumentTypeError("this is not the id of a run; `jupyter cabinet runs` lists them")
    return text

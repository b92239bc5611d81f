"""The server extension: its settings, its routes, its start and stop. `backend.py` builds the services."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from jupyter_core.paths import jupyter_data_dir, jupyter_runtime_dir
from jupyter_server.extension.application import ExtensionApp
from traitlets import Bool, Dict, Enum, Float, Int, List, Unicode, default
from traitlets.config import Config

from .agents.settings import AgentSettings
from .changes.settings import ChangeSettings
from .core.errors import CabinetError, Invalid
from .core.version import VERSION
from .core.worker_threads import end_with_the_process
from .documents.live_documents import LiveDocuments
from .documents.renames import hear_of_moves
from .documents.save_guard import SaveGuard
from .storage.hidden_state import HiddenState
from .terminals.settings import TerminalSettings
from .web.chat_page.handlers import PAGES
from .web.guard import PATTERN, StateHandler, guarded_files, hide_from_contents
from .web.identity import SHARED_LOGIN
from .web.jupyter_paths import jupyter_paths
from .web.last_activity import LastActivity
from .web.operator_log import OperatorLog
from .web.routes import PREFIX, ROUTES, pattern
from .web.server_status import ServerStatus

if TYPE_CHECKING:
    from .backend import Backend
    from .execution.settings import ExecutionSettings
    from .runners.port import RunnerName
    from .runs.settings import RunSettings, SandboxSetting
    from .trust.model import TrustPolicy


TERMINALS = TerminalSettings()  # where the defaults are
AGENTS = AgentSettings()
CHANGES = ChangeSettings()
STOP_LOG_SECONDS = 2
STOP_SECONDS = 25  # after which the server ends without the rest: its launchers end what they have started
SHARED_MANAGER = "jupyter_cabinet.web.stock_terminals.SharedTerminalManager"


class CabinetApp(ExtensionApp):
    """Jupyter Cabinet's settings. Set them as `c.CabinetApp.…` or `--CabinetApp.…`."""

    name = "jupyter_cabinet"
    app_name = "Jupyter Cabinet"
    description = "A cabinet of working agents in JupyterLab."
    version = VERSION
    load_other_extensions = True
    file_url_prefix = "/lab/tree"

    trust = Enum(
        ["ask", "always"],
        "ask",
        config=True,
        help="`ask`: agents run only below a root directory that a person has confirmed in the browser. `always`:"
        " agents run without this confirmation, for automation; accepted only on the command line or in a"
        " configuration file outside the root directory.",
    )
    db_url = Unicode("", config=True, help="SQLAlchemy URL of the database. Default: SQLite in `.cabinet/cabinet.db`.")
    default_runtime = Unicode(
        os.environ.get("JUPYTER_CABINET_RUNTIME", ""),
        config=True,
        help="Runtime for runs that name none. Default: the first agent CLI that is found, otherwise `demo`.",
    )
    runtimes = List(Unicode(), config=True, help="Names of the runtimes from other packages that people may use.")
    runtime_paths = Dict(config=True, help="Paths of CLIs, by the runtime's name, if they are not found automatically.")
    runtime_env = List(
        Unicode(), config=True, help="Additional environment variables for agent CLIs; `PREFIX_*` is allowed."
    )
    acp_agents = Dict(
        value_trait=List(Unicode()),
        config=True,
        help="Command lines of agents that speak the Agent Client Protocol, each with a name that you choose.",
    )
    max_concurrent_runs = Int(
        5, min=1, config=True, help="Maximum number of simultaneous runs. Others wait in the queue."
    )
    default_permission_mode = Enum(
        ["ask", "edit"], "edit", config=True, help=("Permission mode for runs that name none.")
    )
    sandbox = Enum(
        ["unattended", "always", "never"],
        "unattended",
        config=True,
        help="Which runs are isolated in a sandbox (bubblewrap, on Linux). `unattended`: runs that no person has"
        " started by hand, if this machine can isolate them. `always`: all runs, and a run that"
        " cannot be isolated is refused. `never`: none.",
    )
    cluster = Unicode(
        "",
        config=True,
        help="Scheduler of the Dask cluster on which runs can start: its address, such as `tls://host:8786`, or the"
        " path of its scheduler file. Dask's own configuration has the keys for TLS. Default: none.",
    )
    docker_image = Unicode(
        "",
        config=True,
        help="Image of the containers in which runs can work, through Docker or podman on this machine. Default: none.",
    )
    runner = Enum(
        ["local", "dask", "docker"],
        "local",
        config=True,
        help="Where runs without a terminal start that do not choose: `local` (this machine), `dask` (the cluster) or"
        " `docker` (a container). A run in a terminal always works on this machine.",
    )
    allow_bypass = Bool(False, config=True, help="Whether people may choose the permission mode *No questions*.")
    run_limit_seconds = Float(30 * 60, min=1, config=True, help="Working time after which a run is stopped.")
    run_limit_memory_gib = Float(
        0,
        min=0,
        config=True,
        help="Memory of all processes of a run, above which they are ended. 0: three quarters of this machine's.",
    )
    run_limit_threads = Int(
        2048,
        min=64,
        config=True,
        help="Number of processes and threads of a run, above which they are ended.",
    )
    silence_limit_seconds = Float(10 * 60, min=1, config=True, help="Time without output after which a run is stopped.")
    approval_seconds = Float(
        10 * 60,
        min=1,
        config=True,
        help=(
            "Time after which an unanswered question of an agent is denied. A question that is also shown in a "
            "terminal stays open there."
        ),
    )
    max_turns = Int(
        25,
        min=1,
        max=1000,
        config=True,
        help=("Number of the model's turns after which a run ends, for CLIs that can enforce it."),
    )
    idle_cli_seconds = Float(
        30 * 60, min=1, config=True, help="Time without a viewer or a key press after which a session's CLI is closed."
    )

    agent_time_zone = Unicode(
        AGENTS.time_zone, config=True, help="Time zone (IANA name) of agents and plays that name none."
    )
    agent_runs_per_day = Int(
        AGENTS.runs_per_day, min=0, config=True, help=("Maximum number of runs of one agent per day.")
    )
    agent_daily_cost_usd = Float(
        AGENTS.daily_cost_usd,
        min=0,
        config=True,
        help="Maximum cost of one agent per day, in USD, as reported by the CLIs. An agent can set its own limit.",
    )
    agent_heartbeat_seconds = Float(
        AGENTS.heartbeat_seconds,
        min=1,
        config=True,
        help="Maximum working time of a heartbeat's first attempt. An agent can set its own limit.",
    )
    agent_retry_seconds = Float(
        AGENTS.heartbeat_again_seconds,
        min=1,
        config=True,
        help="Maximum working time of each further attempt of a heartbeat.",
    )
    agent_reply_seconds = Float(
        AGENTS.reply_seconds, min=1, config=True, help="Maximum working time of an agent's answer when it is mentioned."
    )
    agent_failures_before_pause = Int(
        AGENTS.failures_before_pause,
        min=1,
        config=True,
        help=("Number of consecutive failed runs after which an agent is paused."),
    )

    terminal_shell = List(
        Unicode(),
        config=True,
        help=(
            "Program and arguments of a new shared terminal. Default: `$SHELL`, otherwise `/bin/sh`, with `-l` if "
            "the server was not started from a terminal."
        ),
    )
    terminal_idle_seconds = Float(
        TERMINALS.terminal_idle_seconds,
        allow_none=True,
        min=1,
        config=True,
        help="Time without a viewer, key press or output after which a shared terminal is closed. A terminal with an "
        "agent is never closed. Default: never.",
    )
    control_idle_seconds = Float(
        TERMINALS.control_idle_seconds,
        allow_none=True,
        min=1,
        config=True,
        help="Time without a key press after which control of a terminal becomes free. Default: never.",
    )

    record_terminals = Enum(
        ["agents", "all", "none"],
        TERMINALS.record_terminals,
        config=True,
        help="Which terminals are recorded by default: `agents` (terminals with an agent), `all` or `none`.",
    )
    recordings_days = Float(
        TERMINALS.recordings_days, min=0, config=True, help="Days after which a recording is removed."
    )
    recordings_megabytes = Float(
        TERMINALS.recordings_megabytes,
        min=1,
        config=True,
        help="Maximum size of all recordings together. Beyond it, the oldest are removed.",
    )
    changes_folder_files = Int(
        CHANGES.changes_folder_files,
        min=0,
        config=True,
        help=(
            "A folder with at most this many files is compared completely before and after a run. In a larger folder, "
            "only some files are compared."
        ),
    )
    changes_folder_megabytes = Float(
        CHANGES.changes_folder_megabytes,
        min=0,
        config=True,
        help="The same limit for the total size of the folder's files, in MB.",
    )
    changes_excluded = List(
        Unicode(),
        config=True,
        help="Patterns, as in a `.gitignore`, for paths below the root directory that are excluded from the changes of"
        " runs.",
    )
    changes_days = Float(
        CHANGES.changes_days, min=0, config=True, help="Days after which the contents of a run's changes are removed."
    )
    changes_megabytes = Float(
        CHANGES.changes_megabytes,
        min=1,
        config=True,
        help="Maximum size of the contents of all runs' changes together. Beyond it, the contents of the oldest runs"
        " are removed.",
    )
    session_index = Bool(
        True,
        config=True,
        help=(
            "Whether the sessions that agent CLIs keep in the home directory of the server's user are indexed, for the"
            " Past sessions panel. Nothing of them leaves the machine."
        ),
    )
    event_texts = Bool(
        False,
        config=True,
        help=(
            "Whether events for an operator's own log (`c.EventLogger.handlers`) include instructions, answers, "
            "questions and paths."
        ),
    )
    share_jupyter_terminals = Bool(
        False,
        config=True,
        help=("Whether JupyterLab's own terminals are shared terminals too, with one person typing at a time."),
    )

    schedules_keep_server = Bool(
        False,
        config=True,
        help=(
            "Whether a scheduled heartbeat or play counts as activity of the server. If it does, neither "
            "`ServerApp.shutdown_no_activity_timeout` nor the culler of a JupyterHub stops the server before then."
        ),
    )

    _backend: Backend | None = None
    _activity: LastActivity | None = None
    _unhear: Callable[[], None] = staticmethod(lambda: None)
    _operator_log: OperatorLog | None = None

    @default("log")
    def _log_default(self) -> logging.Logger:
        """The logger of all our modules; traitlets' own would print besides the server's, with another level."""
        return logging.getLogger(__package__)

    @default("config_file_name")
    def _default_config_file_name(self) -> str:
        return "jupyter_cabinet_config"  # Jupyter would put another `jupyter_` before the name

    def _link_jupyter_server_extension(self, serverapp: Any) -> None:
        """Linked before `jupyter_server_terminals`, which takes its manager's class from the server's configuration."""
        super()._link_jupyter_server_extension(serverapp)
        # It uses the server's handlers, format and level, like tornado's loggers. Not earlier: at the level DEBUG,
        # traitlets logs every setting that it reads there, including a token.
        self.log.parent = serverapp.log
        if self.share_jupyter_terminals:
            serverapp.update_config(Config(TerminalsExtensionApp=Config(terminal_manager_class=SHARED_MANAGER)))

    def initialize_handlers(self) -> None:
        idle_stop = 0 if self.schedules_keep_server else self._server().shutdown_no_activity_timeout
        self._status = ServerStatus(
            root_name=self._root().name or "/",
            allow_bypass=self.allow_bypass,
            sandbox=cast("SandboxSetting", self.sandbox),
            runner=cast("RunnerName", self.runner),
            idle_stop_seconds=idle_stop if idle_stop > 0 else None,
        )
        self.handlers.append((PATTERN, StateHandler))
        self.handlers.extend(
            (rf"/{PREFIX}/{pattern(path)}", handler, {"server_status": self._status}) for path, handler in ROUTES
        )
        self.handlers.extend((f"/{path}", handler) for path, handler in PAGES)
        contents, hidden = self._server().contents_manager, HiddenState(self._root())
        hide_from_contents(contents, hidden)
        self.handlers.extend(guarded_files(contents, hidden))
        live = LiveDocuments(self._server(), self._status.clock)
        self._saves = SaveGuard(contents, self._root(), self._status.clock, live)

    async def _start_jupyter_server_extension(self, serverapp: Any) -> None:
        """Open the services. If that fails, the interface shows why, and the server continues."""
        end_with_the_process()
        try:
            # SQLAlchemy and the services are imported off the loop, when the server has already started
            self._backend = await asyncio.to_thread(self._build)
            await self._backend.open()
            self._status.serve(self._backend)
            self._saves.watch(self._backend.bus, self._backend.changes)
            followers = (self._backend.changes.moved, self._backend.editor.document_moved)
            self._unhear = hear_of_moves(self._server().event_logger, *followers)
            self._operator_log = OperatorLog(self._server().event_logger, texts=self.event_texts)
            self._operator_log.watch(self._backend.bus)
            self._share_terminals(self._backend)
            self._activity = self._tell_activity(self._backend)
        except CabinetError as error:
            self._status.trouble = error.message
            self.log.error("Jupyter Cabinet could not start: %s", error.message)
        except Exception:
            self._status.trouble = "Cabinet could not start. The reason is in the server's log."
            self.log.exception("Jupyter Cabinet could not start")

    def _tell_activity(self, backend: Backend) -> LastActivity:
        activity = LastActivity(
            self._server().web_app.settings,
            backend,
            patience_seconds=self.approval_seconds,
            schedules_count=self.schedules_keep_server,
        )
        activity.start()
        return activity

    def current_activity(self) -> bool:
        """Return whether Cabinet is busy. Jupyter asks before it stops an idle server."""
        return self._activity is not None and self._activity.is_busy()

    def _share_terminals(self, backend: Backend) -> None:
        if not self.share_jupyter_terminals:
            return
        from .web.stock_terminals import SharedTerminalManager

        manager = self._server().web_app.settings.get("terminal_manager")
        if isinstance(manager, SharedTerminalManager):
            manager.serve(backend.terminals, backend.bus, self._status.clock)
        else:
            self.log.error("CabinetApp.share_jupyter_terminals has no effect: %r manages the terminals.", manager)

    async def stop_extension(self) -> None:
        """End every run and terminal; no process remains."""
        backend, self._backend = self._backend, None
        self._unhear()
        if self._activity is not None:
            await self._activity.stop()
        if backend is not None:
            self._status.trouble = "The server is stopping."
            closing = asyncio.create_task(backend.close())
            _, late = await asyncio.wait([closing], timeout=STOP_SECONDS)
            if late:
                self.log.error("Cabinet did not stop within %d s. It waits for: %s", STOP_SECONDS, _what_it_waits_for())
                closing.cancel()
            await asyncio.gather(closing, return_exceptions=bool(late))
            if self._operator_log is not None:  # the last events are the ends of runs
                await self._operator_log.stop(STOP_LOG_SECONDS)

    def _build(self) -> Backend:
        from .backend import Backend, BackendSettings
        from .notebook_tools.jupyter_kernels import JupyterKernels

        backend = Backend(
            BackendSettings(
                root=self._root(),
                data=Path(jupyter_data_dir()) / "cabinet",
                run_directories=_run_directories(),
                environment=dict(os.environ),
                secrets=self._secrets(),
                trust=self._trust_policy(),
                db_url=self.db_url,
                default_runtime=self.default_runtime,
                enabled_runtimes=frozenset(self.runtimes),
                runtime_paths=dict(self.runtime_paths),
                runtime_env=tuple(self.runtime_env),
                acp_agents=dict(self.acp_agents),
                cluster=self.cluster,
                docker_image=self.docker_image,
                approval_seconds=self.approval_seconds,
                runs=self._run_settings(),
                execution=self._execution_settings(),
                agents=self._agent_settings(),
                terminals=self._terminal_settings(),
                changes=self._change_settings(),
                session_index=self.session_index,
                shared_login=type(self._server().identity_provider) in SHARED_LOGIN,
                own_port=self._server().port or 0,
                jupyter_paths=jupyter_paths(self._server()),
            ),
            clock=self._status.clock,
        )
        backend.notebook_tools.connect(JupyterKernels(self._server()))
        return backend

    def _change_settings(self) -> ChangeSettings:
        values = {name: getattr(self, name) for name in ChangeSettings.__struct_fields__}
        return ChangeSettings(**{**values, "changes_excluded": tuple(self.changes_excluded)})

    def _run_settings(self) -> RunSettings:
        from .runs.rules.limits import RunLimits
        from .runs.settings import RunSettings
        from .sandboxes.resources import memory_of_machine

        memory = int(self.run_limit_memory_gib * 2**30) or memory_of_machine() * 3 // 4
        return RunSettings(
            max_concurrent_runs=self.max_concurrent_runs,
            default_permission_mode="ask" if self.default_permission_mode == "ask" else "edit",
            sandbox=cast("SandboxSetting", self.sandbox),
            runner=cast("RunnerName", self.runner),
            allow_bypass=self.allow_bypass,
            limits=RunLimits(
                working_seconds=self.run_limit_seconds,
                silent_seconds=self.silence_limit_seconds,
                memory_bytes=memory,
                threads=self.run_limit_threads,
            ),
        )

    def _execution_settings(self) -> ExecutionSettings:
        from .execution.settings import ExecutionSettings

        return ExecutionSettings(idle_cli_seconds=self.idle_cli_seconds, max_turns=self.max_turns)

    def _agent_settings(self) -> AgentSettings:
        from .schedules.schedule_parser import parse_zone

        try:
            zone = parse_zone(self.agent_time_zone)
        except Invalid as error:
            raise Invalid(f"CabinetApp.agent_time_zone: {error.message}") from error
        return AgentSettings(
            time_zone=zone,
            runs_per_day=self.agent_runs_per_day,
            daily_cost_usd=self.agent_daily_cost_usd,
            heartbeat_seconds=self.agent_heartbeat_seconds,
            heartbeat_again_seconds=self.agent_retry_seconds,
            reply_seconds=self.agent_reply_seconds,
            failures_before_pause=self.agent_failures_before_pause,
        )

    def _terminal_settings(self) -> TerminalSettings:
        return TerminalSettings(
            terminal_shell=tuple(self.terminal_shell) or _default_shell(),
            terminal_idle_seconds=self.terminal_idle_seconds,
            control_idle_seconds=self.control_idle_seconds,
            record_terminals=cast("Literal['agents', 'all', 'none']", self.record_terminals),
            recordings_days=self.recordings_days,
            recordings_megabytes=self.recordings_megabytes,
        )

    def _server(self) -> Any:
        assert self.serverapp is not None, "the extension is linked before it is asked for anything"
        return self.serverapp

    def _root(self) -> Path:
        return Path(self._server().root_dir).resolve()

    def _secrets(self) -> tuple[str, ...]:
        """Return the secrets that must never be in a log, event or record."""
        cookie = self._server().cookie_secret
        texts = [self._server().identity_provider.token, cookie.decode(errors="ignore"), cookie.hex()]
        return tuple(text for text in texts if text)

    def _trust_policy(self) -> TrustPolicy:
        """Check `always`, which counts on the command line, or if no configuration file is below the root directory."""
        if self.trust == "always" and "trust" not in self._server().cli_config.get("CabinetApp", {}):
            below = [name for name in self._loaded_files() if Path(name).resolve().is_relative_to(self._root())]
            if below:
                self.log.warning("CabinetApp.trust=always is ignored: %s is below the root directory.", below[0])
                return "ask"
        return "always" if self.trust == "always" else "ask"

    def _loaded_files(self) -> list[str]:
        return [*self._server().loaded_config_files, *self.loaded_config_files]


def _default_shell() -> tuple[str, ...]:
    """Like Jupyter's own terminals: without its own terminal the server has not read the person's profile."""
    shell = os.environ.get("SHELL") or "/bin/sh"
    return (shell,) if sys.stdout is not None and sys.stdout.isatty() else (shell, "-l")


def _run_directories() -> Path:
    """Return the folder for run directories: never below the root, and removed with the login session if possible."""
    session = os.environ.get("XDG_RUNTIME_DIR")
    return Path(session or jupyter_runtime_dir()) / "jupyter-cabinet"


def _what_it_waits_for() -> str:
    """Return the positions in the code, for a bug report."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    frames = [frame for task in others for frame in task.get_stack(limit=1)]
    return ", ".join(sorted(f"{frame.f_code.co_qualname}:{frame.f_lineno}" for frame in frames))

"""The server extension: its settings. `web/jupyter/jupyter_integration.py` starts and stops the services."""

from __future__ import annotations

import logging
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from jupyter_core.paths import jupyter_data_dir
from jupyter_server.extension.application import ExtensionApp
from traitlets import Bool, Dict, Enum, Float, Int, List, Unicode, default
from traitlets.config import Config

from .agents.settings import AgentSettings
from .changes.settings import ChangeSettings
from .core.errors import Invalid
from .core.version import VERSION
from .terminals.settings import TerminalSettings, default_shell
from .web.identity import SHARED_LOGIN, secrets_of
from .web.jupyter.jupyter_integration import JupyterIntegration
from .web.jupyter.jupyter_paths import jupyter_paths, run_directories
from .web.server_status import ServerStatus

if TYPE_CHECKING:
    from .backend import Backend
    from .core.clock import Clock
    from .runners.port import RunnerName
    from .runs.settings import RunSettings, SandboxSetting
    from .trust.model import TrustPolicy


TERMINALS = TerminalSettings()  # where the defaults are
AGENTS = AgentSettings()
CHANGES = ChangeSettings()
SHARED_MANAGER = "jupyter_cabinet.web.jupyter.stock_terminals.SharedTerminalManager"


T = TypeVar("T", bound=msgspec.Struct)


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
        ["ask", "edit"], "edit", config=True, help="Permission mode for runs that name none."
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
        help="Where runs start that do not choose: `local` (this machine), `dask` (the cluster; runs in terminals start"
        " on this machine) or `docker` (a container).",
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
        help="Time after which an unanswered question of an agent is denied. A question that is also shown in a "
        "terminal stays open there.",
    )
    max_turns = Int(
        25,
        min=1,
        max=1000,
        config=True,
        help="Number of the model's turns after which a run ends, for CLIs that can enforce it.",
    )
    idle_cli_seconds = Float(
        30 * 60, min=1, config=True, help="Time without a viewer or a key press after which a session's CLI is closed."
    )

    agent_time_zone = Unicode(
        AGENTS.time_zone, config=True, help="Time zone (IANA name) of agents and plays that name none."
    )
    agent_runs_per_day = Int(
        AGENTS.runs_per_day, min=0, config=True, help="Maximum number of runs of one agent per day."
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
        help="Number of consecutive failed runs after which an agent is paused.",
    )

    terminal_shell = List(
        Unicode(),
        config=True,
        help="Program and arguments of a new shared terminal. Default: `$SHELL`, otherwise `/bin/sh`, with `-l` if "
        "the server was not started from a terminal.",
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
        help="A folder with at most this many files is compared completely before and after a run. In a larger folder, "
        "only some files are compared.",
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
        help="Whether the sessions that agent CLIs keep in the home directory of the server's user are indexed, for the"
        " Past sessions panel. Nothing of them leaves the machine.",
    )
    event_texts = Bool(
        False,
        config=True,
        help="Whether events for an operator's own log (`c.EventLogger.handlers`) include instructions, answers, "
        "questions and paths.",
    )
    share_jupyter_terminals = Bool(
        False,
        config=True,
        help="Whether JupyterLab's own terminals are shared terminals too, with one person typing at a time.",
    )

    schedules_keep_server = Bool(
        False,
        config=True,
        help="Whether a scheduled heartbeat or play counts as activity of the server. If it does, neither "
        "`ServerApp.shutdown_no_activity_timeout` nor the culler of a JupyterHub stops the server before then.",
    )

    _jupyter: JupyterIntegration | None = None

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
        status = ServerStatus(
            root_name=self._root().name or "/",
            allow_bypass=self.allow_bypass,
            sandbox=cast("SandboxSetting", self.sandbox),
            runner=cast("RunnerName", self.runner),
            idle_stop_seconds=idle_stop if idle_stop > 0 else None,
        )
        self._jupyter = JupyterIntegration(self._server(), self._root(), status, self.log)
        self.handlers.extend(self._jupyter.connect())

    async def _start_jupyter_server_extension(self, serverapp: Any) -> None:
        assert self._jupyter is not None, "the handlers are initialized before the server starts"
        await self._jupyter.start(
            partial(self._build, self._jupyter.status.clock),
            event_texts=self.event_texts,
            share_terminals=self.share_jupyter_terminals,
            patience_seconds=self.approval_seconds,
            schedules_count=self.schedules_keep_server,
        )

    def current_activity(self) -> bool:
        """Return whether Cabinet is busy. Jupyter asks before it stops an idle server."""
        return self._jupyter is not None and self._jupyter.is_busy()

    async def stop_extension(self) -> None:
        """End every run and terminal; no process remains."""
        if self._jupyter is not None:
            await self._jupyter.stop()

    def _build(self, clock: Clock) -> Backend:
        from .backend import Backend, BackendSettings
        from .execution.settings import ExecutionSettings
        from .notebook_tools.jupyter_kernels import JupyterKernels

        backend = Backend(
            self._named(
                BackendSettings,
                root=self._root(),
                data=Path(jupyter_data_dir()) / "cabinet",
                run_directories=run_directories(),
                environment=dict(os.environ),
                secrets=secrets_of(self._server()),
                trust=self._trust_policy(),
                enabled_runtimes=frozenset(self.runtimes),
                runtime_env=tuple(self.runtime_env),
                runs=self._run_settings(),
                execution=self._named(ExecutionSettings),
                agents=self._agent_settings(),
                terminals=self._named(TerminalSettings, terminal_shell=tuple(self.terminal_shell) or default_shell()),
                changes=self._named(ChangeSettings, changes_excluded=tuple(self.changes_excluded)),
                shared_login=type(self._server().identity_provider) in SHARED_LOGIN,
                own_port=self._server().port or 0,
                jupyter_paths=jupyter_paths(self._server()),
            ),
            clock=clock,
        )
        backend.notebook_tools.connect(JupyterKernels(self._server()))
        return backend

    def _named(self, kind: type[T], **others: Any) -> T:
        """Return settings of a kind: `others`, and from this configuration all that have the same name there."""
        names = [name for name in kind.__struct_fields__ if name not in others and self.has_trait(name)]
        return kind(**{name: getattr(self, name) for name in names}, **others)

    def _run_settings(self) -> RunSettings:
        from .runs.rules.limits import RunLimits
        from .runs.settings import RunSettings
        from .sandboxes.process_table.resources import memory_of_machine

        memory = int(self.run_limit_memory_gib * 2**30) or memory_of_machine() * 3 // 4
        limits = RunLimits(
            working_seconds=self.run_limit_seconds,
            silent_seconds=self.silence_limit_seconds,
            memory_bytes=memory,
            threads=self.run_limit_threads,
        )
        return self._named(RunSettings, limits=limits)

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

    def _server(self) -> Any:
        assert self.serverapp is not None, "the extension is linked before it is asked for anything"
        return self.serverapp

    def _root(self) -> Path:
        return Path(self._server().root_dir).resolve()

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

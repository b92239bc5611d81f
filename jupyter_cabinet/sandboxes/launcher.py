"""The launcher: the parent of one program of ours, and the only process that waits for its descendants.

A separate program, started as `python -I -S launcher.py terminal|pipes CONTROL_FD`: stdlib only, it imports nothing of
this package. It is one file, because `-I` keeps its folder out of the search path: modules beside it could otherwise
replace those of the standard library. `control.py` is the server's end. Both speak one JSON object per line:

    server → launcher   go {argv, cwd, environment, sheltered, created} · signal {name} · stop
    launcher → server   ready {pid, started_at} · started {pid} | failed {stage, errno, message}
                        · exited {code, signal} · done {survivors}

`sheltered`: the program is a sandbox around another one, which gets the gentle signals. `created`: files and folders to
remove at the end if they are empty and the server has died; otherwise the server does it (`mount_places.py`).

Nothing is executed before `go`. As a child subreaper the launcher inherits every process that outlives its own parent,
so "I have no child left" (ECHILD) proves that no descendant is left. When the control channel ends (the server died)
everything is ended at once.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import stat
import sys
import time

TYPE_CHECKING = False  # importing `typing` would lengthen each start by a quarter
if TYPE_CHECKING:
    from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36

# How a program is asked to end itself: (signal, seconds until the next step). KILL follows the last step.
STOP_STEPS = [("CONT", 0.0), ("INT", 0.5), ("INT", 0.5), ("INT", 0.5), ("TERM", 1.0)]
EMPTY_STEPS = [("TERM", 1.0)]
KILL_AGAIN_SECONDS = 0.05
# Output that a program may write before somebody reads it. Node writes to pipes without waiting, and `process.exit`
# discards what did not fit: with the usual 64 KiB whole answers were lost on a busy machine (Gemini CLI 0.61.0). 1 MiB
# is the most that Linux allows everybody.
PIPE_BYTES = 1 << 20
# A process that forks may have a new child between two checks; stopped ones have none, so a few checks suffice.
FREEZE_CHECKS = 20

# The terminal's keys are meant for the program; TTOU would stop us when we give the terminal to it.
IGNORED = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGHUP, signal.SIGTTIN, signal.SIGTTOU)
# Python ignores PIPE and XFSZ, and ignored signals stay ignored after exec.
RESTORED = (*IGNORED, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ)

# The sandbox itself must survive them: the program in it decides how it ends. TSTP stops both, and is undone for both.
GENTLE = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)

# A sandbox reports the signal that has ended its program as a shell does: 128 and the number.
SIGNAL_BASE, ENDING = 128, (*GENTLE, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGXFSZ, signal.SIGPIPE)

# The first program in a sandbox (`inside.py`) writes INSIDE to the descriptor in this variable. If it cannot become the
# wanted program, it also writes why not. Its exec closes the descriptor.
STARTED, INSIDE = "JUPYTER_CABINET_STARTED", b"inside\n"
NEVER_INSIDE = f"sandbox:{errno.EPERM}:it ended before the program started"

# The content of settings that exist only as a place for a mount.
NO_SETTINGS = b"{}"

# Marks every descendant's environment, so that they can be found even if the launcher itself was killed.
MARK = "JUPYTER_CABINET_LAUNCHER"
# The same for a program that got another environment: every process inherits its limits. This one (`ulimit -R`) has no
# effect without real-time scheduling. Above its low bits, which name the launcher, is a level: a program that starts
# launchers itself may only lower it. Only Linux has it.
MARK_LIMIT: int | None = getattr(resource, "RLIMIT_RTTIME", None)
START_BITS, NAME_BITS, TOP_LEVEL = 34, 56, 62


class Launcher:
    """One program's life from `go` to the end of its last descendant."""

    def __init__(self, control: int, *, terminal: bool) -> None:
        self.control = control
        self.terminal = terminal
        self.received = b""
        self.program = 0  # its pid; 0 before it was started
        self.sheltered = False  # the program is a sandbox around another one
        self.created: list[str] = []  # places of mounts
        self.abandoned = False  # the server is gone
        self.ended = False  # the program itself
        self.empty = False  # no descendant is left
        self.held = False  # stopped on purpose: only a CONT continues it
        self.closing = False
        self.steps: list[tuple[str, float]] = []
        self.next_step: float | None = None  # monotonic
        self.survivors: set[int] = set()
        self.name = f"{os.getpid()}:{start_time(os.getpid())}"

    def run(self) -> None:
        """Wait for `go`, start the program, stay until nothing of it is left, and report that.

        Return also if it cannot start.
        """
        self.tell("ready", pid=os.getpid(), started_at=self.name.partition(":")[2])
        program = self.wait_for_go()
        if program is None:
            return
        wake, wake_writer = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(wake_writer, False)
        signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self.stop())
        self.sheltered, self.created = program["sheltered"], program["created"]
        if self.start(program):
            self.watch(wake)
        if self.abandoned:
            remove_empty(self.created)
        self.tell("done", survivors=len(self.survivors))

    def watch(self, wake: int) -> None:
        """Reap processes, obey messages and end processes, until no descendant is left.

        `wake`: a byte for each signal.
        """
        poller = select.poll()
        poller.register(wake, select.POLLIN)
        poller.register(self.control, select.POLLIN)
        while True:
            self.reap()
            if self.empty:
                return
            self.step()
            for descriptor, _ in poller.poll(self.milliseconds_to_wait()):
                if descriptor == wake:
                    os.read(wake, 4096)
                elif not self.listen():
                    poller.unregister(self.control)

    # --- the control channel -------------------------------------------------------------------

    def tell(self, event: str, **values: Any) -> None:
        """Send an event to the server. A server that is gone is no error here."""
        try:
            os.write(self.control, json.dumps({"event": event, **values}).encode() + b"\n")
        except OSError:
            pass  # the server is gone: the next read says so too

    def wait_for_go(self) -> dict[str, Any] | None:
        """Wait for the server's message that says what to start, and return it.

        None if the server has closed the channel or stopped this launcher before that.
        """
        while True:
            chunk = os.read(self.control, 65536)
            if not chunk:
                return None
            for message in self.messages(chunk):
                if message["do"] == "go":
                    return message
                if message["do"] == "stop":
                    self.tell("exited", code=None, signal=int(signal.SIGTERM))
                    self.tell("done", survivors=0)
                    return None

    def listen(self) -> bool:
        """Obey the waiting messages.

        Return False if the channel has ended; then all processes are being ended.
        """
        try:
            chunk = os.read(self.control, 65536)
        except OSError:
            chunk = b""
        if not chunk:
            self.abandoned = True
            self.end([])
            return False
        for message in self.messages(chunk):
            if message["do"] == "stop":
                self.stop()
            elif message["do"] == "signal" and not (self.closing and message["name"] == "STOP"):
                self.pass_on(message["name"])  # processes that are being ended must be able to clean up
        return True

    def messages(self, chunk: bytes) -> list[dict[str, Any]]:
        """Return the complete messages up to here, decoded; the beginning of the next one is kept."""
        *lines, self.received = (self.received + chunk).split(b"\n")
        return [json.loads(line) for line in lines]

    # --- the program ---------------------------------------------------------------------------

    def start(self, program: dict[str, Any]) -> bool:
        """Fork the program; return False when it could not be executed (which was reported)."""
        failure, failure_writer = os.pipe()  # both close on exec: end of file means that exec succeeded
        self.program = os.fork()
        if self.program == 0:
            self.become(program, failure_writer)
        os.close(failure_writer)
        reason = b""
        while chunk := os.read(failure, 4096):
            reason += chunk
        os.close(failure)
        if not self.terminal:
            release_standard_streams()
        if self.sheltered:
            reason = reason.removeprefix(INSIDE) if reason.startswith(INSIDE) else NEVER_INSIDE.encode()
        if reason:
            os.waitpid(self.program, 0)
            stage, number, message = reason.decode().split(":", 2)
            name = errno.errorcode.get(int(number), number)
            self.tell("failed", stage=stage, errno=name, message=message)
            return False
        self.tell("started", pid=self.program)
        return True

    def become(self, program: dict[str, Any], failure: int) -> NoReturn:
        """In the child: become the program, or report why not."""
        stage = "exec"
        try:
            # A separate group: `kill 0` in the program must not reach the launcher.
            os.setpgid(0, 0)
            if self.terminal:
                os.tcsetpgrp(0, os.getpid())
            die_with_parent()
            for number in RESTORED:
                ignored = self.sheltered and number in GENTLE
                signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            mark_by_limit(*self.name.split(":"))
            stage = "cwd"
            os.chdir(program["cwd"])
            stage = "exec"
            argv, environment = program["argv"], {**program["environment"], MARK: self.name}
            if self.sheltered:
                os.set_inheritable(failure, True)
                environment[STARTED] = str(failure)
            os.execvpe(argv[0], argv, environment)  # noqa: S606
        except OSError as error:
            os.write(failure, f"{stage}:{error.errno}:{error.strerror}".encode())
        except BaseException as error:
            os.write(failure, f"{stage}:{errno.EINVAL}:{error}".encode())
        finally:
            os._exit(127)

    def reap(self) -> None:
        """Collect every child that has ended or was stopped, without waiting."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                self.empty = True
                return
            if pid == 0:
                return
            if pid == self.program:
                self.program_changed(status)

    def program_changed(self, status: int) -> None:
        """Act on a wait status of the program itself: continue it after a Ctrl-Z, or report that it has ended."""
        if os.WIFSTOPPED(status):
            # A program that suspends itself (Ctrl-Z) has no shell here that could continue it. The minus is for its
            # group: the key stops all of it.
            if os.WSTOPSIG(status) in (signal.SIGTSTP, signal.SIGSTOP) and not (self.held or self.closing):
                send(-self.program, signal.SIGCONT)
            return
        self.ended = True
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        if self.sheltered and (inner := (code or 0) - SIGNAL_BASE) in ENDING:
            code, number = None, inner
        self.tell("exited", code=code, signal=number)
        if not self.closing or len(self.steps) > len(EMPTY_STEPS):
            self.end(EMPTY_STEPS)

    # --- signals and the end -------------------------------------------------------------------

    def pass_on(self, name: str) -> None:
        """Send a signal to every descendant. `name`: without `SIG`. After STOP, only CONT continues the program."""
        if name in ("STOP", "CONT"):
            self.held = name == "STOP"
        if name == "STOP":
            self.freeze()
            return
        number = signal.Signals[f"SIG{name}"]
        for pid in descendants():
            send(pid, number)

    def stop(self) -> None:
        """Begin to end every descendant, gently at first, and return at once. No effect while they are being ended."""
        if not self.closing:
            self.end(STOP_STEPS)

    def end(self, steps: list[tuple[str, float]]) -> None:
        """Begin to take the `steps`, and then to kill until nothing is left. Returns at once: `watch` takes them."""
        self.closing = True
        self.steps = list(steps)
        self.next_step = time.monotonic()

    def step(self) -> None:
        """Take the next ending step if it is due; after the last one, kill again each time."""
        if self.next_step is None or time.monotonic() < self.next_step:
            return
        seconds = KILL_AGAIN_SECONDS
        if self.ended and not self.sheltered:  # a sandbox ends with its program, and everything in it
            self.survivors.update(descendants())
        if self.steps:
            name, seconds = self.steps.pop(0)
            self.pass_on(name)
            if name == "TERM":  # a stopped process notices only KILL
                self.pass_on("CONT")
        else:
            self.freeze()
            self.pass_on("KILL")
        self.next_step = time.monotonic() + seconds

    def freeze(self) -> None:
        """Stop every descendant. A stopped process cannot escape the following KILL by forking."""
        frozen: set[int] = set()
        for _ in range(FREEZE_CHECKS):
            new = descendants() - frozen
            if not new:
                return
            for pid in new:
                send(pid, signal.SIGSTOP)
            frozen |= new

    def milliseconds_to_wait(self) -> int | None:
        """Return the time until the next step is due; None: until something happens."""
        if self.next_step is None:
            return None
        return max(0, int((self.next_step - time.monotonic()) * 1000) + 1)


# --- the process table -----------------------------------------------------------------------------


def start_time(pid: int) -> str:
    """Return when `pid` started: `ticks@boot`, clock ticks since a boot. Together with the pid it names one process.

    "unknown" if there is no such process, or the system has no /proc.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib costs start-up time
            ticks = file.read().rpartition(b")")[2].split()[19].decode()
        with open("/proc/sys/kernel/random/boot_id") as file:  # noqa: PTH123
            return f"{ticks}@{file.read().strip()}"
    except OSError:
        return "unknown"


def limit_mark(pid: str, started_at: str) -> int | None:
    """Return the low bits of a marked limit; None if the kernel does not report when a process started."""
    ticks = started_at.partition("@")[0]
    return int(pid) << START_BITS | int(ticks) & (1 << START_BITS) - 1 if ticks.isdigit() else None


def mark_by_limit(pid: str, started_at: str) -> None:
    """Mark this process, and all that it will start, by a limit that names the launcher.

    If that is not possible, nothing changes.
    """
    mark = limit_mark(pid, started_at)
    if MARK_LIMIT is None or mark is None:
        return
    _, hard = resource.getrlimit(MARK_LIMIT)
    level = TOP_LEVEL if hard == resource.RLIM_INFINITY else min(TOP_LEVEL, (hard >> NAME_BITS) - 1)
    if level > 0:  # otherwise somebody has set a real limit, which must be kept
        limit = level << NAME_BITS | mark
        try:
            resource.setrlimit(MARK_LIMIT, (limit, limit))
        except (OSError, ValueError):
            pass  # not allowed here: the other mark remains


def descendants() -> set[int]:
    """Return the pid of every living process below this one, without zombies."""
    parents = process_parents()
    found: set[int] = set()
    generation = {os.getpid()}
    while generation:
        generation = {pid for pid, (parent, _) in parents.items() if parent in generation} - found
        found |= generation
    return {pid for pid in found if parents[pid][1] not in "ZX"}


def process_parents() -> dict[int, tuple[int, str]]:
    """Return the parent and the state letter of each process of this machine."""
    if not os.path.isdir("/proc/self"):  # noqa: PTH112
        return process_parents_by_ps()
    found = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                    fields = file.read().rpartition(b")")[2].split()
                state, parent, threads = fields[0].decode(), int(fields[1]), int(fields[17])
            except (OSError, ValueError, IndexError):
                continue  # it has ended since
            # a process whose first thread has ended is shown as a zombie, although its other threads continue
            found[int(name)] = (parent, "S" if threads > 1 and state in "ZX" else state)
    return found


def process_parents_by_ps() -> dict[int, tuple[int, str]]:
    """Return the same as `process_parents`, for systems without /proc (macOS). It may miss short-lived processes."""
    import subprocess

    listing = subprocess.run(
        ["/bin/ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=False
    ).stdout
    rows = (line.split(None, 2) for line in listing.splitlines())
    return {int(pid): (int(parent), state[0]) for pid, parent, state in rows}


def remove_empty(paths: list[str]) -> None:
    """Remove places of mounts that nobody has used, the deepest first. A link is not followed.

    Never raises `OSError`.
    """
    for path in sorted(paths, key=len, reverse=True):
        try:
            if is_unused(path):
                (os.rmdir if os.path.isdir(path) else os.unlink)(path)  # noqa: PTH112
        except OSError:
            continue  # it has content now, or is gone


def is_unused(path: str) -> bool:
    """Return whether a path is an empty folder, an empty file or settings without content.

    False if nothing is there.
    """
    try:
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            return not os.listdir(path)  # noqa: PTH208
        if not stat.S_ISREG(status.st_mode) or status.st_size > len(NO_SETTINGS):
            return False
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read() in (b"", NO_SETTINGS)
    except OSError:
        return False


def send(pid: int, number: int) -> None:
    """Send a signal to a process, or to a group by its negative number.

    One that is gone, or another user's, is no error.
    """
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass  # gone, or another user's: nothing can be done about either


# --- set-up ----------------------------------------------------------------------------------------


def prctl(option: int, argument: int) -> None:
    """Set an option of this process on Linux. Do nothing on other systems. A failure is ignored."""
    function = getattr(ctypes.CDLL(None), "prctl", None)
    if function is not None:
        function(option, argument, 0, 0, 0)


def die_with_parent() -> None:
    """Let the kernel kill this process as soon as the launcher has ended. Linux only."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def widen_output() -> None:
    """Enlarge the program's pipes. Linux only, and not guaranteed: a user's pipes share a limit."""
    if sys.platform != "linux":
        return
    for descriptor in (1, 2):
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        except OSError:
            pass


def release_standard_streams() -> None:
    """Close the program's pipes, so that only the program has their ends."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor, inheritable=False)
    os.close(nothing)


def main() -> None:
    """Run the launcher that the command line describes, until nothing of its program is left."""
    if os.getpid() == 1:  # in a container, its program is beside it and must not write into its memory
        prctl(PR_SET_DUMPABLE, 0)
    mode, control = sys.argv[1], int(sys.argv[2])
    os.closerange(3, control)
    os.closerange(control + 1, 65536)
    os.set_inheritable(control, False)
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    if mode == "pipes":
        if os.getsid(0) != os.getpid():  # the first process of a container leads its session already
            os.setsid()
        widen_output()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    launcher = Launcher(control, terminal=mode == "terminal")
    try:
        launcher.run()
    except BaseException:
        launcher.pass_on("KILL")
        raise


if __name__ == "__main__":
    main()

"""The limits on a run's time, output, retries, memory and processes. Pure."""

from __future__ import annotations

import msgspec

from ...core.durations import spelled
from ...runtimes.model import Failure

MIB, GIB = 2**20, 2**30


class RunLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one run. Time in which the run waits for a person does not count."""

    working_seconds: float = 30 * 60
    silent_seconds: float = 10 * 60
    output_bytes: int = 100 * MIB
    retries: int = 12  # of one request to the model's service, because some CLIs retry forever
    memory_bytes: int = 0  # of all its processes together; 0: no limit
    threads: int = 2048  # of all its processes together; each process has at least one


class Progress(msgspec.Struct, kw_only=True):
    """The progress of a run as observed so far. Times are seconds on the monotonic clock."""

    started: float
    last_output: float
    waited: float = 0.0
    waiting_since: float | None = None
    output_bytes: int = 0
    retries: int = 0  # in a row
    retried_because: str = ""
    memory_bytes: int = 0
    threads: int = 0

    def retried(self, attempt: int, reason: str) -> None:
        """Note that the CLI repeats a request to the model's service, for the `attempt`th time in a row, for this
        reason.
        """
        self.retries, self.retried_because = attempt, reason

    def got_on(self) -> None:
        """Reset the retries, because the model's service has answered."""
        self.retries = 0

    def saw_output(self, now: float, count: int) -> None:
        """Count more output, in bytes. The time of silence restarts."""
        self.last_output = now
        self.output_bytes += count

    def waits(self, now: float) -> None:
        """Start waiting for a person. Calling it again has no effect. While it waits, no limit of time counts."""
        if self.waiting_since is None:
            self.waiting_since = now

    def works(self, now: float) -> None:
        """Stop waiting; the time of silence restarts. Without effect if the run was not waiting."""
        if self.waiting_since is not None:
            self.waited += now - self.waiting_since
            self.waiting_since = None
            self.last_output = now


def of_attempt(limits: RunLimits, timeouts: tuple[float, ...], attempt: int) -> RunLimits:
    """Return the limits of an attempt, counted from 1. The work is never longer than `limits` allows.

    `timeouts`: seconds of work for each attempt; the last one also counts for all later ones; (): `limits` unchanged.
    """
    if not timeouts:
        return limits
    seconds = min(limits.working_seconds, timeouts[min(attempt, len(timeouts)) - 1])
    return msgspec.structs.replace(limits, working_seconds=seconds)


def verdict(progress: Progress, limits: RunLimits, now: float) -> Failure | None:
    """Return a failure for the first limit that was exceeded; None if there is none.

    While the run waits for a person, the limits of time are not checked, but the others are.
    """
    if progress.output_bytes > limits.output_bytes:
        text = f"It wrote more than {limits.output_bytes // MIB} MiB and was stopped."
        return Failure(kind="output_limit", message=text)
    if limits.memory_bytes and progress.memory_bytes > limits.memory_bytes:
        text = f"Its processes used more than {limits.memory_bytes / GIB:.3g} GiB of memory and were ended."
        return Failure(kind="limit", message=text)
    if progress.threads > limits.threads:
        text = f"It had more than {limits.threads} processes and threads, which were ended."
        return Failure(kind="limit", message=text)
    if progress.retries > limits.retries:
        text = f"The model's service reported an error {limits.retries} times in a row."
        said = f" It said: {progress.retried_because}" if progress.retried_because else ""
        return Failure(kind="model_unavailable", message=text + said, retry_helps=True)
    if progress.waiting_since is not None:
        return None
    if now - progress.started - progress.waited > limits.working_seconds:
        return Failure(kind="timeout", message=f"It worked for {spelled(limits.working_seconds)} and was stopped.")
    if now - progress.last_output > limits.silent_seconds:
        text = f"It wrote nothing for {spelled(limits.silent_seconds)} and was stopped."
        return Failure(kind="stalled", message=text, retry_helps=True)
    return None

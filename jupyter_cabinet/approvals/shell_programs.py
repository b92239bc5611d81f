"""Programs whose arguments say more than what they themselves do: they run others, or change the shell. Pure.

The lists are long, not complete: a person who allows a program by a rule allows all that it can do.
"""

from __future__ import annotations

import posixpath

SHELLS = frozenset(["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "csh", "tcsh", "fish", "pwsh", "rbash"])
# Each takes another program, or shell text, among its arguments.
_RUNS_OTHERS = """. - at batch bg builtin busybox bwrap chroot chrt command coproc crontab daemonize doas entr env eval
    exec expect fakeroot fg firejail flock gdb hyperfine ionice linux32 linux64 ltrace nice nocorrect noglob nohup
    nsenter numactl parallel perf pkexec proxychains proxychains4 repeat rlwrap runuser screen script setarch setpriv
    setsid sg source ssh stdbuf strace su sudo sudoedit systemd-run taskset time timeout tmux torsocks toybox trap
    unbuffer unshare valgrind watch watchexec xargs xvfb-run"""
_CHANGES_SHELL_TEXT = """alias autoload bind bindkey cd chdir compctl complete declare dirs disable emulate enable
    export fc function functions getopts hash history integer let local mapfile popd pushd read readarray readonly
    rehash set setopt shopt typeset ulimit umask unalias unfunction unhash unset unsetopt zmodload zstyle"""
RUNS_OTHERS = SHELLS | frozenset(_RUNS_OTHERS.split())
_CHANGES_SHELL = frozenset(_CHANGES_SHELL_TEXT.split())
# Options that run another program, delete, or write a file of any name.
_OPTIONS: dict[str, tuple[str, ...]] = {
    "find": ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"),
    "fd": ("-x", "-X", "--exec", "--exec-batch"),
    "fdfind": ("-x", "-X", "--exec", "--exec-batch"),
    "git": (
        *("--config-env", "--exec", "--exec-path", "--ext-diff", "--textconv", "--output"),
        *("--upload-pack", "--receive-pack", "--open-files-in-pager"),
    ),
    "git clone": ("-c", "--config", "-u"),
    "git grep": ("-O",),
    "git ls-remote": ("-u",),
    "git rebase": ("-x",),
    "printf": ("-v",),
    "rg": ("--pre", "--hostname-bin"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "sort": ("-o", "--output", "--compress-program"),
    "tar": ("-I", "-F", "--use-compress-program", "--to-command", "--checkpoint-action", "--rsh-command"),
}
# These run programs, or make git run them later.
_GIT_RUNS = ("bisect", "config", "difftool", "filter-branch", "for-each-repo", "mergetool", "submodule")
_GIT_BEFORE_SUBCOMMAND = ("--no-pager", "--version", "--help")


def program_of(words: tuple[str, ...]) -> str:
    """The last name of the program's path; empty where there are no words."""
    return posixpath.basename(words[0]) if words else ""


def doubt_of(words: tuple[str, ...]) -> str:
    """Why these words say less than what is run; empty where they say it. It goes on from “the command …”."""
    program = program_of(words)
    if not program:
        return "has no program"
    if program in RUNS_OTHERS:
        return f"runs another program by way of `{program}`"
    if program in _CHANGES_SHELL or words[0].startswith("%"):  # `%1` is a job that comes to the foreground
        return f"changes the shell by `{program}`"
    if program == "git" and len(words) > 1 and words[1].startswith("-") and words[1] not in _GIT_BEFORE_SUBCOMMAND:
        return f"gives git an option before its subcommand, `{words[1]}`"
    subcommand = next((word for word in words[1:] if not word.startswith("-")), "")
    if program == "git" and subcommand in _GIT_RUNS:
        return f"can run other programs by `git {subcommand}`"
    known = (*_OPTIONS.get(program, ()), *_OPTIONS.get(f"{program} {subcommand}", ()))
    risky = next((word for word in words[1:] if any(_may_mean(word, option) for option in known)), "")
    return f"has `{risky}`, which can run or write more than it says" if risky else ""


def runs_others(words: tuple[str, ...]) -> bool:
    """Whether another program, or shell text, may stand among the words."""
    return program_of(words).casefold() in (*RUNS_OTHERS, "find", "fd", "fdfind")


def _may_mean(word: str, option: str) -> bool:
    """Whether a program may take the word for this option: abbreviated, or with a value joined to it."""
    if option.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and option.startswith(name)
    if len(option) > 2:
        return word == option
    return word.startswith("-") and not word.startswith("--") and option[1] in word[1:]

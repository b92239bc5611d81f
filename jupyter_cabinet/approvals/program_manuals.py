"""Data: programs that run others, and options that do more than they seem to, each with its manual. Pure.

The lists are long, not complete. Interpreters (`python`, `awk`, `make`, `psql`) are not listed: a person who allows one
allows everything that it can do. Read by `shell_programs.py`.
"""

from __future__ import annotations

from typing import NamedTuple


class Launchers(NamedTuple):
    """Programs that take another program, or shell text, among their arguments. `names` are separated by spaces."""

    names: str
    source: str


class LaunchingSubcommands(NamedTuple):
    """Subcommands of `program` that do so. They count wherever the word appears: options with values may precede."""

    program: str
    names: str
    source: str


class Options(NamedTuple):
    """Options of a program, or of a subcommand of git, that run a program, delete, or write any file.

    An option of one letter counts in a cluster, and one with two dashes also abbreviated. One of several letters after
    one dash counts only in full.
    """

    command: str
    names: str
    source: str


LAUNCHERS = (
    Launchers(
        "sh bash zsh dash ash ksh ksh93 lksh mksh oksh posh yash csh tcsh fish elvish nu pwsh rbash rksh rzsh xonsh",
        "the manual of each shell",
    ),
    Launchers(
        ". - builtin command coproc eval exec fg bg nocorrect noglob repeat source time trap",
        "bash(1), GNU bash 5.2; zshbuiltins(1) and zshmisc(1), zsh 5.9",
    ),
    Launchers("compgen sched r", "bash(1), GNU bash 5.2: compgen -C and -W; zshbuiltins(1), zsh 5.9"),
    Launchers("chroot env nice nohup runcon stdbuf timeout", "GNU coreutils 9.1"),
    Launchers("xargs", "xargs(1), GNU findutils 4.9.0"),
    Launchers(
        "choom chrt flock ionice linux32 linux64 i386 x86_64 nsenter pipesz prlimit runuser script scriptlive setarch"
        " setpriv setsid su taskset uclampset uname26 unshare",
        "the section 1 and 8 manuals of util-linux 2.38.1; pipesz(1) of 2.39",
    ),
    Launchers("newgrp sg", "newgrp(1) and sg(1), shadow 4.13"),
    Launchers("capsh", "capsh(1), libcap 2.66"),
    Launchers("doas pkexec sudo sudoedit", "doas(1), opendoas 6.8; pkexec(1), polkit 122; sudo(8), sudo 1.9.13"),
    Launchers("gosu su-exec tini dumb-init", "README of gosu 1.14, su-exec 0.2, tini 0.19 and dumb-init 1.2"),
    Launchers("start-stop-daemon", "start-stop-daemon(8), dpkg 1.21.22"),
    Launchers("run-parts savelog", "run-parts(8) and savelog(8), debianutils 5.7"),
    Launchers(
        "sensible-browser sensible-editor sensible-pager xdg-open",
        "sensible-editor(1), sensible-utils 0.0.17; xdg-open(1), xdg-utils 1.1.3",
    ),
    Launchers(
        "systemd-inhibit systemd-nspawn systemd-run systemd-cat machinectl",
        "the section 1 manuals of systemd 252",
    ),
    Launchers("aa-exec", "aa-exec(1), apparmor 3.0.8"),
    Launchers("watch", "watch(1), procps-ng 4.0.2"),
    Launchers("chronic ifne lckdo mispipe pee vidir vipe zrun", "the section 1 manuals of moreutils 0.67"),
    Launchers("parallel sem", "parallel(1), GNU parallel 20221122"),
    Launchers("at batch crontab", "at(1), at 3.2.5; crontab(1), cron 3.0"),
    Launchers("bwrap firejail proot schroot", "bwrap(1) 0.8; firejail(1) 0.9.72; proot(1) 5.1; schroot(1) 1.6"),
    Launchers("fakechroot fakeroot faketime", "fakechroot(1) 2.20; fakeroot(1) 1.31; faketime(1) 0.9.10"),
    Launchers("cpulimit daemonize eatmydata entr expect hyperfine logsave numactl", "the section 1 manual of each"),
    Launchers("proxychains proxychains4 torsocks tsocks", "proxychains4(1) 4.16; torsocks(1) 2.4"),
    Launchers("rlwrap unbuffer watchexec xvfb-run", "rlwrap(1) 0.46; unbuffer(1) 5.45; watchexec(1); xvfb-run(1)"),
    Launchers("dtach abduco byobu screen tmux", "dtach(1) 0.9; abduco(1) 0.6; screen(1) 4.9; tmux(1) 3.3"),
    Launchers("ssh ssh-agent mosh", "ssh(1) and ssh-agent(1), OpenSSH 9.2; mosh(1) 1.4"),
    Launchers("dbus-launch dbus-run-session", "dbus-run-session(1), D-Bus 1.14"),
    Launchers("startx xinit xterm x-terminal-emulator", "xinit(1) 1.4; xterm(1) 379"),
    Launchers("busybox toybox", "the manual of BusyBox 1.35 and toybox 0.8"),
    Launchers("gdb gdbserver lldb ltrace perf rr sotruss strace valgrind", "the section 1 manual of each"),
    Launchers("catchsegv ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1", "ld.so(8), man-pages 6.03"),
    Launchers("mpiexec mpirun orterun srun sbatch", "mpirun(1), Open MPI 4.1; srun(1) and sbatch(1), Slurm 22.05"),
    Launchers("npx bunx pipx uvx", "npx(1), npm 11; bun.sh/docs/cli/bunx; the manual of pipx 1.7; docs.astral.sh/uv"),
    Launchers("direnv nix-shell", "direnv(1) 2.32; nix-shell(1), Nix 2.18"),
    Launchers(
        "arch caffeinate dtruss leaks open sandbox-exec taskpolicy xcrun",
        "the section 1 and 8 manuals of macOS 14",
    ),
)

LAUNCHING_SUBCOMMANDS = (
    LaunchingSubcommands("uv", "run", "docs.astral.sh/uv/reference/cli, uv 0.9"),
    LaunchingSubcommands("poetry", "run shell", "python-poetry.org/docs/cli, Poetry 2"),
    LaunchingSubcommands("pdm", "run", "pdm-project.org reference, PDM 2"),
    LaunchingSubcommands("hatch", "run shell", "hatch.pypa.io CLI reference, Hatch 1"),
    LaunchingSubcommands("rye", "run", "rye.astral.sh CLI reference, Rye 0.44"),
    LaunchingSubcommands("pipenv", "run shell", "pipenv.pypa.io CLI reference"),
    LaunchingSubcommands("conda", "run", "docs.conda.io, conda run, conda 24"),
    LaunchingSubcommands("mamba", "run", "mamba.readthedocs.io, mamba 2"),
    LaunchingSubcommands("micromamba", "run", "mamba.readthedocs.io, micromamba 2"),
    LaunchingSubcommands("pixi", "run exec shell", "pixi.sh CLI reference, pixi 0.4"),
    LaunchingSubcommands("npm", "exec x explore init create innit config set", "npm(1), npm 11"),
    LaunchingSubcommands("pnpm", "exec dlx create config", "pnpm.io/cli, pnpm 9"),
    LaunchingSubcommands("yarn", "exec dlx create", "yarnpkg.com/cli, Yarn 4"),
    LaunchingSubcommands("bun", "x exec", "bun.sh/docs/cli, Bun 1"),
    LaunchingSubcommands("bundle", "exec", "bundle-exec(1), Bundler 2.3"),
    LaunchingSubcommands("rbenv", "exec", "rbenv(1) 1.2"),
    LaunchingSubcommands("pyenv", "exec", "pyenv(1) 2.3"),
    LaunchingSubcommands("mise", "exec x", "mise.jdx.dev CLI reference"),
    LaunchingSubcommands("nix", "run shell develop", "nix(1), Nix 2.18"),
    LaunchingSubcommands("docker", "run exec create", "docs.docker.com/reference/cli, Docker 28"),
    LaunchingSubcommands("podman", "run exec create unshare", "podman(1), Podman 4.3"),
    LaunchingSubcommands("kubectl", "exec debug plugin", "kubernetes.io/docs/reference/kubectl, kubectl 1.30"),
    LaunchingSubcommands("flatpak", "run enter build", "flatpak(1) 1.14"),
    LaunchingSubcommands("snap", "run", "snap(8), snapd 2.57"),
    LaunchingSubcommands("gh", "alias extension config", "gh(1), GitHub CLI 2"),
    LaunchingSubcommands("gio", "open launch", "gio(1), GLib 2.74"),
    LaunchingSubcommands("ip", "exec", "ip-netns(8), iproute2 6.1"),
    LaunchingSubcommands("launchctl", "submit bsexec asuser load bootstrap", "launchctl(1), macOS 14"),
    # These run programs, or make git run them later.
    LaunchingSubcommands(
        "git",
        "bisect config credential difftool filter-branch for-each-repo hook instaweb maintenance mergetool"
        " send-email submodule web--browse",
        "the section 1 manuals of Git 2.39.5",
    ),
)

# Of git's subcommands only these are certain, apart from the options below. Any other may be an alias of the
# repository, a program named `git-…`, or one of git's own that runs programs or writes any file (`remote-ext`).
# From the section 1 manuals of Git 2.39.5.
_GIT = """add am annotate apply archive blame branch bugreport cat-file check-attr check-ignore check-mailmap
    check-ref-format checkout checkout-index cherry cherry-pick clean clone commit commit-tree count-objects describe
    diagnose diff diff-files diff-index diff-tree fast-export fetch for-each-ref format-patch fsck gc grep hash-object
    help init log ls-files ls-remote ls-tree mailsplit merge merge-base merge-tree mktree mv name-rev notes patch-id
    prune prune-packed pull push range-diff read-tree rebase reflog remote repack replace reset restore rev-list
    rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status stripspace switch symbolic-ref
    tag update-index update-ref var verify-commit verify-pack verify-tag version whatchanged worktree write-tree"""
GIT_SUBCOMMANDS = frozenset(_GIT.split())

OPTIONS = (
    Options("ag", "--pager", "ag(1), the_silver_searcher 2.2"),
    Options("apt", "-o --option -c --config-file", "apt(8), APT 2.6.1"),
    Options("apt-get", "-o --option -c --config-file -b --compile --build", "apt-get(8), APT 2.6.1"),
    Options("apt-cache", "-o --option -c --config-file", "apt-cache(8), APT 2.6.1"),
    Options("bat", "--pager", "bat(1) 0.22"),
    Options("batcat", "--pager", "bat(1) 0.22"),
    Options("bsdtar", "--use-compress-program", "bsdtar(1), libarchive 3.6.2"),
    Options("cargo", "--config -Z", "cargo(1) 1.95"),
    Options("cpio", "-F -O --file --rsh-command", "cpio(1), GNU cpio 2.13"),
    Options(
        "curl",
        "-o -O -J -D -c -K --output --output-dir --remote-name --remote-name-all --remote-header-name --dump-header"
        " --cookie-jar --config --engine --etag-save --hsts --alt-svc --libcurl --stderr --trace --trace-ascii",
        "curl(1) 7.88.1",
    ),
    Options("diff3", "--diff-program", "diff3(1), GNU diffutils 3.8"),
    Options(
        "dpkg",
        "--pre-invoke --post-invoke --status-logger --instdir --root --admindir --log",
        "dpkg(1) 1.21.22",
    ),
    Options("fd", "-x -X --exec --exec-batch", "fd(1) 8.6"),
    Options("fdfind", "-x -X --exec --exec-batch", "fd(1) 8.6"),
    Options(
        "find",
        "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls",
        "find(1), GNU findutils 4.9.0",
    ),
    Options(
        "git",
        "--config-env --exec --exec-path --ext-diff --textconv --output --upload-pack --receive-pack"
        " --open-files-in-pager",
        "the section 1 manuals of Git 2.39.5",
    ),
    Options("git apply", "--unsafe-paths --build-fake-ancestor", "git-apply(1), Git 2.39.5"),
    Options("git archive", "-o --output --exec --remote", "git-archive(1), Git 2.39.5"),
    Options("git blame", "--contents", "git-blame(1), Git 2.39.5"),
    Options("git bugreport", "-o --output-directory", "git-bugreport(1), Git 2.39.5"),
    Options("git cat-file", "--filters", "git-cat-file(1), Git 2.39.5"),
    Options("git checkout-index", "--prefix", "git-checkout-index(1), Git 2.39.5"),
    Options("git clone", "-c --config -u --template", "git-clone(1), Git 2.39.5"),
    Options("git diagnose", "-o --output-directory", "git-diagnose(1), Git 2.39.5"),
    Options("git fast-export", "--export-marks", "git-fast-export(1), Git 2.39.5"),
    Options("git format-patch", "-o --output-directory", "git-format-patch(1), Git 2.39.5"),
    Options("git grep", "-O", "git-grep(1), Git 2.39.5"),
    Options("git help", "-i -w --info --web", "git-help(1), Git 2.39.5"),
    Options("git init", "--template --separate-git-dir", "git-init(1), Git 2.39.5"),
    Options("git ls-remote", "-u", "git-ls-remote(1), Git 2.39.5"),
    Options("git mailsplit", "-o", "git-mailsplit(1), Git 2.39.5"),
    Options("git read-tree", "--index-output", "git-read-tree(1), Git 2.39.5"),
    Options("git rebase", "-x", "git-rebase(1), Git 2.39.5"),
    Options("go", "-exec -toolexec -vettool --exec --toolexec --vettool", "go help build, go help run, Go 1.19"),
    Options("install", "--strip-program", "install(1), GNU coreutils 9.1"),
    Options("jobs", "-x", "bash(1), GNU bash 5.2"),
    Options("less", "-k -o -O --lesskey-file --lesskey-src --log-file --LOG-FILE", "less(1) 590"),
    Options("man", "-C -H -P --config-file --html --pager", "man(1), man-db 2.11.2"),
    Options(
        "npm",
        "--browser --editor --git --globalconfig --node-options --script-shell --shell --userconfig --viewer",
        "npm-config(7), npm 11",
    ),
    Options(
        "openssl",
        "-config -engine -keyout -out -provider -provider-path -writerand"
        " --config --engine --keyout --out --provider --provider-path --writerand",
        "openssl(1SSL) and openssl-cmds(1SSL), OpenSSL 3.0",
    ),
    Options("patch", "-o -r --output --reject-file", "patch(1), GNU patch 2.7.6"),
    Options("print", "-C -P -R -S -f -p -s -u -v -x -X -z", "zshbuiltins(1), zsh 5.9"),
    Options("printf", "-v", "bash(1), GNU bash 5.2"),
    Options("rg", "--pre --hostname-bin", "rg(1), ripgrep 14"),
    Options(
        "rsync",
        "-e -M --rsh --rsync-path --remote-option --log-file --write-batch --only-write-batch --config"
        " --remove-source-files",
        "rsync(1) 3.2.7",
    ),
    Options("scp", "-F -S -o -D", "scp(1), OpenSSH 9.2"),
    Options("sdiff", "-o --output --diff-program", "sdiff(1), GNU diffutils 3.8"),
    Options("sftp", "-b -D -F -S -o", "sftp(1), OpenSSH 9.2"),
    Options("shuf", "-o --output", "shuf(1), GNU coreutils 9.1"),
    Options("sort", "-o --output --compress-program", "sort(1), GNU coreutils 9.1"),
    Options("split", "--filter", "split(1), GNU coreutils 9.1"),
    Options("ssh-add", "-s -S", "ssh-add(1), OpenSSH 9.2"),
    Options("ssh-keygen", "-D -w", "ssh-keygen(1), OpenSSH 9.2"),
    Options(
        "tar",
        "-F -I -g --checkpoint-action --index-file --info-script --listed-incremental --new-volume-script"
        " --recursive-unlink --remove-files --rmt-command --rsh-command --to-command --use-compress-program"
        " --volno-file",
        "tar(1) and the manual of GNU tar 1.34",
    ),
    Options("tcpdump", "-w -z", "tcpdump(1) 4.99"),
    Options("tree", "-o", "tree(1) 2.1"),
    Options("wait", "-p", "bash(1), GNU bash 5.2"),
    Options(
        "wget",
        "-O -P -a -e -o --append-output --directory-prefix --execute --hsts-file --output-document --output-file"
        " --rejected-log --save-cookies --use-askpass --config --warc-file",
        "wget(1), GNU Wget 1.21.3",
    ),
    Options("zip", "-T -m -O --move --output-file --test --unzip-command", "zip(1), Info-ZIP 3.0"),
)

# Programs whose first word may be option letters without a dash, `tar xIf program archive`.
OLD_STYLE = ("tar", "bsdtar")

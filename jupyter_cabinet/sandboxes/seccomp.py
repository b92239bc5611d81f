"""The system calls that a sandboxed program cannot make, as a filter for the kernel (classic BPF). Pure.

`inside.py` installs it. A refused call fails with EPERM, so a program notices and continues. Source: seccomp(2), and
the tables of system calls of Linux 6.12.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

# Instructions: load a word of the data, jump if equal / if a bit is set / if at least, and with a constant, return.
LOAD, EQUAL, ANY_BIT, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
MASKED_EQUAL = -1  # not an instruction: the type of a socket, without its flags
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in seccomp_data; the low half of argument n is at 16 + 8 n
ALLOW, DENY, NOT_IMPLEMENTED = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38  # EPERM, ENOSYS
X32_BIT = 0x40000000  # calls of the x32 ABI on x86_64 have other numbers
SETUID_BITS = 0o6000
NEW_USER_NAMESPACE = 0x10000000
TIOCSTI, TIOCLINUX = 0x5412, 0x541C  # they type into the terminal
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others reach the machine without the network namespace (AF_VSOCK), or are not
# needed by programs (AF_ALG).
SOCKET_FAMILIES = (1, 2, 10, 16)
O_CREAT, O_TMPFILE = 0o100, 0o20000000
SOCK_RAW, SOCK_TYPE_MASK = 3, 0xF

# Numbers by architecture: (AUDIT_ARCH, name -> number).
X86_64, AARCH64 = 0xC000003E, 0xC00000B7
CALLS: dict[int, dict[str, int]] = {
    X86_64: {
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "keyctl": 250, "add_key": 248,
        "request_key": 249, "bpf": 321, "perf_event_open": 298, "unshare": 272, "setns": 308, "mount": 165,
        "umount2": 166, "pivot_root": 155, "chroot": 161, "move_mount": 429, "open_tree": 428, "fsopen": 430,
        "fsmount": 432, "fsconfig": 431, "fspick": 433, "mount_setattr": 442, "kexec_load": 246,
        "kexec_file_load": 320, "init_module": 175, "finit_module": 313, "delete_module": 176, "reboot": 169,
        "swapon": 167, "swapoff": 168, "acct": 163, "quotactl": 179, "open_by_handle_at": 304,
        "name_to_handle_at": 303, "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "settimeofday": 164, "clock_settime": 227, "syslog": 103, "pidfd_getfd": 438,
        "clone3": 435, "clone": 56, "ioctl": 16, "socket": 41, "chmod": 90, "fchmod": 91, "fchmodat": 268,
        "fchmodat2": 452, "open": 2, "openat": 257, "openat2": 437, "creat": 85, "mknod": 133, "mknodat": 259,
    },
    AARCH64: {
        "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "keyctl": 219, "add_key": 217,
        "request_key": 218, "bpf": 280, "perf_event_open": 241, "unshare": 97, "setns": 268, "mount": 40,
        "umount2": 39, "pivot_root": 41, "chroot": 51, "move_mount": 429, "open_tree": 428, "fsopen": 430,
        "fsmount": 432, "fsconfig": 431, "fspick": 433, "mount_setattr": 442, "kexec_load": 104,
        "kexec_file_load": 294, "init_module": 105, "finit_module": 273, "delete_module": 106, "reboot": 142,
        "swapon": 224, "swapoff": 225, "acct": 89, "quotactl": 60, "open_by_handle_at": 265,
        "name_to_handle_at": 264, "userfaultfd": 282, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "settimeofday": 170, "clock_settime": 112, "syslog": 116, "pidfd_getfd": 438,
        "clone3": 435, "clone": 220, "ioctl": 29, "socket": 198, "fchmod": 52, "fchmodat": 53, "fchmodat2": 452,
        "openat": 56, "openat2": 437, "mknodat": 33,
    },
}  # fmt: skip

# Refused only if all these tests of arguments hold: (call, ((which argument, test, value), …)).
HAS_SETUID = (ANY_BIT, SETUID_BITS)
CREATES = (ANY_BIT, O_CREAT | O_TMPFILE)  # otherwise the mode is not an argument, and can be anything
CONDITIONS: tuple[tuple[str, tuple[tuple[int, int, int], ...]], ...] = (
    ("clone", ((0, ANY_BIT, NEW_USER_NAMESPACE),)),
    ("ioctl", ((1, EQUAL, TIOCSTI),)),
    ("ioctl", ((1, EQUAL, TIOCLINUX),)),
    ("socket", ((1, MASKED_EQUAL, SOCK_RAW),)),
    ("chmod", ((1, *HAS_SETUID),)),
    ("fchmod", ((1, *HAS_SETUID),)),
    ("fchmodat", ((2, *HAS_SETUID),)),
    ("fchmodat2", ((2, *HAS_SETUID),)),
    ("open", ((1, *CREATES), (2, *HAS_SETUID))),
    ("openat", ((2, *CREATES), (3, *HAS_SETUID))),
    ("creat", ((1, *HAS_SETUID),)),
    ("mknod", ((1, *HAS_SETUID),)),
    ("mknodat", ((2, *HAS_SETUID),)),
)
# Programs fall back to an older call when these are missing. A filter cannot read their arguments, which are in memory.
MISSING = ("clone3", "openat2")


def filter_bytes(architecture: int) -> bytes:
    """Return the filter for an architecture (`X86_64`, `AARCH64`), as an array of `struct sock_filter`.

    A call of another architecture is refused. Raises `KeyError` for any other one.
    """
    calls = CALLS[architecture]
    code: list[tuple[int, int, int, int]] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, DENY),
        (LOAD, 0, 0, NUMBER),
    ]
    if architecture == X86_64:
        code += [(AT_LEAST, 0, 1, X32_BIT), (RETURN, 0, 0, DENY)]
    conditional = {name for name, _ in CONDITIONS}
    for name in MISSING:
        code += [(EQUAL, 0, 1, calls[name]), (RETURN, 0, 0, NOT_IMPLEMENTED)]
    for name, number in calls.items():
        if name not in conditional and name not in MISSING:
            code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, DENY)]
    for name, tests in CONDITIONS:
        if name in calls:
            code += _refused_if(calls[name], tests)
    code += _only_families(calls["socket"])
    code.append((RETURN, 0, 0, ALLOW))
    return _packed(code)


def _only_families(number: int) -> list[tuple[int, int, int, int]]:
    """Refuse sockets of all other families."""
    count = len(SOCKET_FAMILIES)
    matches = [(EQUAL, count - at, 0, family) for at, family in enumerate(SOCKET_FAMILIES)]
    return [(EQUAL, 0, count + 2, number), (LOAD, 0, 0, ARGUMENTS), *matches, (RETURN, 0, 0, DENY)]


def _refused_if(number: int, tests: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Refuse a call if all tests hold. Whatever happens, the number of the call is loaded again at the end."""
    body: list[tuple[int, int, int, int]] = []
    for argument, test, value in reversed(tests):
        after = body or [(RETURN, 0, 0, DENY)]
        load = [(LOAD, 0, 0, ARGUMENTS + 8 * argument)]
        if test == MASKED_EQUAL:
            load.append((AND, 0, 0, SOCK_TYPE_MASK))  # flags such as SOCK_CLOEXEC are above the type
        body = [*load, (EQUAL if test == MASKED_EQUAL else test, 0, len(after), value), *after]
    return [(EQUAL, 0, len(body) + 1, number), *body, (LOAD, 0, 0, NUMBER)]


def _packed(code: Sequence[tuple[int, int, int, int]]) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)

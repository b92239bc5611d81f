"""Decides which hosts and addresses a sandboxed run can reach, and has one spelling for each of them.

A request is checked twice: its host and port before the name is resolved, and each address afterwards. A name that is
allowed cannot lead to this machine or into a private network.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Literal

import idna
import msgspec

MAX_HOST_LENGTH = 253  # of a name in DNS, without the dot at its end
DEFAULT_PORTS = (80, 443)  # of an entry without a port
LAST_PORT = 65535

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")  # an underscore is not allowed in host names, but is in use
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # a host that ends like this can only be an IPv4 address
_PORT = re.compile(r"[0-9]{1,5}")

# Not left to `is_global` alone, because its answers differ between versions of Python.
_NEVER_V4 = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "168.63.129.16/32",  # services of Azure for the machine itself
        "169.254.0.0/16",  # link-local, and the metadata services of clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")  # everything else is local, multicast, reserved or a form of IPv4
_NEVER_V6 = tuple(ipaddress.IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "3fff::/20"))


class Egress(msgspec.Struct, frozen=True, kw_only=True):
    """What a run can reach. An entry that is not valid allows nothing. IPv6 addresses are in brackets."""

    mode: Literal["none", "hosts", "open"]
    hosts: tuple[str, ...] = ()  # `host`, `host:port`, `*.example.com` (not example.com itself), `*.example.com:port`
    # Exact `host:port` pairs that may be on this machine or in a private network, because the operator has configured
    # the model service there. They need no entry in `hosts`, but are not allowed in the mode "none".
    local: tuple[str, ...] = ()


class AllowedHost(msgspec.Struct, frozen=True):
    """A host that may be resolved; its addresses must be checked before a connection is made."""

    host: str
    port: int


class RefusedHost(msgspec.Struct, frozen=True):
    """A host that cannot be reached. `sentence` names it, and what would allow it."""

    sentence: str


def normalised(host: str) -> str | None:
    """Return the only spelling of a host that the rules know; None if it is not valid.

    Names are in lower case, in ASCII (`xn--`) and without a dot at the end. Addresses are in their canonical form,
    without brackets; an IPv4 address in any other form, also as part of an IPv6 address, is a plain one.
    """
    if host.startswith("[") != host.endswith("]"):
        return None
    if host.startswith("[") or ":" in host:
        return _ipv6(host.removeprefix("[").removesuffix("]"))
    if not host.isascii():
        if len(host) > MAX_HOST_LENGTH:
            return None
        try:
            host = idna.encode(host, uts46=True, transitional=False).decode()
        except UnicodeError:
            return None
    host = host.lower().removesuffix(".")
    labels = host.split(".")
    if len(host) > MAX_HOST_LENGTH or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    return _ipv4(labels) if _NUMBER.fullmatch(labels[-1]) else host


def split_host_port(text: str) -> tuple[str, int | None] | None:
    """Return the normalised host, and the port or None if there is none. Return None if either is not valid."""
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(.*))?", text, re.DOTALL)
    host = normalised(match[1]) if match else None
    if match is None or host is None:
        return None
    if not match[2]:  # `host:` is as valid in a URL as `host`
        return host, None
    port = int(match[2]) if _PORT.fullmatch(match[2]) else 0
    return (host, port) if 1 <= port <= LAST_PORT else None


def host_port(host: str, port: int) -> str:
    """Return a pair as it is written, with an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def address_of(host: str) -> Address | None:
    """Return the address that a normalised host is; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def decide(egress: Egress, host: str, port: int) -> AllowedHost | RefusedHost:
    """Return whether a host may be reached, by name and port, before the name is resolved.

    `host` may have any spelling. A name that leads to this machine is refused, unless it is the configured model
    service. Check each address afterwards.
    """
    name = normalised(host)
    if name is None:
        return RefusedHost("The request was refused, because its host is not valid.")
    pair = host_port(name, port)
    if _is_of_this_machine(name) and not is_local(egress, name, port):  # an upstream proxy would resolve it for itself
        return refused_address(name, port)
    if egress.mode == "none":
        return RefusedHost(f"{pair} was refused, because the agent has no network. Set its `network` to allow it.")
    listed = any(_matches(entry, name, port) for entry in egress.hosts)
    if egress.mode == "open" or listed or is_local(egress, name, port):
        return AllowedHost(name, port)
    return RefusedHost(f"{pair} was refused. Add it to the agent's `network` list to allow it.")


def address_allowed(egress: Egress, address: str, host: str, port: int) -> bool:
    """Return whether an address of a host that `decide` has allowed may be reached: if it is public, or `is_local`.

    False for a text that is no address.
    """
    found = address_of(address)
    return found is not None and (is_local(egress, host, port) or _is_public(found))


def is_host_entry(entry: str) -> bool:
    """Return whether an entry of `Egress.hosts` is valid: a host or `*.` and a host, with or without a port."""
    return split_host_port(entry.removeprefix("*.")) is not None


def _is_of_this_machine(name: str) -> bool:
    return name.rpartition(".")[2] == "localhost"


def refused_address(host: str, port: int) -> RefusedHost:
    """Return the refusal for a host of which no address is allowed."""
    return RefusedHost(
        f"{host_port(host, port)} was refused, because it is on this machine or in a private network. "
        "Only a model service that the operator has configured can be there."
    )


def is_local(egress: Egress, host: str, port: int) -> bool:
    """Return whether the operator has configured the model service at this host and port. False in the mode "none"."""
    pair = (normalised(host), port)
    return egress.mode != "none" and any(split_host_port(entry) == pair for entry in egress.local)


def _matches(entry: str, host: str, port: int) -> bool:
    subdomains = entry.startswith("*.")
    found = split_host_port(entry.removeprefix("*."))
    if found is None or port not in (DEFAULT_PORTS if found[1] is None else (found[1],)):
        return False
    if subdomains:
        return host.endswith(f".{found[0]}") and address_of(host) is None
    return host == found[0]


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not any(address in network for network in _NEVER_V4)
    inner = address.ipv4_mapped or address.sixtofour
    if address in _NAT64:
        inner = ipaddress.IPv4Address(address.packed[-4:])
    if inner is not None:
        return _is_public(inner)
    inside = address in _GLOBAL_V6 and not any(address in network for network in _NEVER_V6)
    return inside and address.is_global and address.scope_id is None


def _ipv6(text: str) -> str | None:
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return None
    if address.scope_id is not None:  # an interface of this machine
        return None
    return str(address.ipv4_mapped or address)


def _ipv4(parts: list[str]) -> str | None:
    """Return an IPv4 address in its usual form, read as the C library does; None if it is none.

    It has one to four decimal, octal or hexadecimal numbers, of which the last fills the bytes that are left.
    """
    numbers = [_number(part) for part in parts]
    *first, last = numbers
    if len(parts) > 4 or last is None or last >= 256 ** (5 - len(parts)):
        return None
    value = last
    for index, number in enumerate(first):
        if number is None or number > 255:
            return None
        value += number << 8 * (3 - index)
    return str(ipaddress.IPv4Address(value))


def _number(text: str) -> int | None:
    """Return the value of a decimal, octal (`0…`) or hexadecimal (`0x…`) number; None for another text."""
    base = 16 if text.startswith("0x") else 8 if text.startswith("0") else 10
    digits = text.removeprefix("0x") if base == 16 else text
    allowed = {8: r"[0-7]+", 10: r"[0-9]+", 16: r"[0-9a-f]+"}[base]
    return int(digits, base) if re.fullmatch(allowed, digits) else None

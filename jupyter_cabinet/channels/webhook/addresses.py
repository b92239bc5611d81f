"""Where messages of a webhook may be sent: not to services of a cloud for the machine itself, and not to this server.

Private networks are allowed, because home automation and internal chats are there. The check is repeated for each
connection, with the addresses that the connection uses, so a name cannot lead elsewhere later.
"""

from __future__ import annotations

import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# Of the machine itself, besides those that are link-local (169.254.169.254 and others).
_METADATA = frozenset(
    ipaddress.ip_address(each)
    for each in (
        "100.100.100.200",  # Alibaba
        "168.63.129.16",  # Azure
        "192.0.0.192",  # Oracle
        "fd00:ec2::254",  # AWS
        "fd20:ce::254",  # Google
        "fd00:42::42",  # Scaleway
    )
)

METADATA = "The address of the receiver belongs to a service of this machine or its network, not to a receiver."
OWN_SERVER = "The address of the receiver is that of this server. It must be another program."


def problem_of_address(text: str, port: int, *, own_port: int) -> str:
    """Return why nothing is sent to an address, as a sentence; empty if it may be. `own_port`: of this server, or 0."""
    try:
        address = _plain(ipaddress.ip_address(text.partition("%")[0]))
    except ValueError:
        return METADATA
    if address.is_link_local or address.is_multicast or address in _METADATA:
        return METADATA
    if own_port and port == own_port and _is_of_this_machine(address):
        return OWN_SERVER
    is_local = address.is_loopback or address.is_unspecified  # these are reserved in IPv6
    return METADATA if address.is_reserved and not is_local else ""


def _plain(address: Address) -> Address:
    """Return the IPv4 address in an IPv6 address, if that leads to it."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour or address


def _is_of_this_machine(address: Address) -> bool:
    """Return whether a program on this machine could listen there."""
    if address.is_loopback or address.is_unspecified:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True

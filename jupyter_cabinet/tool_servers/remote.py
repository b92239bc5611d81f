"""What the address and the headers of a remote tool server may be, and what the headers get. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from urllib.parse import SplitResult, urlsplit

from ..core.errors import Invalid
from ..core.plain_text import plain
from ..execution.tools.tool_server_file import is_on_this_machine
from ..sandboxes.egress.host_rules import address_of, host_port, normalised
from ..sandboxes.environment import FORBIDDEN
from ..sandboxes.inside import PROXY_PORT

LONGEST_ADDRESS = 2000
MOST_HEADERS, LONGEST_VALUE = 20, 8000
LOWEST_PORT = 1024  # that a sandbox can open
PORTS = {"https": 443, "http": 80}
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")  # a token of RFC 9110
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]{0,99})\}")
# The protocol and the connection set them.
_OURS = (
    *("host", "connection", "content-length", "content-type", "transfer-encoding", "upgrade", "accept"),
    *("accept-encoding", "te", "trailer", "expect", "keep-alive", "proxy-*", "mcp-*", "last-event-id"),
)
NO_ADDRESS = "Enter the address of the tool server, such as https://mcp.example.com/mcp."
LITERAL = "Write 127.0.0.1 or localhost for a tool server on this machine."
ONLY_HTTPS = "Enter an address with https://. Only a tool server on this machine (localhost) may have http://."
PORT = "A tool server on this machine needs a port of at least {lowest}, but not {proxy}. Isolated runs use the others."
USER_INFO = "Write no user name and no password into the address. Add a header instead."
QUERY = "Its address has a query, which is shown to you and stored as text. Keep secrets in headers."
ON_THIS_MACHINE = "Isolated runs of its agents can connect to {address} on this machine."
NO_VARIABLE = "The server has no variable {name}, which the header {header} names."


def address(text: str) -> str:
    """Return the address of a remote tool server, without spaces around it.

    Raises `Invalid` (field `address`) unless it begins with https, or with http on this machine. It must not contain a
    user name, a password or a fragment. On this machine it needs a port of at least 1024.
    """
    text = text.strip()
    if not text or len(text) > LONGEST_ADDRESS or not text.isascii() or not text.isprintable() or " " in text:
        raise Invalid(NO_ADDRESS, field="address")
    try:
        parts = urlsplit(text)
        host, _ = normalised(parts.hostname or ""), parts.port
    except ValueError:
        raise Invalid(NO_ADDRESS, field="address") from None
    if "@" in parts.netloc:
        raise Invalid(USER_INFO, field="address")
    if parts.scheme not in PORTS or not host or parts.fragment or "\\" in text or parts.port == 0:
        raise Invalid(NO_ADDRESS, field="address")
    if not is_on_this_machine(text) and _is_loopback(host):  # it would be treated as one elsewhere, and not be reached
        raise Invalid(LITERAL, field="address")
    if parts.scheme != "https" and not is_on_this_machine(text):
        raise Invalid(ONLY_HTTPS, field="address")
    if is_on_this_machine(text):
        port = parts.port or PORTS[parts.scheme]
        if port < LOWEST_PORT or port == PROXY_PORT:
            raise Invalid(PORT.format(lowest=LOWEST_PORT, proxy=PROXY_PORT), field="address")
    return text


def headers(values: Mapping[str, str]) -> dict[str, str]:
    """Return the headers unchanged.

    Raises `Invalid` (field `headers`) for more than 20, a name that occurs twice or that the connection sets, a name or
    value that is not valid, and a variable that gives power over the server.
    """
    if len(values) > MOST_HEADERS or len({name.lower() for name in values}) < len(values):
        raise Invalid(f"At most {MOST_HEADERS} headers, each once.", field="headers")
    for name, value in values.items():
        if _HEADER.fullmatch(name) is None:
            raise Invalid(f"{plain(name)[:100]} is no name of a header.", field="headers")
        if any(fnmatchcase(name.lower(), each) for each in _OURS):
            raise Invalid(f"The header {name} is set by the connection, so it cannot be set here.", field="headers")
        if not _is_value(value):
            raise Invalid(
                f"The value of {name} is too long or has characters that a header cannot have.", field="headers"
            )
        for variable in _VARIABLE.findall(value):
            if any(fnmatchcase(variable, each) for each in FORBIDDEN):
                raise Invalid(f"{variable} gives power over the server, so no header can have it.", field="headers")
    return dict(values)


def names_variables(values: Mapping[str, str]) -> bool:
    """Return whether a header gets a variable of the server."""
    return any(_VARIABLE.search(value) for value in values.values())


def filled(values: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with the values of the variables that they name.

    `environment`: the server's. Raises `Invalid` if a variable is missing or empty, or if a header cannot have its
    value.
    """
    found = {}
    for header, value in values.items():
        for name in _VARIABLE.findall(value):
            if not environment.get(name):
                raise Invalid(NO_VARIABLE.format(name=name, header=header), field="headers")
        found[header] = _VARIABLE.sub(lambda match: environment[match[1]].strip(), value)
        if not _is_value(found[header]):  # it could add another header
            raise Invalid(f"The variables of the header {header} have characters that a header cannot have.")
    return found


def shortened(text: str) -> str:
    """Return a valid address without path and query, which may contain secrets: as people other than its owner see it.

    A default port is added.
    """
    parts = urlsplit(text)
    return f"{parts.scheme}://{_pair(parts)}"


def warnings(text: str) -> tuple[str, ...]:
    """Return sentences about what a person should know before giving it to an agent."""
    parts = urlsplit(text)
    found = (QUERY,) if parts.query else ()
    return (*found, ON_THIS_MACHINE.format(address=_pair(parts))) if is_on_this_machine(text) else found


def _is_loopback(host: str) -> bool:
    """Return whether a normalised host is this machine, however it is written."""
    found = address_of(host)
    is_name = host.rpartition(".")[2] == "localhost"
    return is_name if found is None else found.is_loopback or found.is_unspecified


def _is_value(text: str) -> bool:
    return text.isascii() and text.isprintable() and len(text) <= LONGEST_VALUE


def _pair(parts: SplitResult) -> str:
    return host_port(parts.hostname or "", parts.port or PORTS[parts.scheme])

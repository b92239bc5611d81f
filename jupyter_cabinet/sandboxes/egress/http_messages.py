"""Parses and rewrites the heads of HTTP/1 messages that pass the egress proxy. Strict: what is unclear is refused.

A plain request is one request on one connection: the head says where its body ends, `Connection: close` is sent to both
sides, and the headers that are meant for a proxy are removed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Literal

import msgspec

from .host_rules import host_port, split_host_port

HTTP_PORT = 80

# How a body ends: after this number of bytes, with its last chunk, or with the connection.
BodyEnd = int | Literal["chunked", "connection"]
Header = tuple[bytes, bytes]  # the name as it was sent

# No pattern needs more than linear time, because a head can have 64 KiB.
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST_LINE = re.compile(rb"(%s) ([!-~\x80-\xff]+) (HTTP/1\.[01])" % _TOKEN)
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})( [^\x00-\x08\x0a-\x1f\x7f]*)?")
_HEADER = re.compile(rb"(%s):([^\x00-\x08\x0a-\x1f\x7f]*)" % _TOKEN)
_LENGTH = re.compile(rb"[0-9]{1,18}")
_PLAIN_URL = re.compile(r"http://([^/?#]*)((?:[/?][^#]*)?)", re.IGNORECASE)

_FRAMING = (b"content-length", b"transfer-encoding")
_HOP_BY_HOP = frozenset({b"connection", b"keep-alive", b"te", b"upgrade"})  # and `Proxy-…`


class BadMessage(Exception):
    """A message that is refused. The text is a sentence for the client."""

    def __init__(self, sentence: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(sentence)
        self.status = status


class ProxyRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request to the proxy. `path` is empty for CONNECT."""

    method: bytes
    host: str
    port: int
    path: bytes
    version: bytes
    headers: Sequence[Header]  # to pass on
    body: BodyEnd

    @property
    def is_tunnel(self) -> bool:
        """Return whether the client wants to talk to the server itself, as it does for https."""
        return self.method == b"CONNECT"


class ProxyResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A server's response. `head` is what the client receives."""

    status: int
    head: bytes
    body: BodyEnd

    @property
    def is_interim(self) -> bool:
        """Return whether another response follows."""
        return self.status < HTTPStatus.OK


def parse_request(head: bytes) -> ProxyRequest:
    """Parse the head of a request to a proxy, with the empty line at its end.

    Headers that are meant for a proxy are left out. Raises `BadMessage`, also for an https address without CONNECT, and
    if it is not clear where the body ends.
    """
    first, headers = _lines(head)
    match = _REQUEST_LINE.fullmatch(first)
    if match is None:
        raise BadMessage("The request line is not valid HTTP/1.1.")
    method, target, version = match.groups()
    try:
        host, port, path = _tunnel_target(target) if method == b"CONNECT" else _plain_target(target)
    except UnicodeError:
        raise BadMessage("The address is not valid UTF-8.") from None
    return ProxyRequest(
        method=method,
        host=host,
        port=port,
        path=path,
        version=version,
        headers=[header for header in _end_to_end(headers) if header[0].lower() != b"host"],
        body=0 if method == b"CONNECT" else _body_end(headers, version, otherwise=0),
    )


def request_head(request: ProxyRequest, *, to_proxy: bool = False, authorization: str | None = None) -> bytes:
    """Return the head that the server receives, or the next proxy. `authorization` is for the proxy."""
    authority = host_port(request.host, request.port).removesuffix(f":{HTTP_PORT}").encode()
    target = b"http://" + authority + request.path if to_proxy else request.path
    headers = [(b"Host", authority), *request.headers, (b"Connection", b"close")]
    if authorization is not None:
        headers.append((b"Proxy-Authorization", authorization.encode()))
    return _written(b"%s %s %s" % (request.method, target, request.version), headers)


def connect_head(host: str, port: int, authorization: str | None) -> bytes:
    """Return the request for a tunnel through the next proxy. `authorization`: for that proxy; None: it wants none."""
    pair = host_port(host, port).encode()
    headers = [(b"Host", pair)]
    if authorization is not None:
        headers.append((b"Proxy-Authorization", authorization.encode()))
    return _written(b"CONNECT %s HTTP/1.1" % pair, headers)


def parse_response(head: bytes, method: bytes) -> ProxyResponse:
    """Parse the head of the response to a request with this method.

    Raises `BadMessage`, also for a change of the protocol.
    """
    first, headers = _lines(head)
    match = _STATUS_LINE.fullmatch(first)
    if match is None:
        raise BadMessage("The response of the server is not valid HTTP/1.1.")
    status = int(match[1])
    if status == HTTPStatus.SWITCHING_PROTOCOLS:  # which was not requested
        raise BadMessage("The server changed to another protocol.")
    body: BodyEnd = 0
    if method != b"HEAD" and status >= HTTPStatus.OK and status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
        body = _body_end(headers, b"HTTP/1.1", otherwise="connection")
    kept = _end_to_end(headers)
    if status >= HTTPStatus.OK:
        kept.append((b"Connection", b"close"))
    return ProxyResponse(status=status, head=_written(first, kept), body=body)


def error_response(status: HTTPStatus, sentence: str) -> bytes:
    """Return a complete response of the proxy itself, with the sentence as plain text. It closes the connection."""
    body = f"{sentence}\n".encode()
    headers = [
        (b"Content-Type", b"text/plain; charset=utf-8"),
        (b"Content-Length", b"%d" % len(body)),
        (b"Connection", b"close"),
    ]
    return _written(f"HTTP/1.1 {status} {status.phrase}".encode(), headers) + body


def chunk_size(line: bytes) -> int:
    """Return the size of a chunk from the line before it; its extensions are ignored. Raises `BadMessage`."""
    digits = line.partition(b";")[0].strip()
    if not re.fullmatch(rb"[0-9a-fA-F]{1,15}", digits):
        raise BadMessage("The body has a chunk without a valid size.")
    return int(digits, 16)


def _lines(head: bytes) -> tuple[bytes, list[Header]]:
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    headers: list[Header] = []
    for line in lines:
        match = _HEADER.fullmatch(line)
        if match is None:  # also a header that is continued on a second line
            raise BadMessage("A header is not valid.")
        headers.append((match[1], match[2].strip(b" \t")))
    return first, headers


def _tunnel_target(target: bytes) -> tuple[str, int, bytes]:
    found = split_host_port(target.decode())
    if found is None or found[1] is None:
        raise BadMessage("CONNECT needs a valid host and port, such as example.com:443.")
    return found[0], found[1], b""


def _plain_target(target: bytes) -> tuple[str, int, bytes]:
    match = _PLAIN_URL.fullmatch(target.decode())
    if match is None:
        raise BadMessage("This is a proxy. It takes CONNECT, and addresses that begin with http://.")
    found = split_host_port(match[1])
    if found is None:
        raise BadMessage("The address has no valid host.")
    path = match[2] if match[2].startswith("/") else f"/{match[2]}"
    return found[0], found[1] or HTTP_PORT, path.encode()


def _end_to_end(headers: Sequence[Header]) -> list[Header]:
    """Leave out the headers that are meant for the next hop, but for those that say where the body ends."""
    listed = {name.strip().lower() for name in b",".join(_values(headers, b"connection")).split(b",")}
    removed = (listed | _HOP_BY_HOP) - set(_FRAMING)
    return [
        (name, value)
        for name, value in headers
        if name.lower() not in removed and not name.lower().startswith(b"proxy-")
    ]


def _body_end(headers: Sequence[Header], version: bytes, *, otherwise: BodyEnd) -> BodyEnd:
    lengths, codings = (_values(headers, name) for name in _FRAMING)
    if codings:
        if lengths or len(codings) > 1 or codings[0].lower() != b"chunked" or version == b"HTTP/1.0":
            raise BadMessage("The message does not say clearly where its body ends.")
        return "chunked"
    if not lengths:
        return otherwise
    if len(lengths) > 1 or not _LENGTH.fullmatch(lengths[0]):
        raise BadMessage("The message does not say clearly where its body ends.")
    return int(lengths[0])


def _values(headers: Sequence[Header], name: bytes) -> list[bytes]:
    return [value for each, value in headers if each.lower() == name]


def _written(first: bytes, headers: Sequence[Header]) -> bytes:
    return b"\r\n".join([first, *(b"%s: %s" % header for header in headers), b"", b""])

"""HTTP heads at the egress proxy: what is refused, what is removed, and where a body ends."""

from __future__ import annotations

from http import HTTPStatus

import pytest
from harness.cost import cost
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.sandboxes.egress.http_messages import (
    BadMessage,
    chunk_size,
    connect_head,
    error_response,
    parse_request,
    parse_response,
    request_head,
)

URL = b"http://example.com/"


def head(*lines: bytes) -> bytes:
    return b"\r\n".join([*lines, b"", b""])


def lines(text: bytes) -> list[bytes]:
    return text.removesuffix(b"\r\n\r\n").split(b"\r\n")


def test_a_tunnel_has_a_host_and_a_port() -> None:
    request = parse_request(head(b"CONNECT Example.COM.:443 HTTP/1.1", b"Host: other", b"Content-Length: 5"))
    assert request.is_tunnel and (request.host, request.port, request.body) == ("example.com", 443, 0)
    assert parse_request(head(b"CONNECT [::1]:443 HTTP/1.1")).host == "::1"


def test_the_host_header_is_that_of_the_address_and_headers_for_a_proxy_are_removed() -> None:
    request = parse_request(
        head(
            b"GET HTTP://Example.com:80/a?b HTTP/1.1",
            b"Host: other.example",
            b"host: third.example",
            b"Accept: \t*/* ",
            b"Connection: keep-alive, X-Hop, Content-Length",
            b"Keep-Alive: 5",
            b"X-hop: 1",
            b"Proxy-Authorization: Basic c2VjcmV0",
            b"Proxy-Connection: keep-alive",
            b"TE: trailers",
            b"Upgrade: websocket",
            b"Content-Length: 3",
        )
    )
    assert (request.is_tunnel, request.host, request.port, request.body) == (False, "example.com", 80, 3)
    assert lines(request_head(request)) == [
        b"GET /a?b HTTP/1.1",
        b"Host: example.com",
        b"Accept: */*",
        b"Content-Length: 3",
        b"Connection: close",
    ]


def test_the_next_proxy_gets_the_whole_address_and_its_password() -> None:
    request = parse_request(head(b"GET http://[2606:4700::1111]:8080?q HTTP/1.0"))
    assert lines(request_head(request, to_proxy=True, authorization="Basic eA==")) == [
        b"GET http://[2606:4700::1111]:8080/?q HTTP/1.0",
        b"Host: [2606:4700::1111]:8080",
        b"Connection: close",
        b"Proxy-Authorization: Basic eA==",
    ]
    assert lines(connect_head("example.com", 443, "Basic eA==")) == [
        b"CONNECT example.com:443 HTTP/1.1",
        b"Host: example.com:443",
        b"Proxy-Authorization: Basic eA==",
    ]
    assert connect_head("::1", 443, None) == b"CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n"


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"GET",
        b"GET / HTTP/1.1",
        b"GET  http://example.com/ HTTP/1.1",
        b"GET http://example.com/ HTTP/2.0",
        b"GET http://example.com/ http/1.1",
        b"GET http://example.com/\0 HTTP/1.1",
        b"GET http://example.com/\xff HTTP/1.1",
        b"GET http://exa\xc3mple.com/ HTTP/1.1",
        b"GET http://example.com/#part HTTP/1.1",
        b"GET http://user:password@example.com/ HTTP/1.1",
        b"GET http://example.com\\@evil.net/ HTTP/1.1",
        b"GET http://127.0.0.1%00.example.com/ HTTP/1.1",
        b"GET http://::1/ HTTP/1.1",
        b"GET http:/// HTTP/1.1",
        b"GET http://example.com:0/ HTTP/1.1",
        b"GET https://example.com/ HTTP/1.1",
        b"GET ftp://example.com/ HTTP/1.1",
        b"G(T http://example.com/ HTTP/1.1",
        b"connect example.com:443 HTTP/1.1",
        b"CONNECT example.com HTTP/1.1",
        b"CONNECT example.com: HTTP/1.1",
        b"CONNECT example.com:70000 HTTP/1.1",
        b"CONNECT ::1:443 HTTP/1.1",
        b"CONNECT http://example.com:443 HTTP/1.1",
        b"CONNECT \xff:443 HTTP/1.1",
    ],
)
def test_a_request_line_that_is_refused(first: bytes) -> None:
    with pytest.raises(BadMessage):
        parse_request(head(first))


@pytest.mark.parametrize(
    "headers",
    [
        [b"Content-Length: 5", b"Content-Length: 5"],
        [b"Content-Length: 5, 5"],
        [b"Content-Length: +5"],
        [b"Content-Length: -5"],
        [b"Content-Length: "],
        [b"Content-Length: 5", b"Transfer-Encoding: chunked"],
        [b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"],
        [b"Transfer-Encoding: gzip, chunked"],
        [b"Transfer-Encoding: identity"],
        [b"Transfer-Encoding: \x0bchunked"],
        [b"Transfer-Encoding : chunked"],
        [b"X: a", b" continued"],
        [b"X: a", b"\tTransfer-Encoding: chunked"],
        [b" X: a"],
        [b"X"],
        [b": a"],
        [b"X: a\nTransfer-Encoding: chunked"],
        [b"X: a\rb"],
        [b"X: a\0"],
    ],
)
def test_headers_that_are_refused(headers: list[bytes]) -> None:
    with pytest.raises(BadMessage):
        parse_request(head(b"POST " + URL + b" HTTP/1.1", *headers))
    with pytest.raises(BadMessage):
        parse_response(head(b"HTTP/1.1 200 OK", *headers), b"GET")


def test_where_the_body_of_a_request_ends() -> None:
    chunked = b"Transfer-Encoding: Chunked"
    assert parse_request(head(b"POST " + URL + b" HTTP/1.1", chunked)).body == "chunked"
    assert parse_request(head(b"POST " + URL + b" HTTP/1.1")).body == 0
    with pytest.raises(BadMessage):
        parse_request(head(b"POST " + URL + b" HTTP/1.0", chunked))


def test_a_response_closes_the_connection_and_says_where_its_body_ends() -> None:
    response = parse_response(
        head(b"HTTP/1.1 200 \xc3\xbc", b"Connection: keep-alive", b"Content-Length: 3", b"Set-Cookie: a=1"), b"GET"
    )
    assert lines(response.head) == [
        b"HTTP/1.1 200 \xc3\xbc",
        b"Content-Length: 3",
        b"Set-Cookie: a=1",
        b"Connection: close",
    ]
    assert (response.status, response.body, response.is_interim) == (200, 3, False)
    assert parse_response(head(b"HTTP/1.0 200"), b"GET").body == "connection"
    assert parse_response(head(b"HTTP/1.1 200 OK", b"Transfer-Encoding: chunked"), b"GET").body == "chunked"
    assert parse_response(head(b"HTTP/1.1 200 OK", b"Content-Length: 3"), b"HEAD").body == 0
    for status in (b"204", b"304"):
        assert parse_response(head(b"HTTP/1.1 %s " % status, b"Content-Length: 3"), b"GET").body == 0
    interim = parse_response(head(b"HTTP/1.1 100 Continue"), b"POST")
    assert (interim.is_interim, interim.head) == (True, b"HTTP/1.1 100 Continue\r\n\r\n")


@pytest.mark.parametrize("first", [b"", b"HTTP/2 200 OK", b"HTTP/1.1 20 OK", b"HTTP/1.1 101 Switching", b"SSH-2.0-x"])
def test_a_response_that_is_refused(first: bytes) -> None:
    with pytest.raises(BadMessage):
        parse_response(head(first), b"GET")


def test_the_size_of_a_chunk() -> None:
    assert chunk_size(b"1aF ; name=value\r\n") == 0x1AF
    for line in (b"\r\n", b"-1\r\n", b"0x5\r\n", b"5_0\r\n", b"f" * 16 + b"\r\n", b"5\nabc\r\n"):
        with pytest.raises(BadMessage):
            chunk_size(line)


def test_an_error_of_the_proxy_is_plain_text() -> None:
    text = error_response(HTTPStatus.FORBIDDEN, "ü was refused.")
    assert text.startswith(b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\n")
    assert text.endswith("\r\nContent-Length: 16\r\nConnection: close\r\n\r\nü was refused.\n".encode())


@given(st.binary(max_size=200))
def test_no_bytes_break_the_parser(data: bytes) -> None:
    for prefix in (b"GET " + URL, b"CONNECT ", b"GET http://", b""):
        try:
            request = parse_request(prefix + data + b"\r\n\r\n")
        except BadMessage:
            continue
        assert b"\n" not in request_head(request).replace(b"\r\n", b"")


@pytest.mark.parametrize(
    "text",
    [
        head(b"GET http://" + b"a" * 65000 + b"# HTTP/1.1"),
        head(b"GET http://" + b"." * 65000 + b"/# HTTP/1.1"),
        head(b"GET " + URL + b" HTTP/1.1", b"X:" + b" " * 65000 + b"\0"),
        head(b"GET " + URL + b" HTTP/1.1", b"a" * 65000),
        head(b"GET http://[" + b":" * 65000 + b"]/ HTTP/1.1"),
        head(b"CONNECT " + "ü".encode() * 32000 + b":443 HTTP/1.1"),
    ],
    ids=range(6),
)
def test_a_long_head_takes_no_long_time(text: bytes) -> None:
    def read() -> None:
        with pytest.raises(BadMessage):
            parse_request(text)

    assert cost(read) < 500

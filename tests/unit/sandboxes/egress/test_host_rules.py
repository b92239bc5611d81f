"""The rules of the egress proxy: one spelling for each host, what an entry allows, and addresses that never are."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.sandboxes.egress.host_rules import (
    AllowedHost,
    Egress,
    RefusedHost,
    address_allowed,
    decide,
    host_port,
    normalised,
    refused_address,
    split_host_port,
)

OPEN = Egress(mode="open")
SPELLINGS = {
    "example.com": "example.com",
    "EXAMPLE.Com": "example.com",
    "example.com.": "example.com",
    "example.com..": None,
    ".example.com": None,
    "example..com": None,
    "": None,
    ".": None,
    "my_host": "my_host",
    "r3---sn-4g5e.example": "r3---sn-4g5e.example",
    "-a.com": None,
    "a-.com": None,
    "a" * 64 + ".com": None,
    ".".join(["a" * 63] * 4): None,
    "ü" * 254: None,
    "bücher.example": "xn--bcher-kva.example",
    "BÜCHER.example": "xn--bcher-kva.example",
    "xn--BCHER-kva.example": "xn--bcher-kva.example",
    "straße.de": "xn--strae-oqa.de",
    "ｅｘａｍｐｌｅ。com": "example.com",
    "exam\u00adple.com": "example.com",
    "a_ü.com": None,
    "\ud800.com": None,
    "example.com\0": None,
    "example.com\0.evil.net": None,
    "exa\nmple.com": None,
    "exa mple.com": None,
    "example.com\x7f": None,
    "exämple\0.com": None,
    "user@example.com": None,
    "example.com/": None,
    "%31%32%37.0.0.1": None,
    "*.example.com": None,
    "127.0.0.1": "127.0.0.1",
    "127.0.0.1.": "127.0.0.1",
    "127.1": "127.0.0.1",
    "127.0.1": "127.0.0.1",
    "2130706433": "127.0.0.1",
    "0x7f000001": "127.0.0.1",
    "0X7F.1": "127.0.0.1",
    "0177.0.0.1": "127.0.0.1",
    "017700000001": "127.0.0.1",
    "①②⑦.0.0.1": "127.0.0.1",
    "１２７.０.０.１": "127.0.0.1",
    "0": "0.0.0.0",
    "0xa9.254.0251.254": "169.254.169.254",
    "1.2.3": "1.2.0.3",
    "256.1.1.1": None,
    "1.2.3.256": None,
    "4294967296": None,
    "08.1.1.1": None,
    "1.2.3.4.5": None,
    "0x": None,
    "foo.1": None,
    "1.2.3.0x": None,
    "[::1]": "::1",
    "::1": "::1",
    "[0:0:0:0:0:0:0:1]": "::1",
    "[::ffff:127.0.0.1]": "127.0.0.1",
    "[::FFFF:7f00:1]": "127.0.0.1",
    "[2606:4700:0:0::1111]": "2606:4700::1111",
    "[fe80::1%eth0]": None,
    "[::1": None,
    "::1]": None,
    "[]": None,
    "[127.0.0.1]": None,
    "[example.com]": None,
    "1::2::3": None,
}
NEVER = (
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "100.64.0.1", "100.100.100.200", "169.254.169.254", "168.63.129.16", "192.0.0.192", "192.0.2.1", "192.88.99.1",
    "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "fe80::1", "fe80::1%1",
    "2606:4700::1111%1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "ff0e::1", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "2002:7f00:1::", "2002:a00:1::1", "2001::1", "2001:20::1",
    "2001:db8::1", "3fff::1", "5f00::1", "100::1", "4000::1", "example.com", "",
)  # fmt: skip
PUBLIC = ("8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1")


@pytest.mark.parametrize("host", SPELLINGS)
def test_each_host_has_one_spelling(host: str) -> None:
    assert normalised(host) == SPELLINGS[host]


@given(st.text(max_size=20) | st.from_regex(r"\[?[0-9a-fxA-FX.:]{1,20}\]?", fullmatch=True))
def test_a_spelling_is_final_and_plain(host: str) -> None:
    name = normalised(host)
    if name is not None:
        assert normalised(name) == name
        assert name.isascii() and name.isprintable() and name == name.lower()


@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "0x{:x}", "0{:o}"]))
def test_a_number_is_read_as_the_address_that_a_connection_would_use(value: int, form: str) -> None:
    assert normalised(form.format(value)) == str(ipaddress.IPv4Address(value))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("example.com", ("example.com", None)),
        ("example.com:", ("example.com", None)),
        ("Example.com:0443", ("example.com", 443)),
        ("[::1]:80", ("::1", 80)),
        ("[::1]", ("::1", None)),
        ("::1", None),
        ("::1:80", None),
        ("example.com:0", None),
        ("example.com:65536", None),
        ("example.com:+80", None),
        ("example.com:٨٠", None),
        ("example.com:80\n", None),
        ("example.com:80:80", None),
        ("[::1]x", None),
        ("[::1", None),
        (":80", None),
        ("", None),
    ],
)
def test_a_host_and_its_port(text: str, found: tuple[str, int | None] | None) -> None:
    assert split_host_port(text) == found


@pytest.mark.parametrize(
    ("entry", "allowed", "refused"),
    [
        ("example.com", [("example.com", 443), ("EXAMPLE.com.", 80)], [("example.com", 22), ("a.example.com", 443)]),
        ("example.com:8443", [("example.com", 8443)], [("example.com", 443)]),
        ("*.example.com", [("a.b.example.com", 80)], [("example.com", 80), ("aexample.com", 80)]),
        ("*.example.com:81", [("a.example.com", 81)], [("a.example.com", 80)]),
        ("Bücher.example", [("xn--bcher-kva.example", 443)], [("bucher.example", 443)]),
        ("[2606:4700::1111]", [("[2606:4700:0::1111]", 443)], [("[2606:4700::1112]", 443)]),
        ("*.0.0.1", [], [("127.0.0.1", 80), ("8.0.0.1", 80)]),
        ("*", [], [("example.com", 443)]),
        ("*.", [], [("example.com", 443)]),
        ("exam*.com", [], [("example.com", 443)]),
        ("example.com:http", [], [("example.com", 80)]),
    ],
)  # fmt: skip
def test_what_an_entry_allows(entry: str, allowed: list[tuple[str, int]], refused: list[tuple[str, int]]) -> None:
    egress = Egress(mode="hosts", hosts=(entry,))
    for host, port in allowed:
        assert decide(egress, host, port) == AllowedHost(normalised(host) or "", port)
    for host, port in refused:
        assert isinstance(decide(egress, host, port), RefusedHost)


def test_a_refusal_names_the_host_and_what_would_allow_it() -> None:
    assert decide(Egress(mode="hosts"), "Example.com", 443) == RefusedHost(
        "example.com:443 was refused. Add it to the agent's `network` list to allow it."
    )
    assert decide(Egress(mode="none", hosts=("example.com",)), "example.com", 443) == RefusedHost(
        "example.com:443 was refused, because the agent has no network. Set its `network` to allow it."
    )
    assert decide(OPEN, "exa\0mple.com", 443) == RefusedHost("The request was refused, because its host is not valid.")
    assert host_port("::1", 80) == "[::1]:80"
    assert refused_address("::1", 80).sentence.startswith("[::1]:80 was refused, because it is on this machine")


@pytest.mark.parametrize("address", NEVER)
def test_an_address_that_is_never_reached(address: str) -> None:
    assert not address_allowed(OPEN, address, "example.com", 443)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address(address: str) -> None:
    assert address_allowed(OPEN, address, "example.com", 443)


def test_the_configured_model_service_can_be_on_this_machine() -> None:
    local = ("localhost:11434", "model.lan:8000", "broken", "[::1]:9")
    for egress in (Egress(mode="hosts", local=local), Egress(mode="open", local=local)):
        assert decide(egress, "LOCALHOST.", 11434) == AllowedHost("localhost", 11434)
        assert address_allowed(egress, "127.0.0.1", "localhost", 11434)
        assert address_allowed(egress, "::1", "::1", 9)
        assert address_allowed(egress, "10.0.0.7", "model.lan", 8000)
        assert not address_allowed(egress, "127.0.0.1", "localhost", 8888)
        assert not address_allowed(egress, "127.0.0.1", "127.0.0.1", 11434)
        assert not address_allowed(egress, "not an address", "localhost", 11434)
    closed = Egress(mode="none", local=local)
    assert isinstance(decide(closed, "localhost", 11434), RefusedHost)
    assert not address_allowed(closed, "127.0.0.1", "localhost", 11434)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "service.localhost"])
def test_names_of_this_machine_are_refused_before_an_upstream_proxy_gets_them(host: str) -> None:
    for egress in (Egress(mode="open"), Egress(mode="hosts", hosts=(host,))):
        assert isinstance(decide(egress, host, 80), RefusedHost)

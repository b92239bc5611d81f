"""Programs' output for property tests: text, sequences, questions, and what breaks off anywhere."""

from __future__ import annotations

from hypothesis import strategies as st

CONTROLS = [bytes([code]) for code in (0, 7, 8, 9, 10, 11, 13, 14, 15, 0x18, 0x1A, 0x7F)]
INSIDE = [*CONTROLS[:9], b"\xff", b"\xe2", b"\x9b", b"\xef\xbb\xbf"]  # a sequence continues over these
ENDS = [b"\x07", b"\x1b\\", b"\xc2\x9c", b"\x18", b""]

CSI_QUERIES = [
    *(b"c", b"0c", b"000c", b"0;5c", b":3c", b"0:1c", b">c", b">0c", b">00;1c", b"=c", b"5n", b"6n", b"006n", b"6;1n"),
    *(b"6:2n", b"?6n", b"?06n", b"?15n", b"?25n", b"4$p", b"20$p", b"?1$p", b"?2004$p", b"?0025;7$p", b"?1049:1$p"),
    *(b"14t", b"16t", b"18t", b"018t", b"18;1t", b">q", b">0q", b"?u", b"n", b"$p"),
]
OSC_QUERIES = [
    *(b"10;?", b"11;?", b"12;?", b"010;?", b"4;1;?", b"4;1;?;2;#ff0000", b"4;3;#00ff00;007;?", b"10;?;?"),
    *(b"10;#ffffff;?", b"11;#?fff", b"10;?x", b"04;1;?\x00", b"4;1;\x01?"),
]
DCS_QUERIES = [b"$qm", b"$qr", b"$q q", b'$q"p', b"1$qm", b"1;2:3$qx", b"$q", b"$q\nm"]
CSI = [
    *(b"m", b"0m", b"1m", b"31m", b"1;31;44m", b"38;5;100m", b"48;2;1;2;3m", b"38:2::9:8:7m", b"4:3m", b"24m", b"7m"),
    *(
        b"39;49m",
        b"22m",
        b"38;5m",
        b"38;1;2;3;4;5;1m",
        b"103m",
        b"H",
        b"5;5H",
        b"2;40H",
        b"A",
        b"3B",
        b"C",
        b"2D",
        b"K",
    ),
    *(b"1K", b"J", b"2J", b"1J", b"L", b"M", b"P", b"@", b"X", b"S", b"T", b"2;6r", b"r", b"3;3r", b"4;99r", b"99;2r"),
    *(b"s", b"u", b"!p", b"4h", b"4l", b"20h", b"20l", b" q", b"0 q", b"2 q", b"5 q", b"3g", b"Z", b"b", b"3b", b"6p"),
    *(b"22t", b"23t", b"1;2", b"?", b"?1;", b">4;2m", b"<u", b"=1c", b"?5J", b'1"q', b"$$p", b"1 2q", b"?1<h"),
]
PRIVATE = [1, 2, 3, 6, 7, 9, 12, 25, 45, 47, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1048, 1049]
PRIVATE += [2004, 2026, 99]
ESCAPES = [
    *(b"7", b"8", b"=", b">", b"D", b"E", b"H", b"M", b"c", b"n", b"o", b"|", b"}", b"~", b"(0", b"(B", b")0", b"*A"),
    *(b"+4", b"-0", b".B", b"/A", b"%G", b"%@", b"#8", b"\\", b"(", b"( 0", b"(z", b""),
]
STRINGS = [
    *(b"]0;title", b"]2;other\xc3\xa9", b"]1;icon", b"]8;;http://a.b", b"]8;;", b"]8;id=1;http://c.d", b"]52;c;QQ=="),
    *(
        b"]52;c;?",
        b"]052;c;?",
        b"]104",
        b"]110",
        b"]",
        b"];",
        b"]x;y",
        b"P",
        b"P1;2",
        b"P1;2|abc",
        b"P<x",
        b"P1$",
        b"Pq#0",
    ),
    *(b"Xsos", b"^pm", b"_apc\x07", b"_Gkitty", b"P+q544e", b"]7;file:///"),
]
LONG = b"x" * 4200
SEEN = (b"]0", b"]2", b"]8")  # whoever takes out a long one is noticed


def broken(sequence: bytes, inside: tuple[bytes, int] | None, cut: int | None) -> bytes:
    """With something in the middle, or without its end."""
    if inside is not None and len(sequence) > 2:
        place = 2 + inside[1] % (len(sequence) - 2)
        sequence = sequence[:place] + inside[0] + sequence[place:]
    return sequence if cut is None else sequence[: max(1, cut % len(sequence))]


_inside = st.none() | st.none() | st.tuples(st.sampled_from(INSIDE), st.integers(0, 100))
_cut = st.none() | st.none() | st.none() | st.integers(1, 100)
_csi_start = st.sampled_from([b"\x1b[", b"\x1b[", b"\x1b[", b"\xc2\x9b"])
_modes = st.builds(
    lambda numbers, final: b"?" + b";".join(b"%d" % number for number in numbers) + final,
    st.lists(st.sampled_from(PRIVATE), min_size=1, max_size=3),
    st.sampled_from([b"h", b"l"]),
)
_osc = st.builds(
    lambda start, body, end: start + body + end,
    st.sampled_from([b"\x1b]", b"\x1b]", b"\xc2\x9d"]),
    st.sampled_from(OSC_QUERIES),
    st.sampled_from(ENDS),
)
_dcs = st.builds(
    lambda start, body, end: start + body + end,
    st.sampled_from([b"\x1bP", b"\x1bP", b"\xc2\x90"]),
    st.sampled_from(DCS_QUERIES),
    st.sampled_from(ENDS),
)
_strings = st.builds(
    lambda body, more, end: b"\x1b" + body + (b"" if body.startswith(SEEN) else more) + end,
    st.sampled_from(STRINGS),
    st.sampled_from([b"", b"", b"", b"", b"", b"", LONG]),
    st.sampled_from(ENDS),
)
_sequences = st.one_of(
    st.builds(lambda start, body: start + body, _csi_start, st.sampled_from(CSI_QUERIES)),
    st.builds(lambda start, body: start + body, _csi_start, st.sampled_from(CSI)),
    st.builds(lambda start, body: start + body, _csi_start, _modes),
    st.sampled_from(ESCAPES).map(lambda body: b"\x1b" + body),
    _osc,
    _dcs,
    _strings,
)
_words = st.sampled_from(
    [
        b"word ",
        b"\r\n",
        b"line\r\n",
        "grüße".encode(),
        "日本".encode(),
        "🌍".encode(),
        "e\u0301".encode(),
        b"\xc2\xa0",
        b"  ",
    ]
)
pieces = st.one_of(
    _words,
    _words,
    st.sampled_from(CONTROLS),
    st.builds(broken, _sequences, _inside, _cut),
    st.builds(broken, _sequences, _inside, _cut),
    st.builds(broken, _sequences, _inside, _cut),
    st.sampled_from(
        [b"\xc2\x84", b"\xc2\x85", b"\xc2\x88", b"\xc2\x9c", b"\xc2\x91", b"\xc2", b"\xe2\x80", b"\xf0\x9f"]
    ),
    st.binary(min_size=1, max_size=4),
)
outputs = st.lists(pieces, max_size=25).map(b"".join)

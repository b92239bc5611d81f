"""What looks like a secret is found by its name or its form; ordinary text stays."""

from __future__ import annotations

import pytest
from harness.examples import cases

from jupyter_cabinet.notebook.sensitive import MARK, has_secret_name, without_secrets

NAMES = "password db_password passwd PWD api_key apiKey OPENAI_API_KEY aws_secret_access_key token hf_token authToken "
NAMES += "credentials cookie session_id private_key connection_string conn_str dsn bearer password2"
HARMLESS = "df keyboard monkey passenger author secretary compass model key keys index tokenizer x"


@pytest.mark.parametrize("name", NAMES.split())
def test_a_name_of_a_secret_is_known(name: str) -> None:
    assert has_secret_name(name)


@pytest.mark.parametrize("name", HARMLESS.split())
def test_an_ordinary_name_is_not(name: str) -> None:
    assert not has_secret_name(name)


FORMS = [
    "sk-ant-api03-" + "a1B2" * 10,
    "sk-proj-" + "a1B2" * 10,
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "a1B2" * 9,
    "glpat-" + "a1B2" * 5,
    "hf_" + "a1B2" * 8,
    "xoxb-123456789012-abcdef",
    "AKIA" + "ABCD1234" * 2,
    "AIza" + "a1B2c3D4" * 5,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIE and the rest is cut",
]


@pytest.mark.parametrize("secret", FORMS)
def test_a_key_of_a_known_form_is_left_out_wherever_it_stands(secret: str) -> None:
    text = without_secrets(f"before {secret} behind")
    assert MARK in text and secret not in text and text.startswith("before ")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("password = 'hunter2'", f"password = {MARK}"),
        ('{"api_key": "abc123"}', f'{{"api_key": {MARK}}}'),
        ("postgresql://ada:hunter2@db.example/x", f"postgresql://{MARK}@db.example/x"),
        ("Authorization: Bearer abcdef0123456789xyz", f"Authorization: Bearer {MARK}"),
        ('password: str = "hunter"', f"password: str = {MARK}"),
        ('def f(token: Optional[str] = "hunter", n=1)', f"def f(token: Optional[str] = {MARK}, n=1)"),
        ('password = """hunter\n2"""', f"password = {MARK}"),
        ("password = b'hunter'", f"password = {MARK}"),
        ('password = (\n  "hunter"\n)', f"password = (\n  {MARK}\n)"),
        ('password = "ab\\"hunter"', f"password = {MARK}"),
        ("password = 'hunter", f"password = {MARK}"),
        ('os.environ["API_KEY"] = "hunter"', f'os.environ["API_KEY"] = {MARK}'),
        ('os.putenv("TOKEN", "hunter")', f'os.putenv("TOKEN", {MARK})'),
        ("[('password', 'hunter')]", f"[('password', {MARK})]"),
        ("x = password = 'hunter'", f"x = password = {MARK}"),
        ("login --password hunter", f"login --password {MARK}"),
        ("postgresql://ada:hunt@er2@db.example/x", f"postgresql://{MARK}@db.example/x"),
        ("PGPASSWORD=x token=abc1", f"PGPASSWORD=x token={MARK}"),
    ],
)
def test_what_is_assigned_to_such_a_name_is_left_out(text: str, left: str) -> None:
    assert without_secrets(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "token = next(tokens)",
        'df[["token", "count"]]',
        "token: str = ''",
        "for each in tokens:\n    found2 = each",
        "complete(max_tokens=4096)",
        "password: str",
        "key: value",
        "the password is strong",
        "x = 5",
        "https://a.example/x?y=1",
        "a: b",
        "12:30",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert without_secrets(text) == text


PIECES = ["x", "eyJ-", "sk-", "password", "a=", "://", "-----BEGIN PRIVATE KEY-----", "token ", "'", "a.b-", "token="]
PIECES += ["token='", 'token="""', "token: x[", "('token', '"]


@pytest.mark.parametrize("piece", cases(*PIECES, quick=2))
def test_a_long_text_is_read_in_a_moment(piece: str) -> None:
    without_secrets(piece * (200_000 // len(piece)))  # the suite's own limit fails what would take minutes

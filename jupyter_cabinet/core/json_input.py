"""JSON that came from outside, as a value of ours. Called for request bodies and for frames; knows neither.

Whatever is wrong with it, also what a decoder gives up on (nested too deep), is `Invalid`.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from .errors import Invalid

Value = TypeVar("Value")
REASON_CHARACTERS = 300  # it may name what came in


def decoded(decoder: msgspec.json.Decoder[Value], data: str | bytes) -> Value:
    """Raises `Invalid`, with the field where it is one."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise _invalid(error) from None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise Invalid("The request is not valid JSON.") from None


def converted(value: object, kind: type[Value]) -> Value:
    """JSON that was decoded already, as a value of ours. Raises `Invalid` like `decoded`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _invalid(error) from None


def _invalid(error: msgspec.ValidationError) -> Invalid:
    reason = str(error)
    field = reason.rpartition("at `$.")[2].rstrip("`") if "at `$." in reason else None
    return Invalid(f"The request cannot be used: {reason[:REASON_CHARACTERS]}.", field=field)

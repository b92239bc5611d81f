"""Converts JSON from outside into our values. Called for request bodies and for frames; knows neither.

Any error in it is `Invalid`, also when a decoder gives up (nested too deep).
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from .errors import Invalid

Value = TypeVar("Value")
REASON_CHARACTERS = 300  # it may contain the input


def decoded(decoder: msgspec.json.Decoder[Value], data: str | bytes) -> Value:
    """Decode a value.

    Raises `Invalid` if the data is no JSON, is nested too deeply, or does not fit the decoder's type. If a field does
    not fit, its path is `field` in the error's detail; it may be None or missing. The message may contain a part of the
    data.
    """
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise _invalid(error) from None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise Invalid("The request is not valid JSON.") from None


def converted(value: object, kind: type[Value]) -> Value:
    """Convert decoded JSON into a value. Raises `Invalid`, with the field, if it does not fit: see `decoded`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _invalid(error) from None


def _invalid(error: msgspec.ValidationError) -> Invalid:
    reason = str(error)
    field = reason.rpartition("at `$.")[2].rstrip("`") if "at `$." in reason else None
    return Invalid(f"The request is not valid: {reason[:REASON_CHARACTERS]}.", field=field)

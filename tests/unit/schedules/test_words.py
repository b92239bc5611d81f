"""Schedules in words; the expression where no short sentence says the same."""

from __future__ import annotations

import pytest

from jupyter_cabinet.schedules.rules import Cron, Daily, Every, Weekly
from jupyter_cabinet.schedules.words import in_words


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("0 8 * * *", "every day at 08:00"),
        ("0 8 * * 1-5", "every weekday at 08:00"),
        ("0 8 * * mon-fri", "every weekday at 08:00"),
        ("30 9 * * 1,3,7", "every Monday, Wednesday and Sunday at 09:30"),
        ("30 9 * * 0-6", "every day at 09:30"),
        ("0 8,20 * * sat", "every Saturday at 08:00 and 20:00"),
        ("0 0 1 * *", "on the 1st of every month at 00:00"),
        ("0 0 2,3,11-13,22 * *", "on the 2nd, 3rd, 11th, 12th, 13th and 22nd of every month at 00:00"),
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("*/1 * * * *", "every minute"),
        ("0 * * * *", "every hour"),
        ("5 * * * 1-5", "every hour at 5 past, every weekday"),
        ("0 */4 * * *", "every 4 hours"),
        ("10 */4 * * *", "every 4 hours at 10 past"),
        ("0 */5 * * *", "0 */5 * * *"),
        ("*/7 * * * *", "*/7 * * * *"),
        ("5,10 * * * *", "5,10 * * * *"),
        ("*/30 8-18 * * 1-5", "every 30 minutes from 08:00 to 18:30, every weekday"),
        ("*/15 9-17 * * *", "every 15 minutes from 09:00 to 17:45"),
        ("*/7 9-17 * * *", "*/7 9-17 * * *"),
        ("*/15 9 * * *", "*/15 9 * * *"),
        ("0 8-17 * * *", "0 8-17 * * *"),
        ("0 8 13 * 5", "0 8 13 * 5"),
        ("0 8 * 1 *", "0 8 * 1 *"),
        ("0 8 L * *", "0 8 L * *"),
        ("0 8 * * mon#1", "0 8 * * mon#1"),
    ],
)
def test_cron_in_words(expression: str, words: str) -> None:
    assert in_words(Cron(expression=expression, zone="UTC")) == words


def test_the_other_kinds_in_words() -> None:
    assert in_words(Every(seconds=900)) == "every 15 minutes"
    assert in_words(Every(seconds=3600)) == "every hour"
    assert in_words(Every(seconds=2 * 86400)) == "every 2 days"
    assert in_words(Every(seconds=90)) == "every 90 seconds"
    assert in_words(Daily(at="08:05", zone="UTC")) == "every day at 08:05"
    assert in_words(Weekly(days=("mon", "fri"), at="17:00", zone="UTC")) == "every Monday and Friday at 17:00"

"""Telegram, through its Bot API with long polling: the server needs no public address.

The API is called with httpx, which is here anyway. The usual library, aiogram 3.31, takes 5 s of processor time and
memory for the models of 300 methods, of which six are needed.
"""

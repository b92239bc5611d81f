"""The chat on a page of this server, beside the platforms elsewhere.

`adapter.py` is its platform, and `service.py` is what `web/` calls. The page itself is in `web/chat_page/`.
"""

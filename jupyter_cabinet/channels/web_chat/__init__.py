"""The chat on a page of this server, beside the platforms elsewhere.

`adapter.py` is its platform, and `service.py` is what `web/` calls. `web/chat_page/` has the page itself.
"""

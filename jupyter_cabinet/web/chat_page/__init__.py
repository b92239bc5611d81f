"""The page of the web chat. It is served as it is: nothing here is built or loaded from elsewhere.

`handlers.py` serves the files beside it. `chat.js` is the page, and `parts.js` has what of it touches no document.
"""

"""The page of the web chat. It is served as it is: nothing here is built or loaded from elsewhere.

`handlers.py` serves the files beside it. `chat.js` is the page. `server.js` has its requests, `outbox.js` what is not
sent yet, `view.js` its elements, and `parts.js` what touches none of these.
"""

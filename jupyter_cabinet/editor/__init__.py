"""AI editing of the open document: sessions, mentions, prompt, history."""

"""AI editing of the open document: mentions, prompt, history."""

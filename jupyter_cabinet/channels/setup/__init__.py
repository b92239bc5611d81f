"""What people have set up: channels, connected accounts, and the checks of the forms."""

"""Mail and more than a hundred other services, through the package apprise. They only take messages."""

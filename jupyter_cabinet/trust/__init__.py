"""What a person has confirmed."""

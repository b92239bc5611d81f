"""Skills: folders with instructions that agents receive once a person has approved every file in them."""

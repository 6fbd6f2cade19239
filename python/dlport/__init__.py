"""dlport."""

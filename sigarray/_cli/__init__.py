"""The command `sigarray`."""

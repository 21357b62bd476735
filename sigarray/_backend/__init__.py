"""Array libraries, their differences, and random numbers."""

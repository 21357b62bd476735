"""Where arrays come from, what their libraries do, and random numbers."""

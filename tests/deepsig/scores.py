"""Scores of two models, and options of all calls."""

A = [0.9, 0.8, 0.95, 0.85, 0.7, 0.88]
B = [0.5, 0.83, 0.55, 0.7, 0.65, 0.89]
QUIET = {"show_progress": False, "seed": 1}

"""Ranks of several models, and intervals of them."""

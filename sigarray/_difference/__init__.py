"""Tests and intervals of a difference of two samples."""

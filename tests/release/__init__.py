"""What is checked of a release: `noxfile.py` runs all of it."""

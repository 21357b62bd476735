"""Files of scores, p-values and responses."""

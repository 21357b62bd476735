"""Almost stochastic order of two or many models."""

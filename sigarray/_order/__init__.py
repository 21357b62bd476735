"""Almost stochastic order: of two models, and of many."""

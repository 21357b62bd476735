"""Which of several models are better: the tests, verdicts, tables and sentences."""
